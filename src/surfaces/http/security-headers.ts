/** The headers that tell browsers what they may not do with an answer; on every one (issue 3, security). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'

type Header = readonly [name: string, value: string]

/**
 * What Helmet sets, taken down once: its middleware would compute the same texts for every request. An answer is data: no
 * page, to which nothing is to be loaded, and which nobody is to keep. Helmet's headers for pages alone are left out; a
 * surface that shows pages replaces the policy and adds those.
 */
export const SECURITY_HEADERS: readonly Header[] = [...headersOfHelmet(), ['Cache-Control', 'no-store']]

/** Sets them; what is set later takes their place. */
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
