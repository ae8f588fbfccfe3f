/** The commands of deconflict-admin, as processes next to the service. */
import { beforeAll, expect, test } from 'vitest'
import { type Api, apiAt } from '../support/api.ts'
import { emptyDatabase, runOn } from '../support/database.ts'
import { runAdmin, type ServiceProcess } from '../support/process.ts'
import { ACTIVITY, NOTABLE } from '../support/routes.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { useDatabase, useDeployment } from '../support/use-deployment.ts'
import { forTest } from '../support/use-started.ts'

const SHOP = 'acme/shop'

const database = useDatabase()
const deployment = useDeployment([SHOP, 'acme/docs'])
let service: ServiceProcess
let api: Api
let env: { DATABASE_URL: string | undefined }

beforeAll(async () => {
  env = { DATABASE_URL: database.database_url }
  service = (await deployment.start(1, env))[0] as ServiceProcess
  api = apiAt(service.url, 'ada')
})

const query = (statement: string) => runOn(database.database_url as string, statement)
const createActivity = () => api('POST', '/activity', { body: ACTIVITY })

test('a command needs a schema', async () => {
  const { url } = await emptyDatabase()
  expect(await runAdmin({ DATABASE_URL: url }, 'deliveries', 'list')).toMatchObject({
    code: 2,
    errors: [expect.stringMatching(/has no schema: check DATABASE_URL, .*start the service/)],
  })
})

test('deliveries in the dead-letter state are listed and replayed while the service runs', async () => {
  await query(`insert into jobs (id, kind, repo_id, payload, state, run_at, enqueued, attempts, last_error, created_at, updated_at)
    values ('repository:1', 'repository', 1, '{"id": 1, "owner": "acme", "name": "shop", "installation_id": ${deployment.github.state.app.installations[0]?.id}}',
    'dead', now(), 1, 12, E'HttpError 502\nat line 7', now(), now())`)
  const listed = await runAdmin(env, 'deliveries', 'list')
  expect(listed).toMatchObject({ code: 0, errors: [] })
  expect(listed.lines).toEqual([
    expect.stringMatching(/^repository:1 {2}12 attempts, last at .*Z: HttpError 502$/),
  ])
  const replayed = await runAdmin(env, 'deliveries', 'replay', 'repository:1')
  expect(replayed).toMatchObject({ code: 0, lines: ['repository:1 is due again.'] })
  const state = async () => (await query(`select state from jobs where id = 'repository:1'`))[0]?.state
  await expect.poll(state).toBe('done')
  expect((await runAdmin(env, 'deliveries', 'list')).lines).toEqual(['No dead letters.'])
  expect(await runAdmin(env, 'deliveries', 'replay', 'repository:1')).toMatchObject({
    code: 1,
    lines: ['repository:1 is not a dead letter; see deliveries list.'],
  })
})

test('farewell leaves a repository where the App is installed', async () => {
  await createActivity()
  await query(`update repositories set installation_id = 1 where name = 'shop'`)
  expect(await runAdmin(env, 'farewell', SHOP)).toMatchObject({
    code: 0,
    lines: [expect.stringMatching(/can uninstall the App/)],
  })
  expect((await api('GET', '/settings')).body.sources['comment.mode']).toBe('farewell')
  expect((await runAdmin(env, 'farewell', 'acme/docs')).lines).toEqual([
    expect.stringMatching(/^The App is not installed in/),
  ])
})

test('purge deletes all of a repository, given by name in any case or by id, and nothing else', async () => {
  const other = '/api/v1/repos/acme/docs/activity'
  await api('POST', other, { body: ACTIVITY })
  await createActivity()
  await api('POST', '/notables', { body: NOTABLE })
  const { code, lines } = await runAdmin(env, 'purge', 'ACME/Shop')
  expect(code).toBe(0)
  expect(lines).toEqual([expect.stringMatching(/^Deleted \d+ rows of acme\/shop \(1\)\.$/)])
  expect((await api('GET', '/activity')).body.items).toEqual([])
  expect((await api('GET', other)).body.items).toHaveLength(1)
  for (const none of ['acme/nowhere', 'acme/docs/pulls'])
    expect(await runAdmin(env, 'purge', none)).toMatchObject({
      code: 1,
      lines: [`Nothing is stored about ${none}.`],
    })
  expect((await runAdmin(env, 'purge', '2')).code).toBe(0)
  expect((await api('GET', other)).body.items).toEqual([])
})

test('the embedded database is read when no service uses it; otherwise the reason is printed', async () => {
  const directory = await forTest(temporaryDirectory('data'))
  const embedded = { DATA_DIR: directory.path }
  const [running] = await deployment.start(1, embedded)
  await apiAt(running?.url as string, 'ada')('POST', '/activity', { body: ACTIVITY })
  expect(await runAdmin(embedded, 'deliveries', 'list')).toMatchObject({
    code: 2,
    lines: [],
    errors: [expect.stringMatching(/^deconflict-admin: another process is using the embedded database/)],
  })
  await running?.kill('SIGTERM')
  expect(await runAdmin(embedded, 'deliveries', 'list')).toMatchObject({
    code: 0,
    lines: ['No dead letters.'],
  })
})

test('on PostgreSQL without Citus, distribute names what is missing and changes nothing', async () => {
  const { code, errors, lines } = await runAdmin(env, 'distribute')
  expect(code).toBe(2)
  expect(lines).toEqual([])
  expect(errors).toEqual([
    expect.stringMatching(/^deconflict-admin: .*Citus is not installed.*create extension citus/),
  ])
  const settings = await query(`select from pg_db_role_setting where setdatabase in
    (select oid from pg_database where datname = current_database())`)
  expect(settings).toHaveLength(0)
})

test('on the embedded database, distribute reports that it cannot be distributed', async () => {
  const data = await forTest(temporaryDirectory('data'))
  const { code, errors } = await runAdmin({ DATA_DIR: data.path }, 'distribute')
  expect(code).toBe(2)
  expect(errors).toEqual([expect.stringMatching(/^deconflict-admin: .*embedded.*DATABASE_URL/)])
})

test.each([
  [[], 2, /no command given; see --help/],
  [['purge', SHOP, 'now'], 2, /no such command: purge acme\/shop now; see --help/],
  [['distribute', '--fast'], 2, /Unknown option '--fast'.*; see --help/],
])('%j is rejected with one line', async (args, expected, line) => {
  const { code, errors } = await runAdmin(env, ...args)
  expect(code).toBe(expected)
  expect(errors).toEqual([expect.stringMatching(line)])
})

test('an unavailable database ends a command with 2 and one line without the password', async () => {
  const away = { DATABASE_URL: 'postgres://ada:secret@127.0.0.1:1/db' }
  const { code, errors } = await runAdmin(away, 'deliveries', 'list')
  expect(code).toBe(2)
  expect(errors).toEqual([expect.stringMatching(/cannot be read \(ECONNREFUSED\).*DATABASE_URL/)])
  expect(errors.join()).not.toContain('secret')
})

test('--help names every command', async () => {
  const { code, lines } = await runAdmin({}, '--help')
  expect(code).toBe(0)
  expect(lines.join('\n')).toMatch(
    /deliveries list.*deliveries replay ID.*farewell OWNER.*purge OWNER\/REPO.*distribute/s,
  )
})
