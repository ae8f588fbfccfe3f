/** The security headers of every response. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'

type Header = readonly [name: string, value: string]

/**
 * Helmet's headers, computed once: its middleware would compute the same values for every request. Most responses are
 * JSON, so nothing may be loaded, framed or cached. A surface that serves pages replaces the policy and adds the headers
 * that only matter for pages.
 */
export const SECURITY_HEADERS: readonly Header[] = [...headersOfHelmet(), ['Cache-Control', 'no-store']]

/** Handlers may override them. */
export function setSecurityHeaders(res: ServerResponse): void {
  for (const [name, value] of SECURITY_HEADERS) res.setHeader(name, value)
}

function headersOfHelmet(): Header[] {
  const headers: Header[] = []
  const recorder = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => {},
  }
  const none = ["'none'"]
  const set = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: none, baseUri: none, formAction: none, frameAncestors: none },
    },
    frameguard: { action: 'deny' },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    dnsPrefetchControl: false,
    ieNoOpen: false,
    permittedCrossDomainPolicies: false,
    xXssProtection: false,
  })
  set({} as IncomingMessage, recorder as unknown as ServerResponse, () => {})
  return headers
}
