#!/usr/bin/env node
/** The server process: environment → configuration → service, until a signal stops it. */
import { parseArgs } from 'node:util'
import { type Config, ConfigError, type Flags, readConfig } from './server/platform/config.ts'
import { DirectoryError } from './server/platform/db/embedded.ts'
import { codeOf, faultOf } from './server/platform/db/errors.ts'
import { openLog, terminalLog } from './server/platform/telemetry/log.ts'
import { type Service, startService } from './server/server.ts'
import { VERSION } from './vocabulary/version.ts'

async function main(): Promise<void> {
  const config = readConfig(process.env, readFlags())
  const isTerminal = process.stdout.isTTY
  const log = openLog(
    config.log_level,
    isTerminal ? terminalLog(config.log_level, (text) => process.stdout.write(text)) : undefined,
  )
  let service: Service | undefined
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // Only the first signal counts; later ones must not interrupt the shutdown.
    process.on(signal, () => {
      if (isStopping) return
      isStopping = true
      log.info({ signal }, 'stopping')
      // Exiting during start is safe: each migration is one transaction.
      if (service === undefined) process.exit(0)
      void service.close().then(() => process.exit(0), fail)
    })
  }
  if (config.proxy) {
    const { host, url: httpsProxy, except: noProxy } = config.proxy
    const { EnvHttpProxyAgent, setGlobalDispatcher } = await import('undici')
    // An empty `httpProxy`, because the agent would read the environment otherwise.
    setGlobalDispatcher(new EnvHttpProxyAgent({ httpProxy: '', httpsProxy, noProxy }))
    log.info({ proxy: host }, 'requests to https:// addresses use a proxy')
  }
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

/** A part of the service, whether it is on, and what it does or which variables turn it on. */
type Part = readonly [name: string, isOn: boolean, text: string]

function describeParts(config: Config, { url, setup_url, app }: Service): Part[] {
  const { sign_in, github_app, watch } = app
  const signIn = setup_url
    ? 'the GitHub App enables sign-in'
    : 'set PUBLIC_URL, GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET to enable sign-in'
  const create = setup_url
    ? `create it at ${setup_url}`
    : 'set PUBLIC_URL to create it, or APP_ID, PRIVATE_KEY and WEBHOOK_SECRET'
  const page = sign_in
    ? `${sign_in.public_url}, with GitHub sign-in`
    : `${url}, with a GitHub token; ${signIn}`
  const database = config.database_url
    ? 'PostgreSQL (DATABASE_URL)'
    : `embedded in ${config.data_dir}, single process; set DATABASE_URL to use PostgreSQL and run several instances`
  const watched = watch
    ? `the pull requests of ${watch.repositories.map(fullName).join(', ')}, without writing`
    : 'no repository; set WATCH_REPOSITORIES and GITHUB_TOKEN to read pull requests without the App'
  const written = github_app ? 'configured' : `off, no comments on pull requests; ${create}`
  return [
    ['page', true, page],
    ['database', true, database],
    ['permissions', true, `checked at ${config.github_api_url} with the token of each caller`],
    ['watched', watch !== null, watched],
    ['GitHub App', github_app !== null, written],
  ]
}

/** Shows which parts are configured and which are off: on a terminal as a list with the next step, otherwise in the log. */
function announce(config: Config, service: Service): void {
  const { url, app } = service
  const parts = describeParts(config, service)
  if (!process.stdout.isTTY) {
    app.log.info(`Deconflict listens at ${url}/api/v1; API reference at ${url}/docs`)
    for (const [name, , text] of parts) app.log.info(`${name}: ${text}`)
    return
  }
  const lines = parts.map(([name, isOn, text]) => `  ${isOn ? '✓' : '–'} ${name.padEnd(12)} ${text}`)
  const start = `Deconflict ${VERSION} listens at ${url}; API reference at ${url}/docs`
  process.stdout.write(`\n${start}\n\n${lines.join('\n')}\n\n→ ${nextStep(config, service)}\n\n`)
}

function nextStep(config: Config, { url, setup_url, app, signInUrl }: Service): string {
  const [first] = config.watch?.repositories ?? []
  const path = first ? `/#/${fullName(first)}` : ''
  const sign_in_url = config.watch && signInUrl(config.watch.token, path)
  if (sign_in_url)
    return `Open ${sign_in_url}\n  It signs one browser in with GITHUB_TOKEN, within 15 minutes.`
  if (first || app.github_app) return `Open ${app.sign_in?.public_url ?? url}${path}`
  if (setup_url) return `Create the GitHub App: ${setup_url}`
  return 'To see the pull requests of a repository: start it with GITHUB_TOKEN=$(gh auth token) and --watch OWNER/REPO'
}

function fullName({ owner, name }: { owner: string; name: string }): string {
  return `${owner}/${name}`
}

/** Exits with a one-line message. The text of a database error is left out because it may contain the password. */
function fail(error: unknown, config?: Config): never {
  const isOwnError = error instanceof ConfigError || error instanceof DirectoryError
  const code = codeOf(error)
  const line = isOwnError
    ? error.message
    : code
      ? `${config ? startFailure(error, config) : 'failed'} (${[code, faultOf(error).hint].filter(Boolean).join(': ')})`
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
