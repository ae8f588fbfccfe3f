/** The commands of deconflict-admin, as processes next to the service. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { type Api, apiAt } from '../support/api.ts'
import { type FreshDatabase, freshDatabase, runOn } from '../support/database.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { editOfPay } from '../support/lines.ts'
import { connectRaw, databaseUrl } from '../support/postgres.ts'
import { runAdmin, type ServiceProcess } from '../support/process.ts'
import { ACTIVITY, NOTABLE } from '../support/routes.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

const SHOP = 'acme/shop'
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

describe('reindex', () => {
  test('finds nothing wrong in what the service and the App store', async () => {
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
    const old = await createNotable({ scope })
    await createNotable({ supersedes: [old] })
    await expect.poll(async () => (await api('GET', '/activity')).body.items.length, WAIT_OPTIONS).toBe(2)
    expect(await runAdmin(env, 'reindex')).toMatchObject({
      code: 0,
      lines: [
        expect.stringMatching(/^repositories: [12], records: 3, corrected: 0, stray: 0, miscounted: 0$/),
      ],
      errors: [],
    })
  })

  test('needs a schema', async () => {
    const { url } = inject('postgres')
    const name = `deconflict_bare_${process.pid}`
    await runOn(url, `create database ${name}`)
    expect(await runAdmin({ DATABASE_URL: databaseUrl(url, name) }, 'reindex')).toMatchObject({
      code: 2,
      errors: [expect.stringMatching(/has no schema; start the service/)],
    })
    await runOn(url, `drop database ${name} with (force)`)
  })
})

describe('deliveries', () => {
  test('in the dead-letter state are listed and replayed while the service runs', async () => {
    await query(`insert into jobs (id, kind, repo_id, payload, state, run_at, enqueued, attempts, last_error, created_at, updated_at)
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

describe('settings --with', () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  beforeAll(async () => {
    directory = await temporaryDirectory('settings')
    const { github } = deployment.githubServer
    for (const index of [1, 2]) {
      const files = [editOfPay(40, [`pay(${index})`])]
      const { number } = github.at(SHOP).open({ files, head: `pay-${index}`, author: `author-${index}` })
      await deployment.deliver(service.url, pullRequestEvent(github, SHOP, number, 'opened'))
    }
    const shown = 'select 1 from pairs where first_shown_at is not null or second_shown_at is not null'
    await vi.waitFor(async () => expect(await query(shown)).toHaveLength(1), WAIT_OPTIONS)
  })
  afterAll(() => directory.remove())
  const preview = async (target: string, text: string) => {
    const path = join(directory.path, 'deconflict.yml')
    await writeFile(path, text)
    return runAdmin(env, 'settings', target, '--with', path)
  }

  test('prints what a file of a repository would change, and changes nothing', async () => {
    const { code, lines } = await preview(SHOP, 'comment: {mode: shadow}\nactivity_ttl_ms: 5000')
    expect(code).toBe(0)
    expect(lines).toEqual([
      SHOP,
      '  activity_ttl_ms: 86400000 -> 5000 (repository)',
      '  comment.mode: "on" -> "shadow" (repository)',
      expect.stringMatching(/^ {2}comments of the last 30 days: 1 -> 0, on \d pull requests$/),
      expect.stringMatching(/^1 of 1 repositories change; comments of the last 30 days: 1 -> 0, on \d pull/),
    ])
    expect((await api('GET', '/settings')).body).toMatchObject({ activity_ttl_ms: 86_400_000 })
  })

  test.each(['acme', 'ACME', 'acme/.github'])('does so for all repositories of %s', async (owner) => {
    const { code, lines } = await preview(owner, 'repositories: {exclude: [docs]}\ncomment: {audience: both}')
    expect(code).toBe(0)
    expect(lines).toEqual([
      SHOP,
      '  comment.audience: "later" -> "both" (organisation)',
      expect.stringMatching(/comments of the last 30 days: 1 -> 2/),
      expect.stringMatching(/^1 of 1 repositories change; comments of the last 30 days: 1 -> 2/),
    ])
  })

  test('prints the errors of the file', async () => {
    expect(await preview(SHOP, 'check_run: true\ncomment: {budget: 7}')).toMatchObject({
      code: 1,
      lines: [expect.stringMatching(/^line 2: .*budget/)],
    })
  })

  test('says where the App is not installed', async () => {
    const { code, lines } = await preview('acme/nowhere', '')
    expect([code, lines]).toEqual([1, ['The App is not installed in acme/nowhere.']])
  })

  test('needs a file that exists', async () => {
    expect(await runAdmin(env, 'settings', SHOP)).toMatchObject({
      code: 2,
      errors: [expect.stringMatching(/settings needs --with FILE/)],
    })
    expect(await runAdmin(env, 'settings', SHOP, '--with', '/nowhere.yml')).toMatchObject({
      code: 2,
      errors: [expect.stringMatching(/nowhere.yml cannot be read \(ENOENT\)/)],
    })
    expect(await runAdmin(env, 'reindex', '--with', '/nowhere.yml')).toMatchObject({
      code: 2,
      errors: [expect.stringMatching(/reindex takes no --with/)],
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

test('the embedded database is reindexed when no service uses it; otherwise the reason is printed', async () => {
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
  const { code, lines } = await runAdmin(embedded, 'reindex')
  expect(code).toBe(0)
  expect(lines).toEqual(['repositories: 1, records: 1, corrected: 0, stray: 0, miscounted: 0'])
  await directory.remove()
})

test.each([
  [[], 2, /no command given; see --help/],
  [['deliveries'], 2, /no such command: deliveries; see --help/],
  [['purge'], 2, /no such command: purge; see --help/],
  [['purge', SHOP, 'now'], 2, /no such command: purge acme\/shop now; see --help/],
  [['reindex', '--fast'], 2, /Unknown option '--fast'.*; see --help/],
])('%j is rejected with one line', async (args, expected, line) => {
  const { code, errors } = await runAdmin(env, ...args)
  expect(code).toBe(expected)
  expect(errors).toEqual([expect.stringMatching(line)])
})

test('an unavailable database ends a command with 2 and one line without the password', async () => {
  const away = { DATABASE_URL: 'postgres://ada:secret@127.0.0.1:1/db' }
  const { code, errors } = await runAdmin(away, 'reindex')
  expect(code).toBe(2)
  expect(errors).toEqual([expect.stringMatching(/cannot be read \(ECONNREFUSED\).*DATABASE_URL/)])
  expect(errors.join()).not.toContain('secret')
})

test('--help names every command', async () => {
  const { code, lines } = await runAdmin({}, '--help')
  expect(code).toBe(0)
  expect(lines.join('\n')).toMatch(
    /deliveries list.*deliveries replay ID.*purge OWNER\/REPO.*reindex .*settings OWNER\/REPO --with FILE.*distribute/s,
  )
})
