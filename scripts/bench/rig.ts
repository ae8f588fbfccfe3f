/** The resources of a run, each started on first use: PostgreSQL with its data, the service, the GitHub stub, the load generator. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { openDatabase } from '../../src/server/db/open.ts'
import { PLANNED_ONCE, PLANNING } from '../../src/server/db/planning.ts'
import { databaseUrl, startCluster } from '../../test/support/postgres.ts'
import { temporaryDirectory } from '../../test/support/temporary-directory.ts'
import { type FakeGithubServer, startFakeGithubServer } from '../fake-github-server.ts'
import { type Loader, startLoader } from './load.ts'
import type { Results } from './measure.ts'
import { type NamedRepository, type Names, names } from './names.ts'
import type { Options } from './options.ts'
import { findPgbench, type PgbenchResult, type PgbenchRun, runPgbench } from './pgbench.ts'
import { copy, seed } from './seed.ts'
import { type ServiceProcess, startServiceProcess } from './service.ts'
import { crowdWorkOf, mixWorkOf, workOf } from './work.ts'

export const TOKEN = 'bench-token'
/** A token with read access only. */
export const READ_TOKEN = 'bench-reader'
export const WEBHOOK_SECRET = 'hush'

/** The configuration of a small server; the service's planner settings apply to the baselines too. Commits are durable. */
const SETTINGS = {
  shared_buffers: '512MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  plan_cache_mode: PLANNED_ONCE,
  ...PLANNING,
}

export interface Rig {
  options: Options
  results: Results
  say(line: string): void
  names: Names
  /** A directory that is removed after the run. */
  scratch: string
  github(): Promise<FakeGithubServer>
  /** Creates an empty database, without a schema. */
  emptyDatabase(): Promise<string>
  /** The URL of the database that contains all of `names`. */
  database(): Promise<string>
  /** A connection to it. */
  sql(): Promise<postgres.Sql>
  /** The instance on that database that most scenarios share. */
  service(): Promise<ServiceProcess>
  /** Starts another instance with additional environment variables. It is stopped at the end of the run at the latest. */
  startService(env?: Record<string, string>, program?: string): Promise<ServiceProcess>
  loader(): Promise<Loader>
  /** Null when pgbench is not installed. */
  pgbench: ((run: Omit<PgbenchRun, 'url'>) => Promise<PgbenchResult>) | null
  /** Null when the run did not start PostgreSQL. */
  postgresVersion(): string | null
  close(): Promise<void>
}

export async function openRig(options: Options, results: Results, say: (line: string) => void): Promise<Rig> {
  const directory = await temporaryDirectory('bench')
  const closing: (() => Promise<unknown>)[] = [() => directory.remove()]
  const all = names(options.sizes)
  const program = findPgbench()

  const github = memo(async () => {
    const permissions = Object.fromEntries(all.github.map(({ full_name }) => [full_name, 'write' as const]))
    const user = { token: TOKEN, login: 'ada', id: 1, permissions }
    const reader = { token: READ_TOKEN, login: 'rita', id: 2, permissions: { 'acme/plain': 'read' as const } }
    const githubServer = await startFakeGithubServer({ repositories: all.github, users: [user, reader] })
    githubServer.github.app.install({ account: 'acme' })
    closing.push(() => githubServer.close())
    return githubServer
  })
  const cluster = memo(async () => {
    const started = await startCluster({ durable: true, settings: SETTINGS })
    closing.push(() => started.remove())
    return started
  })
  let databases = 0
  let version: string | null = null
  const emptyDatabase = async () => {
    const { url } = await cluster()
    const name = `bench_${++databases}`
    const admin = postgres(url, { max: 1 })
    await admin.unsafe(`create database ${name}`)
    const [about] = await admin<{ server_version: string }[]>`show server_version`
    version = `PostgreSQL ${about?.server_version}`
    await admin.end()
    return databaseUrl(url, name)
  }
  const database = memo(async () => {
    const url = await emptyDatabase()
    const opened = await openDatabase({ database_url: url, data_dir: '' })
    await opened.close()
    await fill(url, all, say)
    return url
  })
  const sql = memo(async () => {
    const client = postgres(await database(), { max: 1, onnotice: () => {} })
    closing.push(() => client.end())
    return client
  })
  const startService = async (env: Record<string, string> = {}, program?: string) => {
    const { url } = await github()
    const common = {
      GITHUB_API_URL: url,
      GITHUB_WEB_URL: url,
      RATE_LIMIT_PER_MINUTE: '10000000',
      PERMISSION_TTL_MS: '300000',
    }
    const service = await startServiceProcess({ ...common, ...env }, { scratch: directory.path, program })
    closing.push(() => service.stop())
    return service
  }
  const loader = memo(async () => {
    const started = await startLoader()
    closing.push(() => started.close())
    return started
  })
  return {
    options,
    results,
    say,
    names: all,
    scratch: directory.path,
    github,
    emptyDatabase,
    database,
    sql,
    service: memo(async () => startService({ DATABASE_URL: await database() })),
    startService,
    loader,
    pgbench: program
      ? async (run) => runPgbench(program, directory.path, { ...run, url: await database() })
      : null,
    postgresVersion: () => version,
    async close() {
      for (const close of closing.reverse()) await close().catch((error) => say(String(error)))
    },
  }
}

/** Creates the activities of one repository with the service's own code, and copies them to all others. */
async function fill(
  url: string,
  { original, crowds, mix, copies }: Names,
  say: (line: string) => void,
): Promise<void> {
  const started = performance.now()
  await seed(url, original, { count: original.size, work: workOf })
  say(`  ${original.size} live activities created in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  for (const { first, count, each } of copies)
    await copy(sql, original.id, { first, each, total: count * each })
  await seed(url, mix, { count: mix.size, work: mixWorkOf })
  const [crowd, ...others] = crowds.repositories as [NamedRepository, NamedRepository]
  const each = crowds.size
  await seed(url, crowd, { count: each, work: (n) => crowdWorkOf(n, each) })
  await copy(sql, crowd.id, { first: others[0].id, each, total: others.length * each })
  await sql`
    insert into repositories (repo_id, owner, name, created_at, swept_at)
    select repo_id, 'acme', 'repository-' || repo_id, now(), now()
    from (select distinct repo_id from activities) as known
    on conflict do nothing`
  await sql`vacuum analyze`
  await sql`checkpoint`
  await sql.end()
  say(`  database filled after ${((performance.now() - started) / 1000).toFixed(1)} s`)
}

/** The measured commit, with `-dirty` when files differ from it. */
export async function commitOf(): Promise<string> {
  try {
    const run = promisify(execFile)
    const { stdout } = await run('git', ['describe', '--always', '--dirty', '--abbrev=10', '--exclude=*'])
    return stdout.trim()
  } catch {
    return 'unknown'
  }
}

function memo<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
