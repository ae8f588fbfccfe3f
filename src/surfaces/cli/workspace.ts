/** Where a command is run: repository, branch and base, from git unless they are given. */
import { Git } from './git.ts'
import { CliError, type World } from './world.ts'

export interface PlaceOptions {
  repo?: string
  branch?: string
  base?: string
}

export interface Place {
  git: Git
  owner: string
  repo: string
  /** The repository was named, and not taken from a remote. */
  is_named: boolean
  /** Of the remote. */
  host: string
  is_ssh: boolean
  /** Null on a detached HEAD. */
  branch: string | null
  /** The branch that the service is told of. Null on the base too: all that merges into it would count as stacked on it, and never as a collision. */
  own_branch: string | null
  /** Null where it is not known, and on that branch itself. */
  base_branch: string | null
  /** The branch that the diff is taken against, also on that branch itself. */
  diff_base: string | undefined
  remote: string | undefined
  /** Null outside of a working tree. */
  git_directory: string | null
}

const REPOSITORY = /^([\w.-]+)\/([\w.-]+)$/

/** Throws `CliError` where no repository is to be found. */
export async function findPlace(world: World, options: PlaceOptions): Promise<Place> {
  const git = new Git(world.cwd, world.env)
  const git_directory = (await git.gitDirectory()) ?? null
  const checkedOut = git_directory === null ? undefined : await git.branch()
  const remote = git_directory === null ? undefined : await git.remote(checkedOut)
  const given = options.repo ?? (world.env.DECONFLICT_REPO || undefined)
  const named = given === undefined ? undefined : repositoryIn(given)
  const at = named ?? remote?.at
  if (!at) {
    throw new CliError(
      git_directory === null
        ? 'this is no git repository; go to one, or name it with --repo OWNER/NAME'
        : 'no remote of this repository is on GitHub; name it with --repo OWNER/NAME',
    )
  }
  const branch = options.branch ?? checkedOut ?? ciBranch(world.env) ?? null
  const base = options.base ?? (git_directory === null ? undefined : await git.base(remote?.name))
  return {
    git,
    owner: at.owner,
    repo: at.repo,
    is_named: named !== undefined,
    host: remote?.at?.host ?? 'github.com',
    is_ssh: remote?.at?.is_ssh ?? false,
    branch,
    own_branch: options.branch ?? (branch === base ? null : branch),
    base_branch: base === undefined || base === branch ? null : base,
    diff_base: base,
    remote: remote?.name,
    git_directory,
  }
}

function repositoryIn(given: string): { owner: string; repo: string } {
  const [, owner, repo] = REPOSITORY.exec(given) ?? []
  if (!owner || !repo) throw new CliError(`--repo must be OWNER/NAME, not ${given}`)
  return { owner, repo }
}

/** A workflow run has no branch checked out, but knows it. */
function ciBranch(env: World['env']): string | undefined {
  return env.GITHUB_HEAD_REF || (env.GITHUB_REF_TYPE === 'branch' && env.GITHUB_REF_NAME) || undefined
}
