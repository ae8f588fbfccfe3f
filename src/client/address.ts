/** The address of a service: where its routes are, and whether a token may be sent there. Pure. */

/** Where the operations are; `given` is with or without `/api/v1` or `/v1`. */
export function routesOf(given: string): string {
  const trimmed = given.replace(/\/+$/, '')
  return /\/v1$/.test(trimmed) ? trimmed : `${trimmed}/api/v1`
}

/** Where `/healthz` is. */
export function rootOf(given: string): string {
  return routesOf(given).replace(/\/(?:api\/)?v1$/, '')
}

/** Whether a token that is sent there can be read on the way: `http://` to another machine. */
export function exposesTokens(given: string): boolean {
  if (!URL.canParse(given)) return false
  const { protocol, hostname } = new URL(given)
  return protocol === 'http:' && !isLoopback(hostname)
}

/** `URL` writes every form of an IPv4 address with four numbers. */
function isLoopback(hostname: string): boolean {
  return /^127(?:\.\d+){3}$/.test(hostname) || hostname === '[::1]' || hostname === 'localhost'
}
