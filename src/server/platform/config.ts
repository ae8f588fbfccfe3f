/** The configuration, read once from the environment. */
import { z } from 'zod'
import { parseFullName } from '../../vocabulary/names.ts'
import { type HttpsProxy, readProxy } from '../../vocabulary/network.ts'
import {
  count,
  postgresAddress,
  privateKey,
  privateKeyFile,
  proxies,
  receiverAddress,
  restRoot,
  secretsKey,
  webAddress,
} from './config-values.ts'

/** The variables that become a field of the configuration as they are, under their name in lower case. */
const Plain = z.object({
  PORT: count(0, 65_535).default(3000),
  HOST: z.string().default('0.0.0.0'),
  /** May name several hosts, one of which accepts writes. Unset: the embedded database in `data_dir`. */
  DATABASE_URL: postgresAddress.optional(),
  /** The same database without its connection pooler, for features that need a session. Unset: `database_url`. */
  DATABASE_DIRECT_URL: postgresAddress.optional(),
  DATA_DIR: z.string().default('./data'),
  GITHUB_API_URL: restRoot.default('https://api.github.com'),
  /** A smee channel whose webhooks are forwarded to this service, which GitHub cannot reach itself. */
  WEBHOOK_PROXY_URL: webAddress.nullable().default(null),
  /** Encrypts the credentials that `/setup` stores in PostgreSQL. */
  SECRETS_KEY: secretsKey.nullable().default(null),
  RATE_LIMIT_PER_MINUTE: count(1, 1_000_000_000).default(600),
  PERMISSION_TTL_MS: count(0, 300_000).default(60_000),
  RETENTION_DAYS: count(1, 36_500).default(30),
  /** Limit of live activities per repository. The limit of active notables is a tenth of it. */
  MAX_LIVE_ACTIVITIES: count(1, 10_000_000).default(100_000),
  /** Proxies whose `X-Forwarded-For` is trusted, as a number or as addresses. Unset: none. */
  TRUST_PROXY: proxies.optional(),
  /** The public address of the service, for links to the page. */
  PUBLIC_URL: webAddress.nullable().default(null),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info'),
  /** `stdout` or a file; null: no audit log. */
  AUDIT_LOG: z.string().nullable().default(null),
})

/** The variables that mean something only together, or have another form in the configuration. */
const Combined = z.object({
  GITHUB_WEB_URL: webAddress.optional(),
  APP_ID: count(1, Number.MAX_SAFE_INTEGER).optional(),
  PRIVATE_KEY: privateKey.optional(),
  PRIVATE_KEY_PATH: privateKeyFile.optional(),
  WEBHOOK_SECRET: z.string().optional(),
  NOTIFY_WEBHOOK_URL: receiverAddress.optional(),
  NOTIFY_WEBHOOK_SECRET: z.string().optional(),
  WATCH_REPOSITORIES: z.string().optional(),
  GITHUB_TOKEN: z.string().optional(),
  GITHUB_CLIENT_ID: z.string().optional(),
  GITHUB_CLIENT_SECRET: z.string().optional(),
})

const Environment = z.object({ ...Plain.shape, ...Combined.shape })

/** How the service authenticates as the GitHub App, and verifies its webhooks. */
export interface AppCredentials {
  id: number
  private_key: string
  webhook_secret: string
}

/** The OAuth client of the GitHub App, with which people sign in to the page. */
export interface OAuthClient {
  public_url: string
  client_id: string
  client_secret: string
}

type LowerCase<Fields> = { [Name in keyof Fields as Lowercase<Name & string>]: Fields[Name] }

export interface Config extends LowerCase<z.output<typeof Plain>> {
  github_web_url: string
  /** Null: `/setup` can create the App. Until then the REST API works and webhooks answer 503. */
  github_app: AppCredentials | null
  /** Where new conflicts, duplicates and high notables are posted, and the key that signs them. Null: nowhere. */
  notify: { url: string; secret: string | null } | null
  /** Repositories whose pull requests are read by polling with this token. Null: none. */
  watch: { token: string; repositories: { owner: string; name: string }[] } | null
  /** For `https://` addresses. Null: requests go out directly. */
  proxy: HttpsProxy | null
  /** Null: people enter a token, unless `/setup` created the App. */
  sign_in: OAuthClient | null
}

/** The message is one line that names the variable and the problem. It never contains the value, which may be a secret. */
export class ConfigError extends Error {}

/** The options of the command line. `watch`: the value of `--watch`, such as `acme/shop,acme/web`. */
export interface Flags {
  watch?: string | undefined
}

/**
 * Reads the environment. An empty variable counts as unset. `--watch` is meant for one person: unless `HOST` is set, the
 * service then listens on this machine only. Throws `ConfigError`.
 */
export function readConfig(env: Record<string, string | undefined>, flags: Flags = {}): Config {
  const set = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = Environment.safeParse(set)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new ConfigError(`${issue?.path.join('.')} ${issue?.message}`)
  }
  const values = parsed.data
  const isForOnePerson = flags.watch !== undefined && set.HOST === undefined
  if (values.DATABASE_DIRECT_URL && !values.DATABASE_URL)
    throw new ConfigError('DATABASE_DIRECT_URL is set without DATABASE_URL; set DATABASE_URL too')
  return {
    ...lowerCase(Plain.parse(set)),
    ...(isForOnePerson && { host: '127.0.0.1' }),
    github_web_url: values.GITHUB_WEB_URL ?? webUrlOf(values.GITHUB_API_URL),
    github_app: githubAppOf(values),
    watch: watchOf(values, flags),
    notify: notifyOf(values),
    proxy: proxyOf(set),
    sign_in: signInOf(values),
  }
}

function lowerCase<Fields extends object>(fields: Fields): LowerCase<Fields> {
  const entries = Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value])
  return Object.fromEntries(entries) as LowerCase<Fields>
}

/** Reads both spellings of the variables, unlike the schema. */
function proxyOf(env: Record<string, string | undefined>): Config['proxy'] {
  try {
    return readProxy(env)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

type Values = z.output<typeof Environment>

/** Each watched repository is polled every minute, and a token has 5,000 requests an hour. */
const WATCHED_MAX = 20

function watchOf({ WATCH_REPOSITORIES, GITHUB_TOKEN }: Values, flags: Flags): Config['watch'] {
  const source = flags.watch === undefined ? 'WATCH_REPOSITORIES' : '--watch'
  const names = (flags.watch ?? WATCH_REPOSITORIES)?.split(',').map((name) => name.trim())
  if (names === undefined) return null
  const repositories = names.map((name, index) => {
    const repository = parseFullName(name)
    if (repository) return repository
    throw new ConfigError(
      `${source} must be OWNER/REPO, or several separated by commas; entry ${index + 1} is not OWNER/REPO`,
    )
  })
  if (repositories.length > WATCHED_MAX)
    throw new ConfigError(`${source} must name at most ${WATCHED_MAX} repositories`)
  if (GITHUB_TOKEN === undefined)
    throw new ConfigError(
      `GITHUB_TOKEN is not set; ${source} reads pull requests with it: GITHUB_TOKEN=$(gh auth token)`,
    )
  if (!/^[\x21-\x7e]{1,2000}$/.test(GITHUB_TOKEN))
    throw new ConfigError('GITHUB_TOKEN must be a GitHub token, without spaces or line breaks')
  const distinct = new Map(repositories.map((each) => [`${each.owner}/${each.name}`.toLowerCase(), each]))
  return { token: GITHUB_TOKEN, repositories: [...distinct.values()] }
}

/** The variables, or null if none of them is set. Throws when only some are. */
function allOf<Name extends keyof Values>(values: Values, names: Name[]) {
  const missing = names.find((name) => values[name] == null)
  if (names.every((name) => values[name] == null)) return null
  if (missing) throw new ConfigError(`${missing} is not set; set all of ${names.join(', ')}, or none of them`)
  return values as Values & { [Each in Name]: NonNullable<Values[Each]> }
}

function signInOf(values: Values): Config['sign_in'] {
  // PUBLIC_URL can be set alone: links to the page use it.
  if (values.GITHUB_CLIENT_ID === undefined && values.GITHUB_CLIENT_SECRET === undefined) return null
  const client = allOf(values, ['PUBLIC_URL', 'GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'])
  return (
    client && {
      public_url: client.PUBLIC_URL,
      client_id: client.GITHUB_CLIENT_ID,
      client_secret: client.GITHUB_CLIENT_SECRET,
    }
  )
}

function githubAppOf(values: Values): Config['github_app'] {
  const { PRIVATE_KEY_PATH, PRIVATE_KEY = PRIVATE_KEY_PATH } = values
  if (PRIVATE_KEY_PATH !== undefined && values.PRIVATE_KEY !== undefined)
    throw new ConfigError('PRIVATE_KEY and PRIVATE_KEY_PATH are both set; set one of them')
  const app = allOf({ ...values, PRIVATE_KEY }, ['APP_ID', 'PRIVATE_KEY', 'WEBHOOK_SECRET'])
  return app && { id: app.APP_ID, private_key: app.PRIVATE_KEY, webhook_secret: app.WEBHOOK_SECRET }
}

function notifyOf({ NOTIFY_WEBHOOK_URL: url, NOTIFY_WEBHOOK_SECRET: secret }: Values): Config['notify'] {
  if (url !== undefined) return { url, secret: secret ?? null }
  if (secret === undefined) return null
  throw new ConfigError('NOTIFY_WEBHOOK_SECRET is set without NOTIFY_WEBHOOK_URL; set NOTIFY_WEBHOOK_URL too')
}

/** `https://api.github.com` → `https://github.com`, likewise with data residency. GitHub Enterprise Server serves both from one host. */
function webUrlOf(apiUrl: string): string {
  const url = new URL(apiUrl)
  return url.pathname === '/' ? `${url.protocol}//${url.host.replace(/^api\./, '')}` : url.origin
}
