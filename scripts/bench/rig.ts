/** The resources of a run, each started on first use: PostgreSQL with its data, the fake GitHub, the service. */
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { PLANNED_ONCE, PLANNING } from '../../src/server/platform/db/distribute.ts'
import { type Deployment, startDeployment } from '../../test/support/deployment.ts'
import { databaseUrl, startCluster } from '../../test/support/postgres.ts'
import type { ServiceProcess } from '../../test/support/process.ts'
import { temporaryDirectory } from '../../test/support/temporary-directory.ts'
import { interleaved, type Results } from './measure.ts'
import type { Options } from './options.ts'
import { type SeedRepository, seed } from './seed.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The configuration of a small server; the service's planner settings apply to pgbench too. Commits are durable. */
const SETTINGS = {
  shared_buffers: '512MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  plan_cache_mode: PLANNED_ONCE,
  ...PLANNING,
}

/** The activities before more are created. */
const FILLED = [
  ['created', 1000],
  ['baseline', 1000],
] as const
const FIXED = ['created', 'baseline', 'commented', 'plain'] as const

export interface Rig extends Options {
  results: Results
  say(line: string): void
  /** A directory that is removed after the run. */
  scratch: string
  /** The repositories: `live-100` and so on, with as many live activities, and those of `FIXED`. */
  repository(name: string): SeedRepository
  deployment: Deployment
  /** Creates an empty database, without a schema. */
  emptyDatabase(): Promise<string>
  /** The URL of the database with the activities of all repositories. */
  database(): Promise<string>
  /** The service on that database, without the App. */
  service(): Promise<ServiceProcess>
  /** Another one. `has_app`: as the GitHub App. */
  startService(
    DATABASE_URL: string,
    options?: { has_app?: boolean; env?: Record<string, string> },
  ): Promise<ServiceProcess>
  /** Runs the variants interleaved, and adds each figure as `ID.VARIANT.FIGURE`. */
  compare(id: string, variants: Record<string, Variant>): Promise<void>
  close(): Promise<void>
}

interface Variant {
  label: string
  run(round: number): Promise<Partial<Record<keyof typeof FIGURES, number>>>
}

const FIGURES = {
  rate: { label: 'throughput', unit: 'requests/s' },
  p50: { label: 'p50', unit: 'ms' },
  p99: { label: 'p99', unit: 'ms' },
  cpu: { label: 'processor time per request', unit: 'µs' },
}

export async function openRig(options: Options, results: Results, say: (line: string) => void): Promise<Rig> {
  const { live, rounds } = options.sizes
  const directory = await temporaryDirectory('bench')
  const names = [...FIXED, ...live.map((size) => `live-${size}`)]
  const deployment = await startDeployment(names.map((name) => `acme/${name}`))
  const repository = (name: string) => ({ id: names.indexOf(name) + 1, owner: 'acme', name })
  const closing = [() => directory.remove(), () => deployment.close()]

  const cluster = memo(async () => {
    const started = await startCluster({ durable: true, settings: SETTINGS })
    closing.unshift(() => started.remove())
    return started
  })
  let databases = 0
  const emptyDatabase = async () => {
    const { url } = await cluster()
    const name = `bench_${++databases}`
    const admin = postgres(url, { max: 1 })
    await admin.unsafe(`create database ${name}`)
    await admin.end()
    return databaseUrl(url, name)
  }
  const startService: Rig['startService'] = async (DATABASE_URL, { has_app = false, env = {} } = {}) => {
    const app = has_app ? {} : { APP_ID: undefined, PRIVATE_KEY: undefined, WEBHOOK_SECRET: undefined }
    const given = { NODE_ENV: 'production', DATABASE_URL, ...app, ...env }
    const [service] = await deployment.start(1, given)
    return service as ServiceProcess
  }
  const database = memo(async () => {
    const url = await emptyDatabase()
    const service = await startService(url)
    const sizes = live.map((size) => [`live-${size}`, size] as const)
    for (const [name, count] of [...sizes, ...FILLED]) await seed(service, repository(name), count)
    await service.kill('SIGTERM')
    const admin = postgres(url, { max: 1 })
    await admin`vacuum analyze`
    await admin`checkpoint`
    await admin.end()
    return url
  })
  return {
    ...options,
    results,
    say,
    scratch: directory.path,
    repository,
    deployment,
    emptyDatabase,
    database,
    service: memo(async () => startService(await database())),
    startService,
    async compare(id, variants) {
      const runs = Object.entries(variants).map(([name, { run }]) => [name, run] as const)
      const all = await interleaved(rounds, Object.fromEntries(runs))
      for (const [name, rows] of Object.entries(all))
        for (const figure of Object.keys(rows[0] ?? {}) as (keyof typeof FIGURES)[]) {
          const { label, unit } = FIGURES[figure]
          const values = rows.map((row) => row[figure] ?? Number.NaN)
          results.add(`${id}.${name}.${figure}`, `${variants[name]?.label}, ${label}`, unit, values)
        }
    },
    async close() {
      for (const close of closing.toReversed()) await close()
    },
  }
}

function memo<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
