/** Why the changes of two pull requests that git merges may break together, by their paths (docs/contract/proofs.md#choice). Pure. */
import { addTo } from '../base/lists.ts'
import type { ChangedFile } from '../line-verdicts/change.ts'

/** With fewer removed files, a directory is not taken as removed. */
const REMOVED_MIN = 2
/** Files that are in fewer pairs of the ledger together are not taken as belonging together. */
const TOGETHER_MIN = 3

/** The directory of a file; empty for the root. */
function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The name that a change takes away; null if it takes none. */
function removedName({ status, path, previous_path }: ChangedFile): string | null {
  if (status === 'removed') return path
  return status === 'renamed' ? previous_path : null
}

/** The directories of which the changes take at least two files away and leave or add none, as far as they show. */
export function removedDirectories(files: readonly ChangedFile[]): Set<string> {
  const removed = new Map<string, string[]>()
  for (const file of files) {
    const name = removedName(file)
    if (name !== null) addTo(removed, directoryOf(name), name)
  }
  for (const { status, path } of files) if (status !== 'removed') removed.delete(directoryOf(path))
  removed.delete('')
  return new Set([...removed].filter(([, names]) => names.length >= REMOVED_MIN).map(([name]) => name))
}

/** The directories to which the changes add files. */
export function addedDirectories(files: readonly ChangedFile[]): Set<string> {
  const directories = new Set(files.filter(isAdded).map(({ path }) => directoryOf(path)))
  directories.delete('')
  return directories
}

function isAdded({ status }: ChangedFile): boolean {
  return status === 'added' || status === 'renamed'
}

/** The paths of `theirs` that the changes of `mine` take away, or whose directory they take away. */
export function removedUnder(mine: readonly ChangedFile[], theirs: readonly ChangedFile[]): string[] {
  const names = new Set(mine.flatMap((file) => removedName(file) ?? []))
  const directories = removedDirectories(mine)
  return theirs
    .filter((file) => file.status !== 'removed')
    .filter((file) => names.has(file.path) || (isAdded(file) && isBeneath(file.path, directories)))
    .map(({ path }) => path)
}

function isBeneath(path: string, directories: ReadonlySet<string>): boolean {
  for (let at = directoryOf(path); at !== ''; at = directoryOf(at)) if (directories.has(at)) return true
  return false
}

/** The files that often conflict together with one of `paths`, and are none of them. `pairs`: the files of each pair of the ledger. */
export function companionsOf(paths: ReadonlySet<string>, pairs: readonly (readonly string[])[]): Set<string> {
  const counts = new Map<string, number>()
  for (const files of pairs) {
    if (!files.some((file) => paths.has(file))) continue
    for (const file of new Set(files)) if (!paths.has(file)) counts.set(file, (counts.get(file) ?? 0) + 1)
  }
  return new Set([...counts].filter(([, count]) => count >= TOGETHER_MIN).map(([file]) => file))
}
