/** The process: environment → configuration → service, until a signal ends it. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Config, ConfigError, readConfig } from './base/config.ts'
import { DirectoryError } from './db/directory-lock.ts'
import { codeOf } from './db/errors.ts'
import { type Service, startService } from './server.ts'
import { openLog } from './telemetry/log.ts'
import { startTracing } from './telemetry/trace.ts'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = openLog(config.log_level)
  let service: Service | undefined
  let isStopping = false
  let stopTracing: (() => Promise<void>) | null = null
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // Of several signals the first counts: the later ones are not to break off what it lets end.
    process.on(signal, () => {
      if (isStopping) return
      isStopping = true
      log.info({ signal }, 'stopping')
      // A start leaves nothing half done: a migration is one transaction.
      if (service === undefined) process.exit(0)
      void stop(service, stopTracing).then(() => process.exit(0), fail)
    })
  }
  stopTracing = config.tracing && (await startTracing({ ...config.tracing, log }))
  service = await startService(config, { log }).catch((error) => fail(error, config))
  announce(config, service)
}

/** How long the last spans may take to be sent: platforms kill what has not ended after ten seconds. */
const FLUSH_MS = 1000

async function stop(service: Service, stopTracing: (() => Promise<void>) | null): Promise<void> {
  await service.close()
  // A collector that is away is told of by the SDK, and holds nobody up.
  await Promise.race([stopTracing?.().catch(() => {}), wait(FLUSH_MS)])
}

/** What is on, what is off, and what to set: the first lines that an operator reads. */
function announce(config: Config, { url, app }: Service): void {
  const { log } = app
  log.info(`Deconflict answers at ${url}/api/v1; its description is at ${url}/docs`)
  log.info(
    config.sign_in
      ? `page: at ${config.sign_in.public_url}, where people sign in with GitHub`
      : `page: at ${url}, which asks for a GitHub token; set PUBLIC_URL, GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET to let people sign in`,
  )
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
  log.info(
    config.tracing
      ? 'traces: sent to OTEL_EXPORTER_OTLP_ENDPOINT'
      : 'traces: off; set OTEL_EXPORTER_OTLP_ENDPOINT to send them',
  )
}

/** Ends the process with one line. The text of a database error is not shown: it may hold the password. */
function fail(error: unknown, config?: Config): never {
  const isOurs = error instanceof ConfigError || error instanceof DirectoryError
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
function whatFailed(error: unknown, config: Config): string {
  const { host, port, database_url, database_direct_url, data_dir } = config
  const { syscall, hostname } = error as NodeJS.ErrnoException & { hostname?: string }
  if (syscall === 'listen' || hostname === host) return `cannot listen at HOST ${host}, PORT ${port}`
  if (database_direct_url) return 'cannot open the database at DATABASE_DIRECT_URL or DATABASE_URL'
  return database_url ? 'cannot open the database at DATABASE_URL' : `cannot open DATA_DIR ${data_dir}`
}

main().catch((error) => fail(error))
