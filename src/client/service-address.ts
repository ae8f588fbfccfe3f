/** The address of a service: the base URL of its routes, and whether a token may be sent there. Pure. */
import { isLoopback } from '../vocabulary/network.ts'

/** The base URL of the operations; `address` may end in `/api/v1` or `/v1`. */
export function apiUrl(address: string): string {
  const trimmed = address.replace(/\/+$/, '')
  return /\/v1$/.test(trimmed) ? trimmed : `${trimmed}/api/v1`
}

/** The base URL of `/healthz`. */
export function rootUrl(address: string): string {
  return apiUrl(address).replace(/\/(?:api\/)?v1$/, '')
}

/** Whether a token sent to `address` could be read in transit: `http://` to another machine. */
export function exposesTokens(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && !isLoopback(hostname)
}
