/** Sends a request with `node:http`: loading the global `fetch` takes longer than everything else in a hook. */

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
  if (!(await first.then(isOfBalancer, isConnectionLost))) return first
  for (const delay_ms of DELAYS_MS) {
    await new Promise((resolve) => setTimeout(resolve, delay_ms))
    const answer = await send(url, init).catch(() => undefined)
    if (answer !== undefined && !isOfBalancer(answer)) return answer
  }
  // Not a later failure: the service may have carried out the request.
  return first
}

function isOfBalancer({ status }: Response): boolean {
  return status === BAD_GATEWAY
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
