/** The scope of a request: the paths that the user or an agent names, and the files that git reports as changed. */
import type { Change } from '../git/diff-output.ts'
import { scopePaths } from '../git/scope-paths.ts'
import type { ChangedFiles } from '../git/working-tree-files.ts'

export interface GivenScope {
  scope: { areas: string[]; paths: string[]; changes?: Change[] }
  /** The commit that the patches of `changes` start from. */
  base_sha?: string
}

/** Adds the changed files of git. Paths that are among them are left out, because their lines are compared. */
export function withChanges(
  { areas, paths }: { areas: string[]; paths: string[] },
  changed: ChangedFiles | undefined,
): GivenScope {
  if (changed === undefined || changed.changes.length === 0) return { scope: { areas, paths } }
  const { changes, base_sha } = changed
  const names = new Set(scopePaths(changes.map(({ path }) => path)))
  const others = [...paths.filter((path) => !names.has(path)), ...changed.paths]
  return {
    scope: { areas, paths: [...new Set(others)], changes },
    ...(base_sha !== undefined && { base_sha }),
  }
}
