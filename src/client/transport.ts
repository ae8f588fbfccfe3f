/** Sends requests for operations of the contract, with retries and time limits. Does not import the schemas, which load slowly. */
import { stopwatch } from '../vocabulary/clock.ts'
import { queryOf, type Route, routeOf } from '../vocabulary/contract/route.ts'
import { isLoopback } from '../vocabulary/network.ts'
import { parsedJson } from '../vocabulary/text.ts'
import { DeconflictError, errorFromResponse } from './client-error.ts'

export interface ClientOptions {
  /** Address of the service: `https://deconflict.example.com`, with or without `/api/v1`. */
  base_url: string
  /** The caller's own GitHub token. */
  token: string
  /** Default: the global `fetch`. */
  fetch?: typeof fetch
  /** Timeout of one attempt. Default: 10,000. */
  timeout_ms?: number
  /** Maximum number of attempts per call. Default: 3. */
  attempts?: number
  /** No retry starts later than this after the first attempt. Default: 90,000. */
  retry_for_ms?: number
  /** Time for all calls together, counted from the creation of the client. Default: no limit. */
  budget_ms?: number
  /**
   * Allows sending the token over `http://` to another machine, where it can be read in transit. Default: false:
   * `createClient` throws `DeconflictError` (`insecure_address`) for such a `base_url`. Loopback is always allowed.
   */
  insecure?: boolean
}

const DEFAULTS = {
  timeout_ms: 10_000,
  attempts: 3,
  retry_for_ms: 90_000,
  budget_ms: Number.POSITIVE_INFINITY,
  insecure: false,
}
const FIRST_DELAY_MS = 500

/** A method for each of `routes`. `createClient` adds the types. */
export function methodsOf(
  routes: Readonly<Record<string, Route>>,
  options: ClientOptions,
): Record<string, (request?: LooseRequest) => Promise<unknown>> {
  const settings = settingsOf(options)
  const { base_url, insecure } = settings
  if (!insecure && exposesTokens(base_url))
    throw new DeconflictError({
      type: 'insecure_address',
      message: `${new URL(base_url).origin} does not use https://, so the token could be read in transit; use https://, or set insecure to send it anyway`,
    })
  const methods = Object.entries(routes).map(([name, route]) => [
    name,
    async (request: LooseRequest = {}) => {
      const { url, init } = httpRequestOf(settings, route, request)
      const { body, etag } = await sendWithRetries(settings, url, init)
      return request.known === undefined || body === null ? body : { ...Object(body), etag }
    },
  ])
  return Object.fromEntries(methods)
}

/** Information about a service. The fields are null if something else responds, such as a proxy. */
export interface ServiceInfo {
  version: string | null
  /** Host, with the port if any, of the GitHub whose repositories it serves. */
  github_host: string | null
}

/** Reads `/healthz`, without a token. Throws `DeconflictError` if there is no response, or a status of 500 or more. */
export async function getServiceInfo(options: Omit<ClientOptions, 'token'>): Promise<ServiceInfo> {
  const settings = settingsOf({ ...options, token: '' })
  const init: RequestInit = { headers: { Accept: 'application/json' }, redirect: 'manual' }
  try {
    const health = Object(
      (await sendWithRetries(settings, `${rootUrl(options.base_url)}/healthz`, init)).body,
    )
    return { version: stringOrNull(health.version), github_host: stringOrNull(health.github_host) }
  } catch (error) {
    const isAnswered = error instanceof DeconflictError && error.status !== null && error.status < 500
    if (isAnswered) return { version: null, github_host: null }
    throw error
  }
}

function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

type Settings = Required<ClientOptions> & {
  /** How much of `budget_ms` is left. */
  left_ms(): number
}

interface LooseRequest {
  owner?: string
  repo?: string
  id?: string
  number?: number
  input?: object
  idempotency_key?: string
  /** The entity tag that the caller has, null if none: the answer has one too, and is null while it is the same. */
  known?: string | null
}

function settingsOf(options: ClientOptions): Settings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const settings = { ...DEFAULTS, fetch: globalThis.fetch, ...(Object.fromEntries(given) as typeof options) }
  const elapsed = stopwatch()
  return { ...settings, left_ms: () => settings.budget_ms - elapsed() }
}

/** `body`: null if it is known. */
interface Sent {
  body: unknown
  etag: string | null
}

async function sendWithRetries(settings: Settings, url: string, init: RequestInit): Promise<Sent> {
  const elapsed = stopwatch()
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(settings, url, init)
    } catch (error) {
      if (!(error instanceof DeconflictError)) throw error
      const delay_ms = retryDelay(error, attempt)
      const isInTime = elapsed() + delay_ms < settings.retry_for_ms && delay_ms < settings.left_ms()
      if (attempt >= settings.attempts || !isInTime || !isRetryable(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, delay_ms))
    }
  }
}

/** Every operation can be repeated: a create has a key, and the others are idempotent. */
function isRetryable({ type, status }: DeconflictError): boolean {
  const isTemporary = ['unreachable', 'timed_out', 'idempotency_conflict'].includes(type)
  return isTemporary || [429, 502, 503, 504].includes(status ?? 0)
}

/** Milliseconds before the next attempt: `Retry-After`, else exponential backoff with jitter. */
function retryDelay({ retry_after }: DeconflictError, attempt: number): number {
  if (retry_after !== null) return retry_after * 1000
  return FIRST_DELAY_MS * 2 ** (attempt - 1) * (0.5 + Math.random())
}

function httpRequestOf(
  { base_url, token }: Settings,
  operation: Route,
  request: LooseRequest,
): { url: string; init: RequestInit } {
  const { input = {}, known, ...names } = request
  const path = routeOf(operation).replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof names) =>
    encodeURIComponent(names[name] ?? ''),
  )
  const isGet = operation.method === 'GET'
  const query = isGet ? new URLSearchParams(queryOf(input)).toString() : ''
  const key = operation.is_idempotent && (request.idempotency_key ?? crypto.randomUUID())
  return {
    url: `${apiUrl(base_url)}${path}${query && `?${query}`}`,
    init: {
      method: operation.method,
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: 'application/json',
        ...(isGet ? {} : { 'Content-Type': 'application/json' }),
        ...(key ? { 'Idempotency-Key': key } : {}),
        ...(known ? { 'If-None-Match': known } : {}),
      },
      ...(isGet ? {} : { body: JSON.stringify(input) }),
      // Following a redirect would turn a POST into a GET.
      redirect: 'manual',
    },
  }
}

async function send(settings: Settings, url: string, init: RequestInit): Promise<Sent> {
  const { fetch, left_ms } = settings
  const timeout_ms = Math.ceil(Math.min(settings.timeout_ms, Math.max(0, left_ms())))
  let response: Response
  let text: string
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeout_ms) })
    text = await response.text()
  } catch (error) {
    throw connectionError(error, new URL(url).origin, timeout_ms)
  }
  const etag = response.headers.get('ETag')
  if (response.status === 304) return { body: null, etag }
  const body = parsedJson(text)
  if (!response.ok || body === undefined) throw errorFromResponse(response, text)
  return { body, etag }
}

function durationText(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`
}

function connectionError(error: unknown, origin: string, timeout_ms: number): DeconflictError {
  const code = ((error as Error).cause as { code?: string } | undefined)?.code
  const [type, what] =
    (error as Error).name === 'TimeoutError'
      ? (['timed_out', `did not answer within ${durationText(timeout_ms)}`] as const)
      : (['unreachable', `cannot be reached${code ? ` (${code})` : ''}`] as const)
  return new DeconflictError({ type, message: `${origin} ${what}` }, error)
}

/** The base URL of the operations; `address` may end in `/api/v1` or `/v1`. */
function apiUrl(address: string): string {
  const trimmed = address.replace(/\/+$/, '')
  return /\/v1$/.test(trimmed) ? trimmed : `${trimmed}/api/v1`
}

/** The base URL of `/healthz`. */
function rootUrl(address: string): string {
  return apiUrl(address).replace(/\/(?:api\/)?v1$/, '')
}

/** Whether a token sent to `address` could be read in transit: `http://` to another machine. */
export function exposesTokens(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && !isLoopback(hostname)
}
