/** Addresses of this machine, and the HTTP proxy that the environment names. Pure, and without imports, so that hooks start fast. */

/** `hostname` as `URL` normalizes it: IPv4 with four numbers, IPv6 in brackets. */
export function isLoopback(hostname: string): boolean {
  return /^127(?:\.\d+){3}$/.test(hostname) || hostname === '[::1]' || hostname === 'localhost'
}

export interface HttpsProxy {
  /** May contain a user and a password. */
  url: string
  /** The host, with the port if any, to show. */
  host: string
  /** The value of `NO_PROXY`: hosts that are reached without the proxy. */
  except: string
}

/**
 * The proxy for `https://` addresses, from `HTTPS_PROXY` and `NO_PROXY`; in lower case they take precedence, as in curl. Null:
 * none. Throws an `Error` that names the variable and never its value, which may contain a password.
 */
export function readProxy(env: Record<string, string | undefined>): HttpsProxy | null {
  const given = env.https_proxy || env.HTTPS_PROXY
  if (!given) return null
  const url = given.includes('://') ? given : `http://${given}`
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw new Error(
      `${env.https_proxy ? 'https_proxy' : 'HTTPS_PROXY'} must be the http:// or https:// URL of a proxy`,
    )
  return { url, host: parsed.host, except: env.no_proxy || env.NO_PROXY || '' }
}
