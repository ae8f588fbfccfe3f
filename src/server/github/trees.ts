/** Completes the changed files of a comparison from the trees of its two commits, because GitHub cuts its list at 300. */
import type { Comparison, ListedFile, ListLimits, Reader, RepositoryName } from './repository-calls.ts'

/** A file that only the trees show has neither a patch nor a number of lines. */
export type TreeFile = Pick<ListedFile, 'filename' | 'status' | 'sha'>

export interface ChangedFiles {
  /** The listed files first, then those of the trees by path; at most `ListLimits.files`. */
  files: (ListedFile | TreeFile)[]
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
  { files, merge_base_sha }: Comparison,
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

function namesOf({ filename, previous_filename, status }: ListedFile): string[] {
  return status === 'renamed' && previous_filename !== undefined ? [filename, previous_filename] : [filename]
}

/** Path → mode and blob. */
type Tree = Map<string, { mode: string; sha: string }>

/** The files of a commit; null if GitHub truncates the tree, as it does beyond 100,000 entries or 7 MB. One call. */
async function readTree(
  client: Reader,
  { owner, name }: RepositoryName,
  tree_sha: string,
): Promise<Tree | null> {
  const { data } = await client.rest.git.getTree({ owner, repo: name, tree_sha, recursive: '1' })
  if (data.truncated) return null
  const files = data.tree.filter(({ type }) => type !== 'tree')
  return new Map(files.map(({ path, mode, sha }) => [path, { mode, sha }]))
}

function changesBetween(before: Tree, after: Tree): TreeFile[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort()
  return paths.flatMap((filename): TreeFile[] => {
    const [old, present] = [before.get(filename), after.get(filename)]
    if (present === undefined) return [{ filename, status: 'removed', sha: old?.sha ?? null }]
    if (old === undefined) return [{ filename, status: 'added', sha: present.sha }]
    const isSame = old.sha === present.sha && old.mode === present.mode
    return isSame ? [] : [{ filename, status: 'modified', sha: present.sha }]
  })
}
