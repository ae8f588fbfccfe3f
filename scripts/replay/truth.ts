/** Determines with git whether two pull requests conflict with each other. */
import { namesOf } from '../../src/server/line-verdicts/change.ts'
import type { FilePair } from '../../src/server/line-verdicts/pair-verdict.ts'
import type { Commit, Commits } from './commits.ts'
import type { Git } from './git.ts'
import { mergeSides, type Side, type SideMerge } from './merge-tree.ts'
import type { Overlap } from './overlaps.ts'
import type { HeadAndBase } from './revisions.ts'

export interface Truth {
  /** `unknown`: in at least one file neither side can be rebased onto the other's base, and all other files are clean. */
  verdict: 'conflict' | 'clean' | 'unknown'
  /** The number of files in conflict, without noise. */
  conflicts: number
}

/** `truth` is null if git did not merge the pair: see `isComparable`. */
export interface OverlapWithTruth extends Overlap {
  truth: Truth | null
}

/** Returns the truth of each overlap, in order. */
export async function truthOf(
  git: Git,
  commits: Commits,
  { overlaps, report }: { overlaps: readonly Overlap[]; report: (line: string) => void },
): Promise<Truth[]> {
  const pairs = overlaps.map(({ earlier, later }) => {
    const sides = [sideOf(commits, earlier), sideOf(commits, later)] as const
    const isForward = committedAt(commits, earlier.base) <= committedAt(commits, later.base)
    return isForward ? { moved: sides[0], fixed: sides[1] } : { moved: sides[1], fixed: sides[0] }
  })
  const merges = await mergeSides(git, pairs, report)
  const known = overlaps.map(({ compared }, index) =>
    compared.real.map((file) => fileTruth(file, merges[index] as SideMerge)),
  )
  // For a file that could not be rebased onto the newer base, the sides are swapped.
  const open = known.flatMap((files, index) => (files.includes('unknown') ? [index] : []))
  const reversed = open.map((index) => {
    const { moved, fixed } = pairs[index] as (typeof pairs)[number]
    return { moved: fixed, fixed: moved }
  })
  const others = await mergeSides(git, reversed, (line) => report(`sides swapped: ${line}`))
  for (const [at, index] of open.entries()) {
    const { real } = (overlaps[index] as Overlap).compared
    known[index] = (known[index] ?? []).map((truth, file) =>
      truth === 'unknown' ? fileTruth(real[file] as FilePair, others[at] as SideMerge) : truth,
    )
  }
  return known.map((files) => {
    const conflicts = files.filter((truth) => truth === 'conflict').length
    const verdict = conflicts > 0 ? 'conflict' : files.includes('unknown') ? 'unknown' : 'clean'
    return { verdict, conflicts }
  })
}

function fileTruth({ yours, theirs }: FilePair, { stale, conflicts }: SideMerge): Truth['verdict'] {
  const names = [...namesOf(yours), ...namesOf(theirs)]
  if (names.some((name) => stale.has(name))) return 'unknown'
  return names.some((name) => conflicts.has(name)) ? 'conflict' : 'clean'
}

export function sideOf({ all }: Commits, { head, base }: HeadAndBase): Side {
  const [top, bottom] = [all[head] as Commit, all[base] as Commit]
  return { tree: top.tree, base: bottom.sha, base_tree: bottom.tree }
}

function committedAt({ all }: Commits, index: number): number {
  return (all[index] as Commit).committed
}
