/** Sends requests through a proxy. A file of its own, loaded only where a proxy is set: it takes longer to load than a hook. */
import { EnvHttpProxyAgent } from 'undici'
import type { HttpsProxy } from '../vocabulary/network.ts'

/** The global `fetch` through the proxy, which its failures name. */
export function fetchThrough({ url, host, except }: HttpsProxy): typeof fetch {
  // An empty `httpProxy`, because the agent would read the environment otherwise.
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: '', httpsProxy: url, noProxy: except })
  return async (address, init) => {
    try {
      return await fetch(address, { ...init, dispatcher: dispatcher as never })
    } catch (error) {
      const { name, cause } = error as Error
      if (name === 'TimeoutError') throw error
      const { code = 'no connection' } = (cause ?? {}) as { code?: string }
      throw new Error('fetch failed', { cause: { code: `${code}; HTTPS_PROXY is ${host}` } })
    }
  }
}
