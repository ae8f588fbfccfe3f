/** The repository that a git remote names, whatever the form of its address. */

export interface Remote {
  host: string
  /** Reached over SSH, whose configuration may name hosts otherwise. */
  is_ssh: boolean
  owner: string
  repo: string
}

/**
 * `https://HOST/OWNER/REPO.git`, `ssh://git@HOST:22/OWNER/REPO`, `git@HOST:OWNER/REPO.git`. Undefined for what is no
 * repository of a host, such as a directory.
 */
export function parseRemote(address: string): Remote | undefined {
  const [host, path] = hostAndPath(address.trim())
  if (!host || path === undefined) return undefined
  const [owner, repo, ...rest] = path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
    .split('/')
  const isName = (name: string | undefined) => name !== undefined && /^(?!\.{1,2}$)[\w.-]{1,100}$/.test(name)
  if (rest.length > 0 || !isName(owner) || !isName(repo)) return undefined
  const is_ssh = !/^(?:https?|git):/.test(address.trim())
  return { host: host.toLowerCase(), is_ssh, owner: owner as string, repo: repo as string }
}

function hostAndPath(address: string): [host?: string, path?: string] {
  if (/^(https?|ssh|git|git\+ssh):\/\//.test(address)) {
    // A scheme that is not one of the web's own is no host to `URL` in every version of node.
    const url = address.replace(/^[a-z+]+:/, 'https:')
    if (!URL.canParse(url)) return []
    const { hostname, pathname } = new URL(url)
    return [hostname, decoded(pathname)]
  }
  // As scp writes it. One letter before the colon is a drive.
  const short = /^(?:[^@/\s]+@)?(\w[\w.-]+):(?!\/\/)(.+)$/.exec(address)
  return short ? [short[1], short[2]] : []
}

/** A path that is not valid percent-encoding is taken as it is written, as git does. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
