/** Reads `DATABASE_URL`, which may name several addresses of one PostgreSQL cluster, as libpq takes them (contract §1). */

export interface Address {
  host: string
  port: number
}

const PORT = 5432
const ADDRESSES_MAX = 10

/**
 * The addresses of `postgres://user:password@one:5432,two:5433/name`, in order, and the same URL with the first alone.
 * Undefined for what is no such URL.
 */
export function readDatabaseUrl(text: string): { url: string; addresses: Address[] } | undefined {
  const [, before = '', hosts = '', after = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^/?#@]*@)?)([^/?#@]*)((?:[/?#].*)?)$/.exec(text) ?? []
  if (before === '') return undefined
  const urls = hosts.split(',').map((host) => before + host + after)
  if (urls.length > ADDRESSES_MAX || !urls.every((url) => URL.canParse(url))) return undefined
  const addresses = urls.map((url) => {
    const { hostname, port } = new URL(url)
    return { host: hostname.replace(/^\[|\]$/g, '') || 'localhost', port: Number(port) || PORT }
  })
  return { url: urls[0] as string, addresses }
}
