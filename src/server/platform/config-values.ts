/** Schemas of the values of environment variables. A message never contains the value, which may be a secret. */
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { z } from 'zod'
import { isLoopback } from '../../vocabulary/network.ts'

export const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
  .transform((url) => url.replace(/\/+$/, ''))
/** At any other address GitHub has pages, which would only answer 404. Over http there are stand-ins of GitHub. */
export const restRoot = webAddress.refine((url) => url.startsWith('http:') || isRestRoot(new URL(url)), {
  error: 'must be https://api.github.com, https://api.SUBDOMAIN.ghe.com or https://HOST/api/v3',
})

function isRestRoot({ hostname, pathname }: URL): boolean {
  if (hostname.startsWith('api.')) return true
  return pathname === '/api/v3' && !/(^|\.)(github|ghe)\.com$/.test(hostname)
}

/**
 * The addresses of many receivers contain a secret, so the service connects over TLS, except on this machine. A user or
 * password is rejected: `fetch` refuses to call such a URL, with an error that contains it.
 */
export const receiverAddress = z
  .string()
  .refine(isPrivateAddress, { error: 'must be an https:// URL, or http:// on this machine', abort: true })
  .refine(hasNoUser, {
    error: 'must not contain a user or password; put a secret into the path or the query',
  })
export const postgresAddress = z
  .string()
  .refine((url) => readDatabaseUrl(url) !== undefined, { error: 'must be a postgres:// URL' })
export const count = (min: number, max: number) =>
  z
    .string()
    // Number(' ') is 0.
    .regex(/\S/, 'must be a number')
    .pipe(
      z.coerce
        .number<string>({ error: 'must be a number' })
        .int('must be a whole number')
        .min(min, `must be at least ${min}`)
        .max(max, `must be at most ${max}`),
    )

function isPrivateAddress(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

function hasNoUser(value: string): boolean {
  const { username, password } = new URL(value)
  return username === '' && password === ''
}

const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal']

/** The value of Express's `trust proxy`: a number of proxies, or their addresses. A list that includes every address is rejected, because any client could then forge its address. */
export const proxies = z.string().transform((value, ctx): number | string[] => {
  if (/^\d+$/.test(value) && Number(value) >= 1 && Number(value) <= 10) return Number(value)
  const names = value.split(',').map((name) => name.trim())
  if (names.every((name) => PROXY_NAMES.includes(name) || isSubnet(name))) return names
  ctx.addIssue(
    `must be a number of proxies from 1 to 10, or a list of addresses, subnets, ${PROXY_NAMES.join(', ')}`,
  )
  return z.NEVER
})

function isSubnet(name: string): boolean {
  const [address = '', prefix, ...rest] = name.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  // A prefix of 0 would match every address.
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}

/** PEM, PEM on one line with `\\n` for line breaks (as in environment files), or base64 of PEM. */
export const privateKey = z.string().transform((value, ctx): string => {
  const isPem = value.includes('-----BEGIN')
  const pem = isPem ? value.replaceAll('\\n', '\n') : Buffer.from(value, 'base64').toString('utf8')
  try {
    createPrivateKey(pem)
    return pem
  } catch {
    ctx.addIssue('must be the private key of the GitHub App in PEM format')
    return z.NEVER
  }
})

/** The path of a file with such a key. */
export const privateKeyFile = z
  .string()
  .transform((path, ctx): string => {
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      ctx.addIssue(`cannot be read (${code}); set it to the .pem file of the GitHub App`)
      return z.NEVER
    }
  })
  .pipe(privateKey)

/** 32 bytes in base64, for AES-256. */
export const secretsKey = z.string().transform((value, ctx): Uint8Array => {
  const key = /^[A-Za-z0-9+/]{43}=$/.test(value) ? Buffer.from(value, 'base64') : undefined
  if (key) return new Uint8Array(key)
  ctx.addIssue('must be 32 bytes in base64; create one with: openssl rand -base64 32')
  return z.NEVER
})

export interface Address {
  host: string
  port: number
}

const PORT = 5432
const ADDRESSES_MAX = 10

/**
 * The addresses in `postgres://user:password@one:5432,two:5433/name`, in order, and the same URL with only the first.
 * Undefined when `text` is not such a URL.
 */
export function readDatabaseUrl(text: string): { url: string; addresses: Address[] } | undefined {
  const [, before = '', hosts = '', after = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^/?#@]*@)?)([^/?#@]*)((?:[/?#].*)?)$/.exec(text) ?? []
  if (before === '') return undefined
  const urls = hosts.split(',').map((host) => before + host + after)
  if (urls.length > ADDRESSES_MAX || !urls.every((url) => URL.canParse(url))) return undefined
  const addresses = urls.map((url) => {
    const { hostname, port } = new URL(url)
    return { host: hostname.replace(/^\[|\]$/g, '') || 'localhost', port: Number(port) || PORT }
  })
  return { url: urls[0] as string, addresses }
}
