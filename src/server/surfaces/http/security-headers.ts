/** The security headers of every response. */
import type { ServerResponse } from 'node:http'

/**
 * Most responses are JSON, so nothing may be loaded, framed or cached. A surface that serves pages replaces the policy and
 * adds the headers that only matter for pages.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
}

const ENTRIES = Object.entries(SECURITY_HEADERS)

/** Sets the headers before the handler runs, so that the handler can override them. */
export function setSecurityHeaders(res: ServerResponse): void {
  for (const [name, value] of ENTRIES) res.setHeader(name, value)
}
