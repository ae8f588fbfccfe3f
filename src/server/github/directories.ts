/** Lists a directory of a repository. */
import type { Octokit } from '@octokit/rest'
import { requestOptions, statusOf } from './octokit.ts'
import { isCommitUnknown, type RepositoryName } from './repository-calls.ts'

export interface BranchDirectory {
  /** Relative to the root, which is empty. */
  directory: string
  /** Null for the default branch. */
  base_branch: string | null
}

type Rest = Octokit['rest']
interface Lister {
  rest: { repos: Pick<Rest['repos'], 'getContent'>; git: Pick<Rest['git'], 'getTree'> }
}

/** GitHub lists at most this many entries of a directory, the first ones by name. */
const ENTRIES_MAX = 1_000

/**
 * The names in a directory of a branch; none if there is no such directory. A branch that GitHub does not have, because it
 * was not pushed yet, means the default branch. `token`: for a client without one of its own. One call, or two for a
 * directory with 1,000 entries or more, and one more for an unknown branch.
 */
export async function listDirectory(
  client: Lister,
  { owner, name: repo }: RepositoryName,
  { directory, base_branch, token }: BranchDirectory & { token?: string },
): Promise<string[]> {
  const options = { owner, repo, ...(token !== undefined && requestOptions(token)) }
  try {
    const ref = base_branch === null ? {} : { ref: base_branch }
    const { data } = await client.rest.repos.getContent({ ...options, ...ref, path: directory })
    if (!Array.isArray(data)) return []
    if (data.length < ENTRIES_MAX) return data.map(({ name }) => name)
    const tree = await client.rest.git.getTree({
      ...options,
      tree_sha: `${base_branch ?? 'HEAD'}:${directory}`,
    })
    return tree.data.tree.map(({ path }) => path)
  } catch (error) {
    if (statusOf(error) !== 404) throw error
    const isUnknownBranch = base_branch !== null && isCommitUnknown(error)
    const of_default = { directory, base_branch: null, ...(token !== undefined && { token }) }
    return isUnknownBranch ? listDirectory(client, { owner, name: repo }, of_default) : []
  }
}
