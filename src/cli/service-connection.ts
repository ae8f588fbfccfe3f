/** The connection to the service: its address and the token, from options, environment, `deconflict login` or `gh`. Imports no schema, so that hooks start fast. */
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type ClientOptions, exposesTokens, getServiceInfo } from '../client/transport.ts'
import { outputOf } from '../git/program-output.ts'
import { replaceFile, textOf } from '../git/small-files.ts'
import { stopwatch } from '../vocabulary/clock.ts'
import { type HttpsProxy, isLoopback, readProxy } from '../vocabulary/network.ts'
import { parsedJson } from '../vocabulary/text.ts'
import { CliError, type Runtime } from './runtime.ts'
import type { Workspace } from './workspace.ts'

const GH_TIMEOUT_MS = 5000

interface StoredLogin {
  url: string
  /** Only after `login --with-token`. */
  token?: string
}

export function loginFile(env: Runtime['env']): string {
  const home = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config')
  return join(home, 'deconflict', 'config.json')
}

function readLogin(env: Runtime['env']): StoredLogin | undefined {
  const text = textOf(loginFile(env))
  if (text === '') return undefined
  const { url, token } = Object(parsedJson(text))
  if (typeof url === 'string' && ['string', 'undefined'].includes(typeof token)) return { url, token }
  throw new CliError(`${loginFile(env)} is invalid; run deconflict login URL again`)
}

/** Stores the login, and returns the name of the file. Only the user can read it, even if it existed with other permissions. */
export function writeLogin(env: Runtime['env'], login: StoredLogin): string {
  const file = loginFile(env)
  replaceFile(existsSync(file) ? realpathSync(file) : file, `${JSON.stringify(login, null, 2)}\n`)
  return file
}

type ConnectionRuntime = Pick<Runtime, 'env' | 'stderr'>

export interface ServerOptions {
  url?: string
  insecure?: boolean
  /** No service, even if one is configured. */
  local?: boolean
}

/** The address of the service as it is configured; undefined if none is. */
export function readUrl(env: Runtime['env'], { url }: ServerOptions): string | undefined {
  return url ?? (env.DECONFLICT_URL || readLogin(env)?.url)
}

/** The address of the service. Throws `CliError` if none is set, or if a token sent to it could be read in transit. */
export function findUrl({ env }: ConnectionRuntime, options: ServerOptions): string {
  const { insecure } = options
  const url = readUrl(env, options)
  if (!url) throw new CliError('no server is configured; set DECONFLICT_URL, or run deconflict login URL')
  if (!URL.canParse(url) || !/^https?:\/\//.test(url))
    throw new CliError(`the server must be an http:// or https:// URL, not ${url}`)
  const isAllowed = insecure === true || env.DECONFLICT_INSECURE === '1'
  if (!isAllowed && exposesTokens(url))
    throw new CliError(
      `${new URL(url).origin} does not use https://, so your GitHub token could be read in transit; use https://, or pass --insecure or set DECONFLICT_INSECURE=1 to send it anyway`,
    )
  return withoutTrailingSlash(url)
}

/** The token: `GITHUB_TOKEN`, `GH_TOKEN`, what `login` stored for this server, or that of `gh`. Throws `CliError` if there is none. */
async function findToken(
  runtime: ConnectionRuntime,
  { url, resolve, left_ms }: { url: string; resolve(): Promise<string>; left_ms(): number },
): Promise<string> {
  const { env } = runtime
  const known = env.GITHUB_TOKEN || env.GH_TOKEN || storedToken(env, url)
  if (known) return known
  const gh = ['auth', 'token', '--hostname', await resolve()]
  const token = (await outputOf('gh', gh, { env, timeout_ms: Math.min(GH_TIMEOUT_MS, left_ms()) }))?.trim()
  if (token) return token
  throw new CliError('no GitHub token; set GITHUB_TOKEN, or run gh auth login')
}

function storedToken(env: Runtime['env'], url: string): string | undefined {
  const login = readLogin(env)
  return login && withoutTrailingSlash(login.url) === url ? login.token : undefined
}

function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

/** The proxy of the environment; null if there is none. Throws `CliError` if it is not valid. */
export function findProxy(env: Runtime['env']): HttpsProxy | null {
  try {
    return readProxy(env)
  } catch (error) {
    throw new CliError((error as Error).message)
  }
}

/** A `fetch` through the proxy of the environment; undefined if there is none for the service at `url`. */
export async function proxiedFetch(env: Runtime['env'], url: string): Promise<typeof fetch | undefined> {
  const proxy = url.startsWith('https:') ? findProxy(env) : null
  if (proxy === null) return undefined
  const { fetchThrough } = await import('./proxy-fetch.ts')
  return fetchThrough(proxy)
}

export type Limits = Pick<ClientOptions, 'timeout_ms' | 'attempts' | 'retry_for_ms' | 'budget_ms' | 'fetch'>

/** Shorter than the defaults of the client, because a person is waiting. */
const INTERACTIVE: Limits = { timeout_ms: 15_000, attempts: 3, retry_for_ms: 20_000 }

export interface ConnectionOptions extends ServerOptions, Limits {
  token?: string
  /** Whether an earlier call found that the remote is on the GitHub host of the service at `url`, so that this need not be checked again. */
  isKnownHost?: (url: string) => boolean
}

/**
 * The options of a client for the repository of `workspace`. Throws `CliError` if its remote is on another host than the
 * repositories of the service. Without a workspace, this is not checked.
 */
export async function findConnection(
  runtime: ConnectionRuntime,
  workspace: Workspace | undefined,
  { url: given, insecure, token: known, isKnownHost, ...limits }: ConnectionOptions,
): Promise<ClientOptions> {
  const elapsed = stopwatch()
  const url = findUrl(runtime, { url: given, insecure })
  const left_ms = () => Math.max(0, (limits.budget_ms ?? Number.POSITIVE_INFINITY) - elapsed())
  // ssh is run once, and gets at most half of the time, so that a request is still possible if ssh hangs.
  let resolved: Promise<string> | undefined
  const resolve = () => {
    resolved ??= workspace ? resolveHost(runtime, workspace, left_ms() / 2) : Promise.resolve('github.com')
    return resolved
  }
  const token = known ?? (await findToken(runtime, { url, resolve, left_ms }))
  const fetch = (await proxiedFetch(runtime.env, url)) ?? limits.fetch
  const options = { ...INTERACTIVE, ...limits, fetch, base_url: url }
  if (workspace && !workspace.is_named && !isKnownHost?.(url)) {
    const { github_host } = await getServiceInfo({ ...options, budget_ms: left_ms() })
    if (github_host !== null) await requireRemoteHost(runtime, workspace, { url, github_host, resolve })
  }
  // `insecure`, because `findUrl` has already checked the address.
  return { ...options, token, insecure: true, budget_ms: left_ms() }
}

const SSH_TIMEOUT_MS = 2000

/**
 * Throws `CliError` if the remote is on another host. Only warns if the host is an SSH alias that `ssh -G` does not
 * resolve, because the real host is then unknown. `resolve` calls `resolveHost`.
 */
async function requireRemoteHost(
  runtime: Pick<Runtime, 'stderr'>,
  { remote, host, is_ssh }: Workspace,
  { url, github_host, resolve }: { url: string; github_host: string; resolve(): Promise<string> },
): Promise<void> {
  const served = servedHosts(github_host)
  if (served.includes(webHost(host))) return
  const resolved = await resolve()
  if (served.includes(resolved)) return
  const expected = served.join(' or ')
  if (is_ssh && resolved === host && !isDomain(host)) {
    runtime.stderr.write(
      `deconflict: ssh cannot resolve the host alias ${host}; assuming that ${remote} is on ${expected}. Use --repo OWNER/NAME or DECONFLICT_REPO to name the repository\n`,
    )
    return
  }
  throw new CliError(
    `the remote ${remote} is on ${resolved}, but ${url} serves repositories on ${expected}; use --repo OWNER/NAME or DECONFLICT_REPO to name one of those`,
  )
}

/** A GitHub on loopback is a fake of github.com, as in the demo and in tests. */
function servedHosts(github_host: string): string[] {
  // Without its port, because git and the web use different ports.
  const address = `https://${github_host}`
  const served = webHost(URL.canParse(address) ? new URL(address).hostname : github_host)
  return isLoopback(served) ? [served, 'github.com'] : [served]
}

/** The web host of a remote. The host in an SSH address may be an alias, which ssh resolves within `timeout_ms`. */
async function resolveHost(
  { env }: Pick<Runtime, 'env'>,
  { host, is_ssh }: Pick<Workspace, 'host' | 'is_ssh'>,
  timeout_ms: number,
): Promise<string> {
  return webHost((is_ssh && (await sshHostname(env, host, timeout_ms))) || host)
}

/** GitHub accepts git over SSH at `ssh.github.com` too, for networks that only open port 443. */
function webHost(host: string): string {
  return host.replace(/^(?:ssh|www)\./, '')
}

/** False for aliases such as `work` and `github.com-work`, which exist in an SSH configuration only. */
function isDomain(host: string): boolean {
  return /\.(?:[a-z]{2,}|xn--[a-z0-9-]+|\d+)$/.test(host)
}

/** The `hostname` that the SSH configuration sets for `host`; undefined if ssh is not installed, or does not answer. */
async function sshHostname(
  env: Runtime['env'],
  host: string,
  timeout_ms: number,
): Promise<string | undefined> {
  const options = { env, timeout_ms: Math.min(SSH_TIMEOUT_MS, timeout_ms) }
  const configuration = (await outputOf('ssh', ['-G', '--', host], options)) ?? ''
  return /^hostname (\S+)$/im.exec(configuration)?.[1]?.toLowerCase()
}
