/** What GitHub cuts from its lists, from trees: the changed files of a comparison beyond 300, and the names in a directory beyond 1,000. */
import type { FileEntry } from '../../engine/lines/change.ts'
import { statusOf } from './client.ts'
import { requestOptions } from './octokit.ts'
import {
  type Comparison,
  isCommitUnknown,
  type ListLimits,
  named,
  type Reader,
  type RepositoryName,
} from './repository-calls.ts'

export interface ChangedFiles {
  /** The listed files first, then those of the trees by path, without patches and numbers of lines; at most `ListLimits.files`. */
  files: FileEntry[]
  /** False if there may be more. */
  is_complete: boolean
}

/**
 * All files that a branch changes. If GitHub cut the list, the names that it left out are read from the trees of the merge
 * base and of `head_sha`. No call or two.
 */
export async function completeFiles(
  client: Reader,
  repo: RepositoryName,
  { files, merge_base_sha }: Pick<Comparison, 'files' | 'merge_base_sha'>,
  { head_sha, limits }: { head_sha: string; limits: ListLimits },
): Promise<ChangedFiles> {
  if (files.length < limits.compared_files) return { files, is_complete: true }
  const before = await readTree(client, repo, merge_base_sha)
  const after = before === null ? null : await readTree(client, repo, head_sha)
  if (before === null || after === null) return { files, is_complete: false }
  const listed = new Set(files.flatMap(namesOf))
  const all = [...files, ...changesBetween(before, after).filter(({ filename }) => !listed.has(filename))]
  return { files: all.slice(0, limits.files), is_complete: all.length <= limits.files }
}

function namesOf({ filename, previous_filename, status }: FileEntry): string[] {
  return status === 'renamed' && previous_filename !== undefined ? [filename, previous_filename] : [filename]
}

/** Path → mode and blob. */
type Tree = Map<string, { mode: string; sha: string }>

/** The files of a commit; null if GitHub truncates the tree, as it does beyond 100,000 entries or 7 MB. One call. */
async function readTree(client: Reader, repo: RepositoryName, tree_sha: string): Promise<Tree | null> {
  const { data } = await client.rest.git.getTree({ ...named(repo), tree_sha, recursive: '1' })
  if (data.truncated) return null
  const files = data.tree.filter(({ type }) => type !== 'tree')
  return new Map(files.map(({ path, mode, sha }) => [path, { mode, sha }]))
}

function changesBetween(before: Tree, after: Tree): FileEntry[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort()
  return paths.flatMap((filename): FileEntry[] => {
    const [old, present] = [before.get(filename), after.get(filename)]
    if (present === undefined) return [{ filename, status: 'removed', sha: old?.sha ?? null }]
    if (old === undefined) return [{ filename, status: 'added', sha: present.sha }]
    const isSame = old.sha === present.sha && old.mode === present.mode
    return isSame ? [] : [{ filename, status: 'modified', sha: present.sha }]
  })
}

export interface BranchDirectory {
  /** Relative to the root, which is empty. */
  directory: string
  /** Null for the default branch. */
  base_branch: string | null
}

/** GitHub lists at most this many entries of a directory, the first ones by name. */
const ENTRIES_MAX = 1_000

/**
 * The names in a directory of a branch; none if there is no such directory. A branch that GitHub does not have, because it
 * was not pushed yet, means the default branch. `token`: for a client without one of its own. One call, or two for a
 * directory with 1,000 entries or more, and one more for an unknown branch.
 */
export async function listDirectory(
  client: Reader,
  repo: RepositoryName,
  { directory, base_branch, token }: BranchDirectory & { token?: string },
): Promise<string[]> {
  const options = { ...named(repo), ...(token !== undefined && requestOptions(token)) }
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
    return isUnknownBranch ? listDirectory(client, repo, of_default) : []
  }
}
