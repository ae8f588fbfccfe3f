/**
 * Checks `Origin`, as MCP requires of servers against DNS rebinding: a page that makes a browser call this service under a name
 * of its own.
 */
import type { Request } from 'express'
import { Failure } from '../../../vocabulary/failure.ts'
import { isLoopback } from '../../../vocabulary/network.ts'

/**
 * Throws `forbidden` for a request of a page from elsewhere. Programs other than browsers send no `Origin`. Without
 * `PUBLIC_URL`, only pages of the service on this machine are its own, because a rebinding page chooses the name in `Host`.
 */
export function checkOrigin({ headers }: Request, public_url: string | null): void {
  const { origin, host } = headers
  if (origin === undefined || isOwn(origin, { host, public_url })) return
  throw new Failure('forbidden', 'Origin: /mcp accepts no requests from pages of other sites', {
    param: 'Origin',
  })
}

function isOwn(
  origin: string,
  { host, public_url }: { host: string | undefined; public_url: string | null },
): boolean {
  if (!URL.canParse(origin)) return false
  const given = new URL(origin)
  if (public_url !== null && given.origin === new URL(public_url).origin) return true
  return given.protocol === 'http:' && isLoopback(given.hostname) && given.host === host
}
