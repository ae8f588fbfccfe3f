/** Sends a request with `node:http`: loading the global `fetch` takes longer than everything else in a hook. */

/** The part of `fetch` that the client uses. The body is text. */
export async function sendWithHttp(url: string, init: RequestInit): Promise<Response> {
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
