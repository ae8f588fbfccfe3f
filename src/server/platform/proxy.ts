/** Makes the global `fetch`, with which the service calls GitHub and receivers of notifications, use a proxy. */
import type { HttpsProxy } from '../../vocabulary/network.ts'

/** For this process, from now on. */
export async function useProxy({ url, except }: HttpsProxy): Promise<void> {
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await import('undici')
  // An empty `httpProxy`, because the agent would read the environment otherwise.
  setGlobalDispatcher(new EnvHttpProxyAgent({ httpProxy: '', httpsProxy: url, noProxy: except }))
}
