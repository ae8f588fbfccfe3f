/** The repository that the URL of a git remote names. Pure. */
import { parseFullName } from '../vocabulary/names.ts'

export interface RemoteAddress {
  host: string
  /** An SSH host can be an alias from the user's SSH configuration. */
  is_ssh: boolean
  owner: string
  repo: string
}

/**
 * `https://HOST/OWNER/REPO.git`, `ssh://git@HOST:22/OWNER/REPO`, `git@HOST:OWNER/REPO.git`. Undefined for other
 * addresses, such as a directory.
 */
export function parseRemote(address: string): RemoteAddress | undefined {
  const [host, path] = hostAndPath(address.trim())
  if (!host || path === undefined) return undefined
  const repository = parseFullName(path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, ''))
  if (!repository) return undefined
  const is_ssh = !/^(?:https?|git):/.test(address.trim())
  return { host: host.toLowerCase(), is_ssh, owner: repository.owner, repo: repository.name }
}

/** The page of the repository that the address names, on GitLab in groups of any depth; null for a directory. */
export function pageOf(address: string): string | null {
  const [host, path] = hostAndPath(address.trim())
  const name = path?.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')
  return host && name ? `https://${host.toLowerCase()}/${name}` : null
}

function hostAndPath(address: string): [host?: string, path?: string] {
  if (/^(https?|ssh|git|git\+ssh):\/\//.test(address)) {
    // `URL` does not parse the host of every scheme in every version of Node.
    const url = address.replace(/^[a-z+]+:/, 'https:')
    if (!URL.canParse(url)) return []
    const { hostname, pathname } = new URL(url)
    return [hostname, decoded(pathname)]
  }
  // The scp form. A single letter before the colon is a Windows drive.
  const scp = /^(?:[^@/\s]+@)?(\w[\w.-]+):(?!\/\/)(.+)$/.exec(address)
  return scp ? [scp[1], scp[2]] : []
}

/** A path that is not valid percent-encoding is used unchanged, as in git. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
