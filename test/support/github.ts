/** The fake GitHub as the `fetch` of the test's process. Only this machine can be reached besides. */
import type { GithubResponse } from './github-reply.ts'
import { type GithubWorld, githubWorld, type SilentFault } from './github-world.ts'

export interface FakeGithub extends GithubWorld {
  /** Restores network access. */
  close(): void
}

const REDIRECTS = new Set([301, 302, 307, 308])

/** Answers the requests of this process to `api_url`. Only one can be active at a time. */
export function fakeGithub(api_url = 'https://api.github.com'): FakeGithub {
  const world = githubWorld(api_url)
  const { origin } = new URL(api_url)
  const network = globalThis.fetch
  const answered = async (address: URL, init: RequestInit, is_redirected = false): Promise<Response> => {
    if (address.origin !== origin) throw transportError('ENETUNREACH', `${address.origin} cannot be reached`)
    const { method = 'GET' } = init
    const headers = Object.fromEntries(new Headers(init.headers))
    const path = `${address.pathname}${address.search}`
    const answer = await world.answer({ method, path, headers, body: String(init.body ?? '') })
    if (typeof answer !== 'object') return failure(answer)
    const { location } = answer.headers
    if (location !== undefined && REDIRECTS.has(answer.status) && init.redirect !== 'manual')
      return answered(new URL(location, address), init, true)
    return responseOf(answer, address, is_redirected)
  }
  globalThis.fetch = async (input, init = {}) => {
    const address = new URL(input instanceof Request ? input.url : input)
    if (/^(127\.0\.0\.1|0\.0\.0\.0|localhost|\[::1\])$/.test(address.hostname) && address.origin !== origin)
      return network(input, init)
    return Promise.race([answered(address, init), aborted(init.signal)])
  }
  return {
    ...world,
    close() {
      globalThis.fetch = network
    },
  }
}

function responseOf({ status, body, headers }: GithubResponse, { href }: URL, redirected: boolean): Response {
  const response = new Response(status === 204 || status === 304 ? null : body, { status, headers })
  return Object.defineProperties(response, { url: { value: href }, redirected: { value: redirected } })
}

/** Rejects when the signal is aborted, as `fetch` does. */
function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** As `fetch` fails, or never answers. */
function failure(fault: SilentFault): Promise<never> {
  if (fault === 'silent') return new Promise(() => {})
  if (fault === 'reset') throw transportError('ECONNRESET', 'read ECONNRESET')
  throw new DOMException('The operation was aborted due to timeout', 'TimeoutError')
}

function transportError(code: string, message: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })
}
