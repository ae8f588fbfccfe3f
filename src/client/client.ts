/** The typed client `deconflict/client`: one method for each operation of the contract, with its types (issue: every door). */
import type { z } from 'zod'
import { stopwatch } from '../base/clock.ts'
import {
  type InputOf,
  OPERATIONS,
  type Operation,
  type OperationName,
  type OutputOf,
} from '../operations/contract.ts'
import { queryOf } from '../operations/query.ts'
import { apiUrl, exposesTokens, rootUrl } from './address.ts'
import { fillIn } from './compatibility.ts'
import { DeconflictError, failureIn, silence } from './error.ts'

export { DeconflictError, type ErrorType } from './error.ts'

type Operations = typeof OPERATIONS

/** What is sent to an operation: its query with values as they are meant, or its body. */
export type SentOf<Name extends OperationName> = Operations[Name]['method'] extends 'GET'
  ? Partial<InputOf<Name>>
  : z.input<Operations[Name]['input']>

/** One call. `input` is the body, or the query of a GET. */
export type RequestOf<Name extends OperationName> = {
  owner: string
  repo: string
} & (Operations[Name]['record'] extends null ? unknown : { id: string }) &
  (Record<never, never> extends SentOf<Name> ? { input?: SentOf<Name> } : { input: SentOf<Name> }) &
  (Operations[Name]['is_idempotent'] extends true
    ? {
        /** Made up where it is left out; give one to repeat a creation in another process. */
        idempotency_key?: string
      }
    : unknown)

export type Client = {
  [Name in OperationName]: (request: RequestOf<Name>) => Promise<OutputOf<Name>>
}

export interface ClientOptions {
  /** Where the service is: `https://deconflict.example.com`, with or without `/api/v1`. */
  base_url: string
  /** A GitHub token of the caller's own. */
  token: string
  /** Default: that of the platform. */
  fetch?: typeof fetch
  /** How long one attempt may take. Default: 10,000. */
  timeout_ms?: number
  /** How often a call is tried at most. Default: 3. */
  attempts?: number
  /** How long a call may last at most, waiting included, before no other attempt is made. Default: 90,000. */
  patience_ms?: number
  /** How long all calls may take together, counted from when the client is made. Default: no limit. */
  budget_ms?: number
  /**
   * Sends the token over `http://` to another machine, where it can be read on the way. Default: false, so that
   * `createClient` throws `DeconflictError` (`insecure_address`) for such a `base_url`; loopback is fine.
   */
  insecure?: boolean
}

const DEFAULTS = {
  timeout_ms: 10_000,
  attempts: 3,
  patience_ms: 90_000,
  budget_ms: Number.POSITIVE_INFINITY,
  insecure: false,
}
const FIRST_WAIT_MS = 500

/**
 * A client. Its methods answer what the service answers, and throw `DeconflictError`. Where the service is away or asks to
 * wait, they try again; a creation carries an `Idempotency-Key`, so that no attempt makes a second record.
 */
export function createClient(options: ClientOptions): Client {
  const settings = settingsOf(options)
  const { base_url, insecure } = settings
  if (!insecure && exposesTokens(base_url)) throw insecureAddress(base_url)
  const methods = Object.keys(OPERATIONS).map((name) => [
    name,
    async (request: LooseRequest) => {
      const { url, init } = httpRequestOf(settings, OPERATIONS[name as OperationName], request)
      return fillIn(name as OperationName, await call(settings, url, init))
    },
  ])
  return Object.fromEntries(methods)
}

/** What a service says of itself; null where it is too old to say, or a proxy answers in its place. */
export interface ServiceInfo {
  version: string | null
  /** The host, and the port if any, of the GitHub whose repositories it serves. */
  github_host: string | null
}

/** Asks a service about itself, without a token. Throws `DeconflictError` where there is no answer. */
export async function getServiceInfo(options: Omit<ClientOptions, 'token'>): Promise<ServiceInfo> {
  const settings = settingsOf({ ...options, token: '' })
  const init: RequestInit = { headers: { Accept: 'application/json' }, redirect: 'manual' }
  try {
    const told = Object(await call(settings, `${rootUrl(options.base_url)}/healthz`, init))
    return { version: textOf(told.version), github_host: textOf(told.github_host) }
  } catch (error) {
    const isAnswered = error instanceof DeconflictError && error.status !== null && error.status < 500
    if (isAnswered) return { version: null, github_host: null }
    throw error
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

type Settings = Required<ClientOptions> & {
  /** What is left of `budget_ms`. */
  left_ms(): number
}

interface LooseRequest {
  owner: string
  repo: string
  id?: string
  input?: object
  idempotency_key?: string
}

function settingsOf(options: ClientOptions): Settings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const settings = { ...DEFAULTS, fetch: globalThis.fetch, ...(Object.fromEntries(given) as typeof options) }
  const elapsed = stopwatch()
  return { ...settings, left_ms: () => settings.budget_ms - elapsed() }
}

function insecureAddress(base_url: string): DeconflictError {
  return silence(
    'insecure_address',
    `${new URL(base_url).origin} is not https://, so the token could be read on the way; use https://, or set insecure to send it all the same`,
  )
}

/** Tries until there is an answer, or none is to be hoped for. */
async function call(settings: Settings, url: string, init: RequestInit): Promise<unknown> {
  const elapsed = stopwatch()
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask(settings, url, init)
    } catch (error) {
      if (!(error instanceof DeconflictError)) throw error
      const wait_ms = waitAfter(error, attempt)
      const isInTime = elapsed() + wait_ms < settings.patience_ms && wait_ms < settings.left_ms()
      if (attempt >= settings.attempts || !isInTime || !isPassing(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, wait_ms))
    }
  }
}

/** Every call may be repeated: creations carry a key, and the others have the same effect twice. */
function isPassing({ type, status }: DeconflictError): boolean {
  return (
    type === 'unreachable' ||
    type === 'timed_out' ||
    type === 'idempotency_conflict' ||
    [429, 502, 503, 504].includes(status ?? 0)
  )
}

/** What the service asks for; else longer each time, and not at the same time as everybody else. */
function waitAfter({ retry_after }: DeconflictError, attempt: number): number {
  if (retry_after !== null) return retry_after * 1000
  return FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random())
}

function httpRequestOf(
  { base_url, token }: Settings,
  operation: Operation,
  request: LooseRequest,
): { url: string; init: RequestInit } {
  const { owner, repo, id = '', input = {} } = request
  const path = operation.path.replace('{id}', encodeURIComponent(id))
  const isGet = operation.method === 'GET'
  const query = isGet ? new URLSearchParams(queryOf(input)).toString() : ''
  const key = operation.is_idempotent && (request.idempotency_key ?? crypto.randomUUID())
  return {
    url: `${apiUrl(base_url)}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}${path}${query && `?${query}`}`,
    init: {
      method: operation.method,
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: 'application/json',
        ...(isGet ? {} : { 'Content-Type': 'application/json' }),
        ...(key ? { 'Idempotency-Key': key } : {}),
      },
      ...(isGet ? {} : { body: JSON.stringify(input) }),
      // A POST that is sent on would arrive as a GET.
      redirect: 'manual',
    },
  }
}

async function ask(settings: Settings, url: string, init: RequestInit): Promise<unknown> {
  const { fetch, left_ms } = settings
  const timeout_ms = Math.ceil(Math.min(settings.timeout_ms, Math.max(0, left_ms())))
  let response: Response
  let body: string
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeout_ms) })
    body = await response.text()
  } catch (error) {
    throw unanswered(error, new URL(url).origin, timeout_ms)
  }
  if (!response.ok) throw failureIn(response, body)
  try {
    return JSON.parse(body)
  } catch {
    throw failureIn(response, body)
  }
}

function unanswered(error: unknown, origin: string, timeout_ms: number): DeconflictError {
  if ((error as Error).name === 'TimeoutError')
    return silence(
      'timed_out',
      `${origin} did not answer within ${Math.round(timeout_ms / 100) / 10} s`,
      error,
    )
  const code = ((error as Error).cause as { code?: string } | undefined)?.code
  return silence('unreachable', `${origin} cannot be reached${code ? ` (${code})` : ''}`, error)
}
