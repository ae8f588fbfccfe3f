/** PgBouncer in transaction mode in front of a PostgreSQL of the tests, where it is installed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { freePort, postgresAccount } from './postgres.ts'
import { untilWritten } from './process.ts'
import { temporaryDirectory } from './temporary-directory.ts'

export type Pooler = Awaited<ReturnType<typeof startPooler>>

/** The line of docs/operations.md. */
export const IGNORED_PARAMETERS =
  'ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout, plan_cache_mode, enable_seqscan, jit'

/** The path of the program; undefined if it is not installed. */
export function poolerBinary(): string | undefined {
  const places = ['/usr/sbin', ...(process.env.PATH ?? '').split(delimiter)]
  return places.map((place) => join(place, 'pgbouncer')).find((file) => existsSync(file))
}

/** Starts it in front of the server at `url`; `lines` are added to its settings. It has fewer server connections than clients, so that they are shared. */
export async function startPooler(binary: string, url: string, lines: string[]) {
  const directory = await temporaryDirectory('pooler')
  const port = await freePort()
  const { hostname, port: server, username, password } = new URL(url)
  const login = `user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`
  const file = join(directory.path, 'pgbouncer.ini')
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${server || 5432} ${login}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 3',
    ...lines,
  ]
  await writeFile(file, `${settings.join('\n')}\n`)
  await chmod(directory.path, 0o755)
  const account = await postgresAccount()
  const child = spawn(binary, [file], { ...account, stdio: ['ignore', 'ignore', 'pipe'] })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  await untilWritten(child, /process up/)
  return {
    /** The URL of a database through the pooler, given its direct URL. */
    urlOf(database_url: string) {
      const behind = new URL(database_url)
      behind.port = String(port)
      return behind.href
    },
    async remove() {
      process.removeListener('exit', kill)
      const exit = once(child, 'exit')
      kill()
      await exit
      await directory.remove()
    },
  }
}
