/** The server process: environment → configuration → service, until a signal stops it. */
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, type Flags, readConfig } from './base/config.ts'
import { DirectoryError } from './db/directory-lock.ts'
import { codeOf } from './db/errors.ts'
import { type Service, startService } from './server.ts'
import { openLog } from './telemetry/log.ts'
import { startTracing } from './telemetry/trace.ts'

async function main(): Promise<void> {
  const config = readConfig(process.env, readFlags())
  const log = openLog(config.log_level)
  let service: Service | undefined
  let isStopping = false
  let stopTracing: (() => Promise<void>) | null = null
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // Only the first signal counts; later ones must not interrupt the shutdown.
    process.on(signal, () => {
      if (isStopping) return
      isStopping = true
      log.info({ signal }, 'stopping')
      // Exiting during start is safe: each migration is one transaction.
      if (service === undefined) process.exit(0)
      void stop(service, stopTracing).then(() => process.exit(0), fail)
    })
  }
  stopTracing = config.tracing && (await startTracing({ ...config.tracing, log }))
  service = await startService(config, { log }).catch((error) => fail(error, config))
  announce(config, service)
}

function readFlags(): Flags {
  try {
    return parseArgs({ options: { watch: { type: 'string' } } }).values
  } catch (error) {
    throw new ConfigError(
      `${(error as Error).message.split('\n')[0]}; the only flag is --watch OWNER/REPO[,…]`,
    )
  }
}

/** Timeout of the last span export. Platforms kill a process ten seconds after SIGTERM. */
const FLUSH_MS = 1000

async function stop(service: Service, stopTracing: (() => Promise<void>) | null): Promise<void> {
  await service.close()
  // The SDK logs an unavailable collector; shutdown does not wait for it.
  await Promise.race([stopTracing?.().catch(() => {}), wait(FLUSH_MS)])
}

/** Logs what is configured, what is off, and which variables turn it on. */
function announce(config: Config, { url, setup_url, app }: Service): void {
  const { log } = app
  log.info(`Deconflict listens at ${url}/api/v1; API reference at ${url}/docs`)
  log.info(
    app.sign_in
      ? `page: ${app.sign_in.public_url}, with GitHub sign-in`
      : `page: ${url}, with a GitHub token; set PUBLIC_URL, GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET to enable sign-in`,
  )
  log.info(
    config.database_url
      ? 'database: PostgreSQL (DATABASE_URL)'
      : `database: embedded in ${config.data_dir}, single process; set DATABASE_URL to use PostgreSQL and run several instances`,
  )
  log.info(`permissions: checked at ${config.github_api_url} with the token of each caller`)
  log.info(
    app.github_app
      ? 'GitHub App: configured'
      : setup_url
        ? `GitHub App: off, no comments on pull requests; create it at ${setup_url}`
        : 'GitHub App: off, no comments on pull requests; set PUBLIC_URL to create it, or APP_ID, PRIVATE_KEY and WEBHOOK_SECRET',
  )
  log.info(
    config.watch
      ? `watched: the pull requests of ${config.watch.repositories.map(({ owner, name }) => `${owner}/${name}`).join(', ')}`
      : 'watched: no repository; set WATCH_REPOSITORIES and GITHUB_TOKEN to read pull requests without the App',
  )
  log.info(
    config.tracing
      ? 'traces: exported to OTEL_EXPORTER_OTLP_ENDPOINT'
      : 'traces: off; set OTEL_EXPORTER_OTLP_ENDPOINT to export them',
  )
}

/** Exits with a one-line message. The text of a database error is left out because it may contain the password. */
function fail(error: unknown, config?: Config): never {
  const isOwnError = error instanceof ConfigError || error instanceof DirectoryError
  const code = codeOf(error)
  const line = isOwnError
    ? error.message
    : code
      ? `${config ? startFailure(error, config) : 'failed'} (${code})`
      : String((error as Error)?.stack ?? error)
  process.stderr.write(`deconflict: ${line}\n`)
  process.exit(1)
}

/** Describes a failed start and names the variable to check. */
function startFailure(error: unknown, config: Config): string {
  const { host, port, database_url, database_direct_url, data_dir } = config
  const { syscall, hostname } = error as NodeJS.ErrnoException & { hostname?: string }
  if (syscall === 'listen' || hostname === host) return `cannot listen on HOST ${host}, PORT ${port}`
  if (database_direct_url) return 'cannot open the database at DATABASE_DIRECT_URL or DATABASE_URL'
  return database_url ? 'cannot open the database at DATABASE_URL' : `cannot open DATA_DIR ${data_dir}`
}

main().catch((error) => fail(error))
