/**
 * Writes the fixture of the upgrade tests: a dump of a database that an earlier release filled (CONTRIBUTING.md). Checks the
 * release out of git, installs it, runs it on a PostgreSQL server of its own, and dumps that as SQL.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { debianBinaries, freePort, startCluster } from '../test/support/postgres.ts'
import { ACTIVITY, NOTABLE } from '../test/support/routes.ts'
import { temporaryDirectory } from '../test/support/temporary-directory.ts'
import { pullRequestEvent, signedDelivery } from '../test/support/webhooks.ts'
import { type FakeGithubServer, startFakeGithubServer } from './fake-github-server.ts'

/** The first release that was used in public: migrations 0000 to 0003. */
const COMMIT = '58769d3'
const FILE = fileURLToPath(new URL('../test/fixtures/upgrade/release.sql', import.meta.url))
const SECRET = 'hush'
const SHOP = 'acme/shop'

const run = promisify(execFile)

async function main(): Promise<void> {
  const checkout = await temporaryDirectory('release')
  const cluster = await startCluster()
  const githubServer = await startFakeGithubServer({
    users: [{ token: 'ada', login: 'ada', id: 1, permissions: { [SHOP]: 'write' } }],
    repositories: [{ id: 1, full_name: SHOP }],
  })
  let service: ChildProcess | undefined
  try {
    await run('sh', ['-c', `git archive ${COMMIT} | tar -x -C ${checkout.path}`])
    await run('npm', ['ci', '--ignore-scripts'], { cwd: checkout.path })
    githubServer.github.app.install({ account: 'acme' })
    const port = await freePort()
    service = spawn('npx', ['tsx', 'src/main.ts'], {
      cwd: checkout.path,
      stdio: 'inherit',
      detached: true,
      env: { PATH: process.env.PATH, PORT: String(port), ...environment(githubServer, cluster.url) },
    })
    await fill(`http://127.0.0.1:${port}`, githubServer)
    await writeFile(FILE, await dump(cluster.url))
  } finally {
    // npx and tsx each start a child process.
    if (service?.pid) process.kill(-service.pid, 'SIGTERM')
    if (service) await once(service, 'exit')
    await githubServer.close()
    await cluster.remove()
    await checkout.remove()
  }
}

function environment({ url, github }: FakeGithubServer, database_url: string): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    DATABASE_URL: database_url,
    GITHUB_API_URL: url,
    GITHUB_WEB_URL: url,
    APP_ID: String(github.app.id),
    PRIVATE_KEY: github.app.key().replaceAll('\n', '\\n'),
    WEBHOOK_SECRET: SECRET,
  }
}

/** Stores records of every kind and status. */
async function fill(url: string, githubServer: FakeGithubServer): Promise<void> {
  await until(async () => (await fetch(`${url}/readyz`)).ok)
  const call = async (method: string, path: string, body?: object, key?: string) => {
    const response = await fetch(`${url}/api/v1/repos/${SHOP}${path}`, {
      method,
      headers: {
        authorization: 'Bearer ada',
        'content-type': 'application/json',
        ...(key && { 'Idempotency-Key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json() as Promise<{ id: string; activity: { id: string }; items: { source: string }[] }>
  }
  const createActivity = async (body: object = {}) =>
    (await call('POST', '/activity', { ...ACTIVITY, ...body })).activity.id
  const scope = { areas: ['Zahlung €'], paths: ['src/{a,b}/**', 'it\'s "quoted"\\*', 'README.md'] }
  for (const status of ['planned', 'paused', 'blocked', 'merged', 'abandoned', 'archived'])
    await call('PATCH', `/activity/${await createActivity({ title: status })}`, { status })
  await createActivity({
    title: 'wide',
    scope,
    summary: 'a\nb',
    risk: 'critical',
    blocking: true,
    branch: 'ünïcode',
  })
  await call('PATCH', `/activity/${await createActivity({ title: 'kept alive' })}`, { heartbeat: true })
  await call('POST', '/activity', { ...ACTIVITY, title: 'once' }, 'kept')
  const old = await call('POST', '/notables', { ...NOTABLE, title: 'old', scope })
  await call('POST', '/notables', { ...NOTABLE, title: 'new', scope, supersedes: [old.id] })
  const { number } = githubServer.github.at(SHOP).open({ files: ['src/[id].ts', 'README.md'], head: 'topic' })
  const delivery = signedDelivery({
    secret: SECRET,
    ...pullRequestEvent(githubServer.github, SHOP, number, 'opened'),
  })
  await fetch(`${url}/api/github/webhooks`, { method: 'POST', ...delivery })
  await until(async () =>
    (await call('GET', '/activity')).items.some(({ source }) => source === 'pull_request'),
  )
  // The comment on the pull request.
  await until(async () => githubServer.github.at(SHOP).comments(number).length > 0)
  await wait(2000)
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (await isDone().catch(() => false)) return
    await wait(100)
  }
  throw new Error('the release did not reach the expected state within a minute')
}

/** SQL that any client can run: without psql's commands, settings of the session, and comments. */
async function dump(url: string): Promise<string> {
  const bin = debianBinaries()
  if (!bin) throw new Error('pg_dump is missing: install PostgreSQL')
  const options = [
    '--column-inserts',
    '--no-owner',
    '--no-privileges',
    '--no-comments',
    '--no-unlogged-table-data',
  ]
  const { stdout } = await run(join(bin, 'pg_dump'), [...options, `--dbname=${url}`], { maxBuffer: 2 ** 26 })
  const text = stdout
    .replace(/^(--|\\|SET |SELECT pg_catalog\.set_config).*\n/gm, '')
    .replace(/\n{2,}/g, '\n')
  return `-- Written by npm run fixture:upgrade: a database of ${COMMIT}.\n${text.trimStart()}`
}

await main()
