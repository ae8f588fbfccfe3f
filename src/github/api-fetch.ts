/** Fetches from GitHub alone: an answer from elsewhere, or larger than any of GitHub's, is none (contract §2: never taken as a yes). */

/** A page of a hundred changed files, with their patches, stays far below. */
const ANSWER_MAX = 32 * 1024 * 1024

/** A `fetch` for calls below `api_url`. It follows redirects there, as renamed repositories have them, and rejects others. */
export function apiFetch(api_url: string): (address: string, init: RequestInit) => Promise<Response> {
  const { origin } = new URL(api_url)
  return async (address, init) => {
    const response = await fetch(address, init)
    const { status, statusText, headers } = response
    // Octokit would read what comes with a redirect that leads nowhere as if it were the answer.
    const isNowhere = status >= 300 && status < 400 && status !== 304
    if (isNowhere || (response.redirected && new URL(response.url).origin !== origin)) {
      await response.body?.cancel()
      throw new Error('GitHub sent a call elsewhere')
    }
    const answer = new Response(await bytesOf(response), { status, statusText, headers })
    return Object.defineProperty(answer, 'url', { value: response.url })
  }
}

/** The whole body, or null where there is none. */
async function bytesOf(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!response.body) return null
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > ANSWER_MAX) throw new Error('an answer of GitHub is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
