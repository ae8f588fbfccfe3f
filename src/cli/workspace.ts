/** The repository, branch and base that a command works on: from options, else from git. */
import { basename, isAbsolute, resolve } from 'node:path'
import { Git } from '../git/git.ts'
import { findTree, otherTreeOf, readBranch, type WorkingTree } from '../git/git-directory.ts'
import { parseFullName } from '../vocabulary/names.ts'
import { CliError, type Runtime } from './runtime.ts'
import { globInTree, viewOf } from './tree-paths.ts'

export interface WorkspaceOptions {
  repo?: string
  branch?: string
  base?: string
  /** No service is asked, so that no remote has to name the repository. */
  is_local?: boolean
  tree?: WorkingTree
}

export interface Workspace {
  git: Git
  cwd: string
  owner: string
  repo: string
  /** Whether the repository was named by an option or variable, rather than taken from a git remote. */
  is_named: boolean
  /** Neither names it, so that no service can know it. */
  is_unknown: boolean
  /** Whether the working tree is of another repository than the named one. A fork has the same name, and counts as the same. */
  is_elsewhere: boolean
  host: string
  /** The address of the page of the repository; null if the remote is a directory. */
  page: string | null
  is_ssh: boolean
  /** Null on a detached HEAD. */
  branch: string | null
  /**
   * The branch that is sent to the service. Null on the base branch: everything that merges into it would count as
   * stacked on it, and nothing as a collision.
   */
  own_branch: string | null
  /** Null if unknown, and on the base branch itself. */
  base_branch: string | null
  /** The base branch: the given one, else see `Git.base`, else that of the main working tree; undefined if unknown. Unlike `base_branch`, it is also set on the base branch itself. */
  diff_base: string | undefined
  remote: string | undefined
  /** `user.name` of git, else the user of the system. */
  person: string
  /** Null outside of a working tree, and if git cannot read it. */
  tree: WorkingTree | null
}

/** Finds the workspace of a command. Throws `CliError` if there is no repository. */
export async function findWorkspace(
  runtime: Pick<Runtime, 'cwd' | 'env'>,
  options: WorkspaceOptions,
): Promise<Workspace> {
  const git = new Git(runtime.cwd, runtime.env)
  const tree = options.tree ?? (await readableTree(git, runtime.cwd))
  const checkedOut = tree === null ? undefined : await git.branch(tree.git_directory)
  const configuration = await git.configuration(checkedOut)
  const remote = tree === null ? undefined : configuration.remote
  const address = remote && parseRemote(remote.url)
  const given = options.repo ?? (runtime.env.DECONFLICT_REPO || undefined)
  const named = given === undefined ? undefined : parseRepository(given)
  const repository = named ?? address ?? (tree === null ? undefined : localName(tree))
  if (!repository || (options.is_local && tree === null)) {
    const advice = options.is_local ? '' : ', or name the repository with --repo OWNER/NAME'
    throw new CliError(`${await git.missing()}${advice}`)
  }
  const branch = options.branch ?? checkedOut ?? ciBranch(runtime.env) ?? null
  const ofRemote = remote ? `${remote.name}/` : ''
  const chosen = options.base?.startsWith(ofRemote) ? options.base.slice(ofRemote.length) : options.base
  const base =
    chosen ?? (tree && ((await git.base(remote?.name)) ?? readBranch(tree.common_directory))) ?? undefined
  if (options.is_local && chosen !== undefined && (await git.commitsOf(chosen, remote?.name)).length === 0)
    throw new CliError(`this clone has no branch ${chosen} to compare with; name one with --base`)
  return {
    git,
    cwd: runtime.cwd,
    owner: repository.owner,
    repo: repository.repo,
    is_named: named !== undefined,
    is_unknown: !named && !address,
    is_elsewhere: named !== undefined && named.repo.toLowerCase() !== (address ?? named).repo.toLowerCase(),
    host: address?.host ?? 'github.com',
    page: remote === undefined ? null : (placeOf(remote.url)?.page ?? null),
    is_ssh: address?.is_ssh ?? false,
    branch,
    own_branch: options.branch ?? (branch === base ? null : branch),
    base_branch: base === undefined || base === branch ? null : base,
    diff_base: base,
    remote: remote?.name,
    person: configuration.person || runtime.env.USER || runtime.env.USERNAME || 'unknown',
    tree,
  }
}

async function readableTree(git: Git, cwd: string): Promise<WorkingTree | null> {
  const isReadable = (await git.output(['rev-parse', '--show-toplevel'])) !== undefined
  return (isReadable && findTree(cwd)) || null
}

/** The name of a repository without a remote: that of the directory of its main working tree, or around its bare repository. */
function localName({ common_directory }: WorkingTree): Named | undefined {
  const name = basename(common_directory.replace(/[\\/]?\.(?:git|bare)$/, ''))
  return name === '' ? undefined : { owner: 'local', repo: name.replaceAll(/[^\w.-]/g, '-') }
}

/** The paths and globs of the repository for those that were typed in the working directory. Throws `CliError`. */
export async function resolvePaths(
  { cwd, tree, is_elsewhere }: Workspace,
  typed: readonly string[],
): Promise<string[]> {
  if (tree !== null && !is_elsewhere)
    return typed.map((path) => {
      const other = otherTreeOf(tree, resolve(cwd, path))
      if (other) throw new CliError(`${path} is in the working tree ${other.root}; run the command there`)
      return globInTree(path, viewOf(tree.root, cwd))
    })
  const absolute = typed.find((path) => isAbsolute(path))
  if (absolute === undefined) return [...typed]
  throw new CliError(
    `${absolute} is absolute, and this is no working tree of the repository; name files from its root, such as src/a.ts`,
  )
}

type Named = Pick<Workspace, 'owner' | 'repo'>

function parseRepository(given: string): { owner: string; repo: string } {
  const repository = parseFullName(given)
  if (!repository) throw new CliError(`--repo must be OWNER/NAME, not ${given}`)
  return { owner: repository.owner, repo: repository.name }
}

/** The branch of a workflow run on GitHub, which checks out a commit and puts the name of the branch into its environment. */
function ciBranch(env: Runtime['env']): string | undefined {
  return env.GITHUB_HEAD_REF || (env.GITHUB_REF_TYPE === 'branch' && env.GITHUB_REF_NAME) || undefined
}

interface RemoteAddress {
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
  const place = placeOf(address)
  const repository = place && parseFullName(place.name)
  const is_ssh = !/^(?:https?|git):/.test(address.trim())
  return repository && { host: place.host, is_ssh, owner: repository.owner, repo: repository.name }
}

/** Where an address is, and its page; on GitLab in groups of any depth. Undefined for a directory. */
function placeOf(address: string) {
  const [given, path] = hostAndPath(address.trim())
  const host = given?.toLowerCase()
  const name = path?.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')
  return host && name ? { host, name, page: `https://${host}/${name}` } : undefined
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
