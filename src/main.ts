/** The process: environment → configuration → service, until a signal ends it. */
import { type Config, ConfigError, readConfig } from './base/config.ts'
import { DirectoryInUseError } from './db/directory-lock.ts'
import { codeOf } from './db/errors.ts'
import { type Service, startService } from './server.ts'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const service = await startService(config).catch((error) => fail(error, config))
  announce(config, service)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      service.app.log.info({ signal }, 'stopping')
      void service.close().then(() => process.exit(0), fail)
    })
  }
}

/** What is on, what is off, and what to set: the first lines that an operator reads. */
function announce(config: Config, { url, app }: Service): void {
  const { log } = app
  log.info(`Deconflict answers at ${url}/api/v1`)
  log.info(
    config.database_url
      ? 'database: PostgreSQL, from DATABASE_URL'
      : `database: embedded, in ${config.data_dir}, for one process; set DATABASE_URL to use PostgreSQL, and to run several`,
  )
  log.info(`permissions: asked of ${config.github_api_url} with each caller's own token`)
  log.info(
    config.github_app
      ? 'GitHub App: configured'
      : 'GitHub App: off, so pull requests are not followed; set APP_ID, PRIVATE_KEY and WEBHOOK_SECRET to turn it on',
  )
}

/** Ends the process with one line. The text of a database error is not shown: it may hold the password. */
function fail(error: unknown, config?: Config): never {
  const isOurs = error instanceof ConfigError || error instanceof DirectoryInUseError
  const code = codeOf(error)
  const line = isOurs
    ? error.message
    : code
      ? `${config ? whatFailed(error, config) : 'failed'} (${code})`
      : String((error as Error)?.stack ?? error)
  process.stderr.write(`deconflict: ${line}\n`)
  process.exit(1)
}

/** What could not be done at start, with the variable to look at. */
function whatFailed(error: unknown, { host, port, database_url, data_dir }: Config): string {
  const { syscall, hostname } = error as NodeJS.ErrnoException & { hostname?: string }
  if (syscall === 'listen' || hostname === host) return `cannot listen at HOST ${host}, PORT ${port}`
  return database_url ? 'cannot open the database at DATABASE_URL' : `cannot open DATA_DIR ${data_dir}`
}

main().catch((error) => fail(error))
