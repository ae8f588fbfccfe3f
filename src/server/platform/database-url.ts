/** Parses `DATABASE_URL`, which may list several hosts of one PostgreSQL cluster, as in libpq. */

export interface Address {
  host: string
  port: number
}

const PORT = 5432
const ADDRESSES_MAX = 10

/**
 * The addresses in `postgres://user:password@one:5432,two:5433/name`, in order, and the same URL with only the first.
 * Undefined when `text` is not such a URL.
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
