/** Processes that watch a repository: refused flags, several instances on one database, and a restart. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FakeGithubServer, startFakeGithubServer } from '../../scripts/fake-github-server.ts'
import { apiAt } from '../support/api.ts'
import { type FreshDatabase, freshDatabase, runOn } from '../support/database.ts'
import { freePort } from '../support/postgres.ts'
import { launch, type ServiceProcess, startProcess } from '../support/process.ts'

const TOKEN = 'tok-watcher'
const LIST = 'GET /repos/acme/shop/pulls'

let github: FakeGithubServer
let database: FreshDatabase
const services: ServiceProcess[] = []

const startWatched = async () => {
  const permissions = { 'acme/shop': 'read' as const }
  github = await startFakeGithubServer({
    repositories: [{ id: 7, full_name: 'acme/shop' }],
    users: [
      { token: 'ada', login: 'ada', id: 1, permissions },
      { token: TOKEN, login: 'wes', id: 2, permissions },
    ],
  })
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) github.github.fault(`${method} *`, 'forbidden')
  database = await freshDatabase()
}
const stopWatched = async () => {
  await Promise.all(services.splice(0).map((service) => service.kill('SIGTERM')))
  await database.drop()
  await github.close()
}

async function start(): Promise<ServiceProcess> {
  const service = await startProcess({
    DATABASE_URL: database.database_url,
    GITHUB_API_URL: github.url,
    WATCH_REPOSITORIES: 'acme/shop',
    GITHUB_TOKEN: TOKEN,
  })
  services.push(service)
  return service
}
const numbers = async (service: ServiceProcess): Promise<number[]> => {
  const { body } = await apiAt(service.url, 'ada')('GET', '/activity?limit=100')
  return body.items
    .map(({ pr_url }: { pr_url: string }) => Number(pr_url.split('/').at(-1)))
    .sort((a: number, b: number) => a - b)
}
/** As if a minute had passed. */
const pollNow = () =>
  runOn(
    database.database_url as string,
    `update jobs set state = 'pending', attempts = 0, run_at = now() where kind = 'poll'`,
  )
/** Each pull request that is stored is imported to the end. */
const areImported = async () =>
  (await runOn(database.database_url as string, 'select 1 from pull_requests where is_behind')).length === 0
/** Expires the leases of a killed worker, while no other one runs. */
const letLeasesEnd = () => runOn(database.database_url as string, 'update jobs set leased_until = null')
const open = () => github.github.at('acme/shop').open({ files: ['src/pay.ts'] }).number
const writes = () => github.github.requests().filter(({ route }) => !route.startsWith('GET '))

const hasScript = spawnSync('script', ['--version']).status === 0

describe('a watched repository', () => {
  beforeEach(startWatched)
  afterEach(stopWatched)

  test('of two instances one polls, and the other takes over when it dies', async () => {
    const opened = Array.from({ length: 6 }, open)
    const [first, second] = (await Promise.all([start(), start()])) as [ServiceProcess, ServiceProcess]
    for (const service of [first, second]) await expect.poll(() => numbers(service)).toEqual(opened)
    expect(github.github.calls(LIST)).toBe(1)
    expect(github.github.calls(`${LIST}/*/files`)).toBe(6)

    await first.kill('SIGKILL')
    const later = open()
    await pollNow()
    await expect.poll(() => numbers(second)).toEqual([...opened, later])
    expect(github.github.calls(`${LIST}/*/files`)).toBe(7)
    expect(writes()).toEqual([])
  })

  // Threat: The token that watches in a log or the database
  test('a restart finds what was opened and merged meanwhile, and reads no other files again', async () => {
    const opened = [open(), open(), open()]
    const before = await start()
    await expect.poll(() => numbers(before)).toEqual(opened)
    await expect.poll(areImported).toBe(true)
    await before.kill('SIGKILL')
    await letLeasesEnd()
    github.github.at('acme/shop').merge(opened[0] as number)
    const later = open()
    const after = await start()
    await pollNow()
    await expect.poll(() => numbers(after)).toEqual([opened[1], opened[2], later])
    expect(github.github.calls(`${LIST}/*/files`)).toBe(4)
    expect(`${before.output()}${after.output()}`).not.toContain(TOKEN)
  })

  test.skipIf(!hasScript)(
    'at a terminal the first lines are readable and lead to the page, which signs in by itself (skipped without script)',
    async () => {
      open()
      const PORT = String(await freePort())
      const terminal = spawn('script', ['-qefc', 'node dist/main.js --watch acme/shop', '/dev/null'], {
        env: {
          PATH: process.env.PATH,
          PORT,
          DATABASE_URL: database.database_url,
          GITHUB_API_URL: github.url,
          GITHUB_TOKEN: TOKEN,
        },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      let text = ''
      terminal.stdout.setEncoding('utf8').on('data', (more: string) => {
        text = (text + more).slice(-100_000)
      })
      try {
        await expect.poll(() => text).toContain('watching pull requests repository=acme/shop')
        expect(text).toMatch(/✓ watched +the pull requests of acme\/shop/)
        expect(text).toMatch(/– GitHub App +off/)
        expect(text).not.toContain('{"level"')
        expect(text).not.toContain(TOKEN)
        const address = /→ Open (http:\/\/127\.0\.0\.1:\d+\/session\/open\?code=\S+)/.exec(
          text,
        )?.[1] as string
        const opened = await fetch(address, { redirect: 'manual' })
        expect(opened.headers.get('location')).toBe('/#/acme/shop')
        const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
        const listed = () =>
          fetch(`http://127.0.0.1:${PORT}/api/v1/repos/acme/shop/activity`, {
            headers: { cookie, 'x-deconflict-page': '1' },
          }).then(async (response) => ((await response.json()) as { items: unknown[] }).items)
        await expect.poll(listed).toHaveLength(1)
      } finally {
        const ended = once(terminal, 'exit')
        terminal.kill('SIGTERM')
        await ended
      }
    },
  )
})

// `test/rules/config.test.ts` has every value that is refused.
test('a flag that does not exist ends the process with one line, which names the one that does', async () => {
  const flags = ['--wach', 'acme/shop']
  const { code, errors } = await launch({ GITHUB_TOKEN: TOKEN }, ['dist/main.js', ...flags]).exit
  expect(code).toBe(1)
  expect(errors).toEqual([expect.stringMatching(/^deconflict: .*--watch\b/)])
})
