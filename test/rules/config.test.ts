/** Configuration from the environment: each variable, its default, its bounds and its error message. */
import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Config, ConfigError, readConfig } from '../../src/server/platform/config.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string

function repository(full_name: string) {
  const [owner, name] = full_name.split('/')
  return { owner, name }
}

/** The error message for an environment. */
function refusal(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('was accepted')
}

test.each([
  [{ HTTPS_PROXY: 'http://proxy.example:3128' }, 'http://proxy.example:3128', 'proxy.example:3128', ''],
  [{ https_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:2' }, 'http://a:1', 'a:1', ''],
  [{ HTTPS_PROXY: 'proxy.example:3128' }, 'http://proxy.example:3128', 'proxy.example:3128', ''],
  [{ HTTPS_PROXY: 'http://ada:pw@p:3', NO_PROXY: '.corp' }, 'http://ada:pw@p:3', 'p:3', '.corp'],
  [
    { HTTPS_PROXY: 'https://[::1]:8443', no_proxy: 'a', NO_PROXY: 'b' },
    'https://[::1]:8443',
    '[::1]:8443',
    'a',
  ],
])('%j is the proxy for https:// addresses', (env, url, host, except) => {
  expect(readConfig(env).proxy).toEqual({ url, host, except })
})

test.each<Record<string, string>>([{ HTTP_PROXY: 'http://proxy:1' }, { NO_PROXY: '*' }, { HTTPS_PROXY: '' }])(
  '%j is no proxy',
  (env) => {
    expect(readConfig(env).proxy).toBeNull()
  },
)

test.each([
  ['HTTPS_PROXY', 'socks5://ada:secret@proxy:1'],
  ['https_proxy', 'http://ada:secret@'],
])('%s that is no HTTP proxy is refused without its value', (name, value) => {
  expect(refusal({ [name]: value })).toBe(`${name} must be the http:// or https:// URL of a proxy`)
})

/** The variables of each field, its value with them, and its default. */
type Field = [env: Record<string, string>, field: keyof Config, value: unknown, by_default: unknown]
/** The field of a variable, which has its value as it is, or as a number. */
const asIs = (name: string, value: string | number, by_default: unknown): Field => [
  { [name]: String(value) },
  name.toLowerCase() as keyof Config,
  value,
  by_default,
]

const FIELDS: Field[] = [
  asIs('PORT', 8080, 3000),
  asIs('HOST', '::1', '0.0.0.0'),
  asIs('DATABASE_URL', 'postgres://ada:secret@db:5432/x?ssl', undefined),
  asIs('DATABASE_DIRECT_URL', 'postgres://db:5433/x', undefined),
  asIs('DATA_DIR', '/var/lib/deconflict', './data'),
  asIs('GITHUB_API_URL', 'https://ghe.example/api/v3', 'https://api.github.com'),
  asIs('GITHUB_WEB_URL', 'https://code.example', 'https://github.com'),
  [
    { APP_ID: '12', PRIVATE_KEY: KEY.replaceAll('\n', '\\n'), WEBHOOK_SECRET: 'hush' },
    'github_app',
    { id: 12, private_key: KEY, webhook_secret: 'hush' },
    null,
  ],
  asIs('WEBHOOK_PROXY_URL', 'https://smee.io/abc', null),
  [
    { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: '.internal' },
    'proxy',
    { url: 'http://proxy.example:3128', host: 'proxy.example:3128', except: '.internal' },
    null,
  ],
  [{ SECRETS_KEY: `${'BwcH'.repeat(10)}Bwc=` }, 'secrets_key', new Uint8Array(32).fill(7), null],
  [
    { NOTIFY_WEBHOOK_URL: 'https://hooks.example/T1/B2/', NOTIFY_WEBHOOK_SECRET: 'hush' },
    'notify',
    { url: 'https://hooks.example/T1/B2/', secret: 'hush' },
    null,
  ],
  asIs('RATE_LIMIT_PER_MINUTE', 60, 600),
  asIs('MAX_LIVE_ACTIVITIES', 5000, 100_000),
  asIs('PERMISSION_TTL_MS', 0, 60_000),
  asIs('RETENTION_DAYS', 7, 30),
  asIs('TRUST_PROXY', 2, undefined),
  [{ PUBLIC_URL: 'https://deconflict.example/' }, 'public_url', 'https://deconflict.example', null],
  [
    { GITHUB_CLIENT_ID: 'Iv1.abc', GITHUB_CLIENT_SECRET: 'hush' },
    'sign_in',
    { public_url: 'https://deconflict.example', client_id: 'Iv1.abc', client_secret: 'hush' },
    null,
  ],
  asIs('LOG_LEVEL', 'debug', 'info'),
  asIs('AUDIT_LOG', '/var/log/deconflict/audit.jsonl', null),
  [
    { WATCH_REPOSITORIES: 'acme/shop, acme/web.app,ACME/Shop', GITHUB_TOKEN: 'ghp_1' },
    'watch',
    { token: 'ghp_1', repositories: ['ACME/Shop', 'acme/web.app'].map(repository) },
    null,
  ],
]

test('every variable is read', () => {
  const all = Object.assign({}, ...FIELDS.map(([env]) => env))
  expect(readConfig(all)).toEqual(Object.fromEntries(FIELDS.map(([, field, value]) => [field, value])))
})

test('an empty environment gives the defaults', () => {
  expect(readConfig({})).toEqual(
    Object.fromEntries(FIELDS.map(([, field, , by_default]) => [field, by_default])),
  )
})

test('an empty variable counts as unset', () => {
  const empty = Object.fromEntries(FIELDS.flatMap(([env]) => Object.keys(env).map((name) => [name, ''])))
  expect(readConfig({ ...empty, PATH: '/bin', PORTS: 'x' })).toEqual(readConfig({}))
})

test.each([
  [{ GITHUB_API_URL: 'https://api.github.com/' }, 'https://api.github.com', 'https://github.com'],
  [{ GITHUB_API_URL: 'https://api.acme.ghe.com' }, 'https://api.acme.ghe.com', 'https://acme.ghe.com'],
  [{ GITHUB_API_URL: 'https://ghe.example/api/v3/' }, 'https://ghe.example/api/v3', 'https://ghe.example'],
  [{ GITHUB_API_URL: 'http://[::1]:4010/api/v3' }, 'http://[::1]:4010/api/v3', 'http://[::1]:4010'],
  [{ GITHUB_API_URL: 'http://a:1', GITHUB_WEB_URL: 'http://b:2//' }, 'http://a:1', 'http://b:2'],
])('the URLs of GitHub with %j', (env, github_api_url, github_web_url) => {
  expect(readConfig(env)).toMatchObject({ github_api_url, github_web_url })
})

describe('an invalid value gives one line that names the variable:', () => {
  const NO_HTTP_URL = 'must be an http:// or https:// URL'
  const NO_API_URL = 'must be https://api.github.com, https://api.SUBDOMAIN.ghe.com or https://HOST/api/v3'
  const NO_HTTPS_URL = 'must be an https:// URL, or http:// on this machine'
  const WITH_PASSWORD = 'must not contain a user or password; put a secret into the path or the query'
  // Threat: Server-side request forgery, or a secret sent in the clear, through `NOTIFY_WEBHOOK_URL`
  // Threat: Server-side request forgery through `GITHUB_API_URL`
  test.each([
    ['PORT', '65536', 'must be at most 65535'],
    ['PORT', '-1', 'must be at least 0'],
    ['PORT', '80.5', 'must be a whole number'],
    ['PORT', 'http', 'must be a number'],
    ['DATABASE_URL', 'mysql://db/x', 'must be a postgres:// URL'],
    ['DATABASE_DIRECT_URL', 'postgres://db/x', 'is set without DATABASE_URL; set DATABASE_URL too'],
    ['GITHUB_API_URL', 'api.github.com', NO_HTTP_URL],
    ['GITHUB_API_URL', 'ftp://api.github.com', NO_HTTP_URL],
    ['GITHUB_API_URL', 'https://github.com', NO_API_URL],
    ['GITHUB_API_URL', 'https://ghe.example', NO_API_URL],
    ['GITHUB_API_URL', 'https://ghe.example/api', NO_API_URL],
    ['GITHUB_API_URL', 'https://acme.ghe.com/api/v3', NO_API_URL],
    ['GITHUB_WEB_URL', 'ftp://github.com', NO_HTTP_URL],
    ['GITHUB_WEB_URL', 'github', NO_HTTP_URL],
    ['RATE_LIMIT_PER_MINUTE', '0', 'must be at least 1'],
    ['MAX_LIVE_ACTIVITIES', '0', 'must be at least 1'],
    ['PERMISSION_TTL_MS', '-1', 'must be at least 0'],
    ['PERMISSION_TTL_MS', '300001', 'must be at most 300000'],
    ['RETENTION_DAYS', '0', 'must be at least 1'],
    ['RETENTION_DAYS', '1.5', 'must be a whole number'],
    ['RETENTION_DAYS', 'thirty', 'must be a number'],
    ['NOTIFY_WEBHOOK_URL', 'hooks.example', NO_HTTPS_URL],
    ['NOTIFY_WEBHOOK_URL', 'http://hooks.example/a', NO_HTTPS_URL],
    ['NOTIFY_WEBHOOK_URL', 'ftp://localhost', NO_HTTPS_URL],
    ['NOTIFY_WEBHOOK_URL', 'http://127.0.0.1.example/', NO_HTTPS_URL],
    ['NOTIFY_WEBHOOK_URL', 'https://ada:hush@hooks.example/a', WITH_PASSWORD],
    ['NOTIFY_WEBHOOK_URL', 'https://hush@hooks.example/a', WITH_PASSWORD],
    ['NOTIFY_WEBHOOK_SECRET', 'hush', 'is set without NOTIFY_WEBHOOK_URL; set NOTIFY_WEBHOOK_URL too'],
    ['WEBHOOK_PROXY_URL', 'smee.io/abc', NO_HTTP_URL],
    ['SECRETS_KEY', 'BwcH', 'must be 32 bytes in base64; create one with: openssl rand -base64 32'],
    ['LOG_LEVEL', 'verbose', 'must be fatal, error, warn, info, debug, trace or silent'],
  ])('%s=%s', (name, value, problem) => {
    expect(refusal({ [name]: value })).toBe(`${name} ${problem}`)
  })

  test.each('true 0 11 1.5 0.0.0.0/0 ::/0 10.0.0.0/33 10.0.0.0/8/8 proxy.example loopback,'.split(' '))(
    'TRUST_PROXY=%s',
    (value) => {
      expect(refusal({ TRUST_PROXY: value })).toMatch(
        /^TRUST_PROXY must be a number of proxies from 1 to 10, or/,
      )
    },
  )

  test.each(['PORT', 'RATE_LIMIT_PER_MINUTE', 'RETENTION_DAYS'])('%s is blank', (name) => {
    expect(refusal({ [name]: '  ' })).toMatch(new RegExp(`^${name} must be`))
  })

  test('the line never contains the value, which may be a secret', () => {
    expect(refusal({ DATABASE_URL: 'mysql://ada:hush@db/x' })).not.toContain('hush')
    expect(refusal({ APP_ID: 'hush', PRIVATE_KEY: 'k', WEBHOOK_SECRET: 's' })).not.toContain('hush')
  })
})

describe('the GitHub App needs all three of its variables, or none:', () => {
  const app = { APP_ID: '12', PRIVATE_KEY: KEY, WEBHOOK_SECRET: 'hush' }

  test('with an invalid key', () => {
    const line = refusal({ ...app, PRIVATE_KEY: 'hush' })
    expect(line).toMatch(/^PRIVATE_KEY must be/)
    expect(line).not.toContain('hush')
  })

  test('a private key may contain line breaks', () => {
    expect(readConfig(app).github_app?.private_key).toBe(KEY)
    const PRIVATE_KEY = Buffer.from(KEY).toString('base64')
    expect(readConfig({ ...app, PRIVATE_KEY }).github_app?.private_key).toBe(KEY)
  })

  test('a private key may be in a file', async () => {
    const { PRIVATE_KEY, ...rest } = app
    const directory = await temporaryDirectory('key')
    const PRIVATE_KEY_PATH = join(directory.path, 'app.pem')
    await writeFile(PRIVATE_KEY_PATH, KEY)
    expect(readConfig({ ...rest, PRIVATE_KEY_PATH }).github_app?.private_key).toBe(KEY)
    expect(refusal({ ...app, PRIVATE_KEY_PATH })).toBe(
      'PRIVATE_KEY and PRIVATE_KEY_PATH are both set; set one of them',
    )
    await writeFile(PRIVATE_KEY_PATH, 'hush')
    expect(refusal({ ...rest, PRIVATE_KEY_PATH })).toMatch(/^PRIVATE_KEY_PATH must be the private key/)
    await directory.remove()
    expect(refusal({ ...rest, PRIVATE_KEY_PATH })).toMatch(/^PRIVATE_KEY_PATH cannot be read \(ENOENT\)/)
  })
})

describe('watched repositories', () => {
  const watched = (env: Record<string, string>, watch?: string) =>
    readConfig({ GITHUB_TOKEN: 'ghp_1', ...env }, { watch })

  test('the flag comes before the variable, and listens on this machine unless HOST is set', () => {
    const env = { WATCH_REPOSITORIES: 'acme/web' }
    expect(watched(env)).toMatchObject({ host: '0.0.0.0', watch: { repositories: [{ name: 'web' }] } })
    expect(watched(env, 'acme/shop')).toMatchObject({
      host: '127.0.0.1',
      watch: { repositories: [{ owner: 'acme', name: 'shop' }] },
    })
    expect(watched({ HOST: '0.0.0.0' }, 'acme/shop').host).toBe('0.0.0.0')
  })

  test('a token alone watches nothing', () => expect(watched({}).watch).toBeNull())

  const noName = (entry: number) =>
    `must be OWNER/REPO, or several separated by commas; entry ${entry} is not OWNER/REPO`
  test.each([
    ['acme', noName(1)],
    ['', noName(1)],
    ['acme/shop,', noName(2)],
    ['acme/..', noName(1)],
    ['https://github.com/acme/shop', noName(1)],
    [Array.from({ length: 21 }, (_, n) => `acme/r${n}`).join(), 'must name at most 20 repositories'],
  ])('%j is rejected', (names, problem) => {
    expect(() => watched({}, names)).toThrow(new ConfigError(`--watch ${problem}`))
    if (names) expect(refusal({ WATCH_REPOSITORIES: names })).toBe(`WATCH_REPOSITORIES ${problem}`)
  })

  test.each([
    ['', /^GITHUB_TOKEN is not set; WATCH_REPOSITORIES reads/],
    ['two words', /^GITHUB_TOKEN must be/],
    ['line\nbreak', /^GITHUB_TOKEN must be/],
  ])('the token %j is rejected', (GITHUB_TOKEN, line) => {
    expect(refusal({ WATCH_REPOSITORIES: 'acme/shop', GITHUB_TOKEN })).toMatch(line)
  })
})

test('PUBLIC_URL alone is for links', () => {
  expect(readConfig({ PUBLIC_URL: 'https://deconflict.example' })).toMatchObject({
    public_url: 'https://deconflict.example',
    sign_in: null,
  })
})

test.each([
  ['APP_ID', 'PRIVATE_KEY', 'WEBHOOK_SECRET'],
  ['PUBLIC_URL', 'GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
])('%s, %s and %s are set together', (...names) => {
  const all = Object.assign({}, ...FIELDS.map(([env]) => env))
  for (const name of names) {
    const env = Object.fromEntries(names.map((each) => [each, each === name ? '' : all[each]]))
    expect(refusal(env)).toBe(`${name} is not set; set all of ${names.join(', ')}, or none of them`)
  }
})
