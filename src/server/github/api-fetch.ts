/** Fetches from GitHub's API only. A response from another host, or one that is too large, is an error: an outage never grants access. */

/** Far above the largest response: 100 changed files with their patches. */
const RESPONSE_MAX_BYTES = 32 * 1024 * 1024

/** The timeout of calls by jobs, which can wait longer than a request of a caller. */
export const JOB_TIMEOUT_MS = 10_000

/**
 * A `fetch` for the API at `api_url`. It follows redirects within that API, which renamed repositories need, and rejects
 * others. Without `timeout_ms`, each call must set its own timeout.
 */
export function apiFetch(
  api_url: string,
  timeout_ms?: number,
): (address: string, init: RequestInit) => Promise<Response> {
  const { origin } = new URL(api_url)
  return async (address, init) => {
    const timeout = timeout_ms === undefined ? {} : { signal: AbortSignal.timeout(timeout_ms) }
    const response = await fetch(address, { ...init, ...timeout })
    const { status, statusText, headers } = response
    // Octokit would read the body of a redirect without a location as the response.
    const isUnresolved = status >= 300 && status < 400 && status !== 304
    if (isUnresolved || (response.redirected && new URL(response.url).origin !== origin)) {
      await response.body?.cancel()
      throw new Error('GitHub redirected the request to another host')
    }
    const buffered = new Response(await readBytes(response), { status, statusText, headers })
    return Object.defineProperty(buffered, 'url', { value: response.url })
  }
}

/** The whole body, or null when there is none. */
async function readBytes(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!response.body) return null
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > RESPONSE_MAX_BYTES) throw new Error('the response of GitHub is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
