/** Starts Citus clusters for tests: a coordinator and workers, each a PostgreSQL server on this machine. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runOn } from './database.ts'
import { type Cluster, connectRaw, databaseUrl, debianBinaries, startCluster } from './postgres.ts'

const SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_connections: '500',
  max_prepared_transactions: '500',
  max_worker_processes: '100',
  max_replication_slots: '50',
  max_wal_senders: '50',
  'citus.node_conninfo': 'sslmode=prefer',
  // Tests break tables with triggers.
  'citus.enable_unsafe_triggers': 'on',
}

/** Whether the PostgreSQL that tests start has the extension. */
export async function hasCitus(): Promise<boolean> {
  const bin = debianBinaries()
  if (bin === undefined || !existsSync(join(bin, 'pg_config'))) return false
  const { stdout } = await promisify(execFile)(join(bin, 'pg_config'), ['--sharedir'])
  return existsSync(join(stdout.trim(), 'extension', 'citus.control'))
}

export type CitusCluster = Awaited<ReturnType<typeof startCitus>>

export async function startCitus(options: { workers: number; settings?: Record<string, string> }) {
  const password = randomBytes(12).toString('hex')
  const start = () => startCluster({ password, settings: { ...SETTINGS, ...options.settings } })
  const nodes: Cluster[] = []
  const remove = async () => void (await Promise.all(nodes.map((node) => node.remove())))
  /** The URL of each node as a superuser, the coordinator first. */
  const urls = () => nodes.map(({ url }) => url)
  try {
    for (let node = 0; node <= options.workers; node += 1) nodes.push(await start())
  } catch (error) {
    await remove()
    throw error
  }
  const createOn = async (url: string, name: string) => {
    await runOn(url, `create database ${name}`)
    await runOn(databaseUrl(url, name), 'create extension citus')
  }
  const coordinator = (name: string) => databaseUrl(urls()[0] as string, name)
  const addNode = (url: string, name: string) =>
    runOn(coordinator(name), `select citus_add_node('127.0.0.1', ${new URL(url).port})`)
  return {
    urls,
    remove,
    /** Creates a database on every node and registers the workers with the coordinator. Returns its URL on the coordinator. */
    async createDatabase(name: string) {
      const [first, ...workers] = urls() as [string, ...string[]]
      for (const url of urls()) await createOn(url, name)
      const { port } = new URL(first)
      await runOn(coordinator(name), `select citus_set_coordinator_host('127.0.0.1', ${port})`)
      for (const url of workers) await addNode(url, name)
      return coordinator(name)
    },
    /** Makes it a template: nothing can connect to it. */
    async closeDatabase(name: string) {
      for (const url of urls()) {
        const sql = connectRaw(url)
        await sql.unsafe(`alter database ${name} with allow_connections false`)
        // Citus also runs a daemon in each of its databases.
        for (let left = 1; left > 0; )
          left = (
            await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`
          ).count
        await sql.end()
      }
    },
    /** Starts another worker and adds it to the database without shards. Returns its port. */
    async addWorker(name: string) {
      const node = await start()
      nodes.push(node)
      await createOn(node.url, name)
      await addNode(node.url, name)
      return new URL(node.url).port
    },
    /** The coordinator and the workers, in the order of `urls`. */
    nodes: () => nodes,
  }
}
