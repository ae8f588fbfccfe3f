/** The commands of deconflict-admin, as processes next to the service. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type Api, apiAt } from '../support/api.ts'
import { type FreshDatabase, freshDatabase, runOn } from '../support/database.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { connectRaw, databaseUrl } from '../support/postgres.ts'
import { runAdmin, type ServiceProcess, startProcess } from '../support/process.ts'
import { ACTIVITY, NOTABLE } from '../support/routes.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

const SHOP = 'acme/shop'
const NEVER = 'act_01h455vb4pex5vsknk084sn02q'
const SUPERSEDED = `status = 'archived', archived_at = created_at, superseded_by =`
const FIX = 'fix or delete the row; until then it cannot be updated'
const WAIT_OPTIONS = { timeout: 60_000, interval: 20 }

let deployment: Deployment
let database: FreshDatabase
let service: ServiceProcess
let api: Api
let env: { DATABASE_URL: string | undefined }

beforeAll(async () => {
  deployment = await startDeployment([SHOP, 'acme/docs'])
  database = await freshDatabase()
  env = { DATABASE_URL: database.database_url }
  service = (await deployment.start(1, env))[0] as ServiceProcess
  api = apiAt(service.url, 'ada')
})
afterAll(async () => {
  await deployment.close()
  await database.drop()
})

const query = async (statement: string) => {
  const sql = connectRaw(database.database_url as string)
  const rows = await sql.unsafe(statement)
  await sql.end()
  return rows
}
const createActivity = async (body: object = {}): Promise<string> =>
  (await api('POST', '/activity', { body: { ...ACTIVITY, ...body } })).body.activity.id
const createNotable = async (body: object = {}): Promise<string> =>
  (await api('POST', '/notables', { body: { ...NOTABLE, ...body } })).body.id
const purgeAll = () => runAdmin(env, 'purge', SHOP)

describe('verify', () => {
  beforeEach(purgeAll)

  test('finds no problem in what the service and the App store', async () => {
    const scope = { areas: ['Checkout'], paths: ['src/{a,b}/**', 'README.md'] }
    const { number } = deployment.githubServer.github.at(SHOP).open({ files: ['src/[id]/{x}.ts'], title: '' })
    await deployment.deliver(
      service.url,
      pullRequestEvent(deployment.githubServer.github, SHOP, number, 'opened'),
    )
    const ids = [
      await createActivity({ scope, branch: 'a' }),
      await createActivity({ agent: 'claude-code' }),
      await createActivity(),
    ]
    await api('POST', `/activity/${ids[0]}/archive`)
    for (const status of ['merged', 'archived'])
      await api('PATCH', `/activity/${ids[1]}`, { body: { status } })
    await api('PATCH', `/activity/${ids[2]}`, { body: { status: 'abandoned' } })
    const old = await createNotable({ scope })
    await createNotable({ supersedes: [old] })
    const headers = { 'Idempotency-Key': 'once' }
    await api('POST', '/activity', { body: ACTIVITY, headers })
    await api('POST', '/notables', { body: NOTABLE, headers })
    await expect.poll(async () => (await api('GET', '/activity')).body.items.length, WAIT_OPTIONS).toBe(3)
    const { code, lines, errors } = await runAdmin(env, 'verify')
    expect({ code, lines, errors }).toEqual({
      code: 0,
      lines: [expect.stringMatching(/^problems: 0, repaired: 0, repositories: [12], rows: 10$/)],
      errors: [],
    })
  })

  test('names each problem with its id and remedy, and exits with 1', async () => {
    const [a, b, c, d] = [
      await createActivity(),
      await createActivity(),
      await createActivity(),
      await createActivity(),
    ]
    const [n, m, o] = [await createNotable(), await createNotable(), await createNotable()]
    await api('POST', '/activity', { body: ACTIVITY, headers: { 'Idempotency-Key': 'lost' } })
    const spoil: [table: string, change: string, row: string, problem: RegExp][] = [
      ['activities', `scope = '{"areas": [], "paths": ["src/["]}'`, `id = '${a}'`, /scope\.paths\.0 /],
      ['activities', `scope = '{"paths": 7}'`, `id = '${b}'`, /scope\.areas /],
      ['notables', `${SUPERSEDED} '${m}'`, `id = '${n}'`, /^$/],
      ['notables', `${SUPERSEDED} '${NEVER}'`, `id = '${m}'`, /superseded_by is not a notable/],
      ['notables', `area_keys = '{pay}'`, `id = '${o}'`, /area_keys do not match/],
      ['idempotency_keys', `record_id = '${NEVER}'`, `key = 'lost'`, /record_id is not a record/],
      ['idempotency_keys', `answer = '{'`, `key = 'lost'`, /answer is not JSON/],
      ['repositories', `settings = '{"activity_ttl_ms": -1}'`, `repo_id = 1`, /settings\.activity_ttl_ms/],
    ]
    for (const [table, change, row] of spoil) await query(`update ${table} set ${change} where ${row}`)
    // Makes rows that are older than the constraint.
    await query('alter table activities drop constraint activities_status_check')
    await query(`update activities set status = 'resting' where id in ('${c}', '${d}')`)
    await query(
      `alter table activities add constraint activities_status_check check (status <> 'resting') not valid`,
    )
    await query(`insert into pull_requests
      select 99, number, is_open, is_draft, is_bot, is_muted, is_behind, head_sha, opened_at, changed_at, null, null, null, null, '{}'
      from (values (1, true, false, false, false, false, repeat('a', 40), now(), now())) as v (number, is_open, is_draft, is_bot, is_muted, is_behind, head_sha, opened_at, changed_at)`)
    await query(`insert into jobs (id, kind, repo_id, state, run_at, asked, attempts, created_at, updated_at)
      values ('look:7:1', 'look', 7, 'dead', now(), 1, 12, now(), now())`)
    await query('drop index notables_archived')
    await query(`update pg_index set indisvalid = false where indexrelid = 'notables_active'::regclass`)

    const { code, lines, errors } = await runAdmin(env, 'verify')
    expect({ code, errors }).toEqual({ code: 1, errors: [] })
    for (const [table, , row, problem] of spoil) {
      const id = row.replace(/.* = /, '').replaceAll("'", '')
      const reported = lines.filter(
        (line) => line.startsWith(`${table} `) && line.split(':')[0]?.includes(id),
      )
      if (problem.source === '^$') expect(reported).toEqual([])
      else expect(reported.join('\n')).toMatch(problem)
    }
    expect(lines).toEqual(
      expect.arrayContaining([
        'pull_requests: has rows of the unknown repository 99; run: purge 99',
        'jobs look:7:1: was dead-lettered after 12 attempts; fix the cause, then run: deliveries replay look:7:1',
        expect.stringMatching(/^schema: notables_archived is missing; /),
        'index notables_active: is not valid; run: reindex index concurrently "notables_active"',
        ...[c, d].map(
          (id) => `activities {"repo_id":1,"id":"${id}"}: violates activities_status_check; ${FIX}`,
        ),
        'constraint activities_status_check: is not validated; fix the rows that violate it, then run: alter table activities validate constraint activities_status_check',
      ]),
    )
    // One line for each change except that of the valid successor, one more for the scope without a shape; four other problems, three of the constraint, four of the index, and the totals.
    expect(lines).toHaveLength(spoil.length - 1 + 1 + 4 + 3 + 4 + 1)
    expect(lines.find((line) => line.startsWith(`notables ${m} `))).toContain(
      `delete from notables where repo_id = 1 and id = '${m}'; then run: verify --repair`,
    )
    expect(lines.filter((line) => line.endsWith('; run: verify --repair'))).toEqual([
      ...[n, m]
        .sort()
        .map((id) => expect.stringMatching(`^claims of ${id} of repository 1: exist, but no live record`)),
      expect.stringMatching(/^tallies of live activities of repository 1: count 5, but 3 are stored; /),
      expect.stringMatching(/^tallies of active notables of repository 1: count 3, but 1 are stored; /),
    ])
    const repaired = await runAdmin(env, 'verify', '--repair')
    expect(repaired.code).toBe(1)
    expect(repaired.lines.at(-1)).toEqual(
      expect.stringMatching(new RegExp(`^problems: ${lines.length - 1 - 4}, repaired: 4, `)),
    )
    expect((await runAdmin(env, 'verify')).lines).toHaveLength(lines.length - 4)
    await query(
      `create index notables_archived on notables (repo_id, archived_at) where archived_at is not null`,
    )
    await query('reindex index notables_active')
    await query("delete from activities where status = 'resting'")
    await query('alter table activities validate constraint activities_status_check')
    await query(`delete from jobs where id = 'look:7:1'`)
    expect((await runAdmin(env, 'purge', '99')).lines).toEqual(['Deleted 1 rows of 99.'])
    await purgeAll()
    expect((await runAdmin(env, 'verify')).code).toBe(0)
  })

  test('reports a schema of another version', async () => {
    const { url } = inject('postgres')
    const name = `deconflict_old_${process.pid}`
    await runOn(url, `create database ${name}`)
    const old = { DATABASE_URL: databaseUrl(url, name) }
    const none = await runAdmin(old, 'verify')
    expect(none).toMatchObject({
      code: 2,
      errors: [expect.stringMatching(/has no schema; start the service/)],
    })
    const first = await startProcess(old)
    await first.kill('SIGTERM')
    const [applied] = await query('select count(*)::int as count from drizzle.__drizzle_migrations')
    await runOn(
      old.DATABASE_URL,
      `insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 1)`,
    )
    const newer = await runAdmin(old, 'verify')
    expect(newer.code).toBe(1)
    expect(newer.lines[0]).toMatch(/^migrations: 1 are from a newer version; /)
    await runOn(old.DATABASE_URL, 'delete from drizzle.__drizzle_migrations')
    const older = await runAdmin(old, 'verify')
    expect(older.lines[0]).toMatch(
      new RegExp(`^migrations: ${applied?.count} of this version have not been applied; start`),
    )
    await runOn(url, `drop database ${name} with (force)`)
  })
})

describe('deliveries', () => {
  test('in the dead-letter state are listed and replayed while the service runs', async () => {
    await query(`insert into jobs (id, kind, repo_id, payload, state, run_at, asked, attempts, last_error, created_at, updated_at)
      values ('repository:1', 'repository', 1, '{"id": 1, "owner": "acme", "name": "shop", "installation_id": ${deployment.githubServer.github.state.app.installations[0]?.id}}',
      'dead', now(), 1, 12, E'HttpError 502\nat line 7', now(), now())`)
    const listed = await runAdmin(env, 'deliveries', 'list')
    expect(listed).toMatchObject({ code: 0, errors: [] })
    expect(listed.lines).toEqual([
      expect.stringMatching(/^repository:1 {2}12 attempts, last at .*Z: HttpError 502$/),
    ])
    const replayed = await runAdmin(env, 'deliveries', 'replay', 'repository:1')
    expect(replayed).toMatchObject({ code: 0, lines: ['repository:1 is due again.'] })
    const state = async () => (await query(`select state from jobs where id = 'repository:1'`))[0]?.state
    await expect.poll(state, WAIT_OPTIONS).toBe('done')
    expect((await runAdmin(env, 'deliveries', 'list')).lines).toEqual(['No dead letters.'])
    expect(await runAdmin(env, 'deliveries', 'replay', 'repository:1')).toMatchObject({
      code: 1,
      lines: ['repository:1 is not a dead letter; see deliveries list.'],
    })
  })
})

describe('purge', () => {
  test('deletes all of a repository, given by name in any case or by id, and nothing else', async () => {
    const other = '/api/v1/repos/acme/docs/activity'
    await api('POST', other, { body: ACTIVITY })
    await createActivity()
    await createNotable()
    const { code, lines } = await runAdmin(env, 'purge', 'ACME/Shop')
    expect(code).toBe(0)
    expect(lines).toEqual([expect.stringMatching(/^Deleted \d+ rows of acme\/shop \(1\)\.$/)])
    expect((await api('GET', '/activity')).body.items).toEqual([])
    expect((await api('GET', other)).body.items).toHaveLength(1)
    expect((await runAdmin(env, 'purge', '2')).code).toBe(0)
    expect((await api('GET', other)).body.items).toEqual([])
    expect(await runAdmin(env, 'purge', 'acme/nowhere')).toMatchObject({
      code: 1,
      lines: ['Nothing is stored about acme/nowhere.'],
    })
  })
})

test('the embedded database is verified when no service uses it; otherwise the reason is printed', async () => {
  const directory = await temporaryDirectory('data')
  const embedded = { DATA_DIR: directory.path }
  const [running] = await deployment.start(1, embedded)
  await apiAt(running?.url as string, 'ada')('POST', '/activity', { body: ACTIVITY })
  expect(await runAdmin(embedded, 'deliveries', 'list')).toMatchObject({
    code: 2,
    lines: [],
    errors: [expect.stringMatching(/^deconflict-admin: another process is using the embedded database/)],
  })
  await running?.kill('SIGTERM')
  const { code, lines } = await runAdmin(embedded, 'verify')
  expect(code).toBe(0)
  expect(lines).toEqual(['problems: 0, repaired: 0, repositories: 1, rows: 1'])
  await directory.remove()
})

test.each([
  [[], 2, /no command given; see --help/],
  [['deliveries'], 2, /no such command: deliveries; see --help/],
  [['purge'], 2, /no such command: purge; see --help/],
  [['purge', SHOP, '--repair'], 2, /no such command: purge acme\/shop --repair; see --help/],
  [['verify', '--fast'], 2, /Unknown option '--fast'.*; see --help/],
])('%j is rejected with one line', async (args, expected, line) => {
  const { code, errors } = await runAdmin(env, ...args)
  expect(code).toBe(expected)
  expect(errors).toEqual([expect.stringMatching(line)])
})

test('an unavailable database ends a command with 2 and one line without the password', async () => {
  const away = { DATABASE_URL: 'postgres://ada:secret@127.0.0.1:1/db' }
  const { code, errors } = await runAdmin(away, 'verify')
  expect(code).toBe(2)
  expect(errors).toEqual([expect.stringMatching(/cannot be read \(ECONNREFUSED\).*DATABASE_URL/)])
  expect(errors.join()).not.toContain('secret')
})

test('--help names every command', async () => {
  const { code, lines } = await runAdmin({}, '--help')
  expect(code).toBe(0)
  expect(lines.join('\n')).toMatch(
    /deliveries list.*deliveries replay ID.*purge OWNER\/REPO.*verify .*verify --repair/s,
  )
})
