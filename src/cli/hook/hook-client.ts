/** The operations that hooks use, typed by the contract without loading its schemas, and sent with `node:http`. */
import type { Client, RequestOf } from '../../client/client.ts'
import { type ClientOptions, methodsOf } from '../../client/transport.ts'
import { shortHash } from '../../git/lock.ts'
import type { OPERATIONS, OperationName, OutputOf } from '../../vocabulary/contract/contract.ts'
import type { Route } from '../../vocabulary/contract/route.ts'

const on = 'repository'
const ROUTES = {
  createActivity: { method: 'POST', path: '/activity', is_idempotent: true, on },
  checkOverlap: { method: 'POST', path: '/activity/check', is_idempotent: false, on },
  getActivity: { method: 'GET', path: '/activity/{id}', is_idempotent: false, on },
  updateActivity: { method: 'PATCH', path: '/activity/{id}', is_idempotent: false, on },
  archiveActivity: { method: 'POST', path: '/activity/{id}/archive', is_idempotent: false, on },
  getIssue: { method: 'GET', path: '/issues/{number}', is_idempotent: false, on },
  getNotable: { method: 'GET', path: '/notables/{id}', is_idempotent: false, on },
  // Does not compile if a route differs from the contract's.
} as const satisfies { [Name in OperationName]?: Pick<(typeof OPERATIONS)[Name], keyof Route> }

type Retrieved = OutputOf<'getActivity'> & { etag: string | null }

export interface HookClient extends Pick<Client, keyof typeof ROUTES> {
  /** Its people have no logins: commits name them, in the words of a stranger. */
  is_of_clone?: true
  /** Null while the answer has the entity tag `known`. */
  getChanged(request: RequestOf<'getActivity'> & { known: string | null }): Promise<Retrieved | null>
}

export function createHookClient(options: ClientOptions): HookClient {
  const methods = methodsOf(ROUTES, options) as unknown as HookClient
  return { ...methods, getChanged: (request) => methods.getActivity(request) as Promise<Retrieved | null> }
}

/** The operations over one clone: what overlaps is its own entity tag. */
export function overClone(client: Client): HookClient {
  return {
    ...client,
    is_of_clone: true,
    getChanged: async ({ known, ...request }) => {
      const answer = await client.getActivity(request)
      const etag = shortHash(JSON.stringify(answer.overlap))
      return etag === known ? null : { ...answer, etag }
    },
  }
}

/** What a load balancer answers if the instance that it chose ends before it answers. */
const BAD_GATEWAY = 502
/** A process that was killed accepts connections for a moment before they break. */
const DELAYS_MS = [100, 300]

/**
 * The part of `fetch` that the client uses. The body is text. If an instance of the service ends before it answers, the request
 * is sent again, for another instance to answer it: hooks send only requests that can be repeated.
 */
export async function sendWithHttp(url: string, init: RequestInit): Promise<Response> {
  const first = send(url, init)
  if (!(await first.then(({ status }) => status === BAD_GATEWAY, isConnectionLost))) return first
  for (const delay_ms of DELAYS_MS) {
    await new Promise((resolve) => setTimeout(resolve, delay_ms))
    const answer = await send(url, init).catch(() => undefined)
    if (answer !== undefined && answer.status !== BAD_GATEWAY) return answer
  }
  // Not a later failure: the service may have carried out the request.
  return first
}

function isConnectionLost(error: unknown): boolean {
  const { code, syscall } = Object(Object(error).cause) as { code?: string; syscall?: string }
  return syscall !== 'connect' && (code === 'ECONNRESET' || code === 'EPIPE')
}

async function send(url: string, init: RequestInit): Promise<Response> {
  // `import` would load the loader of ES modules.
  const { request } = url.startsWith('https:')
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http')
  const { method, body, signal } = init
  const headers = init.headers as Record<string, string>
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) =>
      reject(signal?.aborted ? signal.reason : new Error('the request failed', { cause }))
    const sent = request(url, { method, headers, signal: signal ?? undefined }, (response) => {
      const chunks: Buffer[] = []
      response.on('error', fail).on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const { statusCode: status = 0 } = response
        resolve({
          ok: status >= 200 && status < 300,
          status,
          headers: { get: (name: string) => response.headers[name.toLowerCase()] ?? null },
          text: async () => Buffer.concat(chunks).toString('utf8'),
        } as unknown as Response)
      })
    })
    sent.on('error', fail).end(body)
  })
}
