/** Determines with git whether two pull requests conflict with each other. */
import { namesOf } from '../../src/engine/lines/change.ts'
import type { FilePair } from '../../src/engine/lines/pair-verdict.ts'
import type { Commit, Commits } from './commits.ts'
import type { Git } from './git.ts'
import { mergeSides, type Side, type SidePair, type Verdict } from './merge-tree.ts'
import type { Overlap } from './overlaps.ts'
import type { HeadAndBase } from './revisions.ts'

/** `truth` is null if git did not merge the pair: see `isComparable`. */
export interface OverlapWithTruth extends Overlap {
  /** `unknown`: in at least one file neither side can be rebased onto the other's base, and all other files are clean. */
  truth: Verdict | null
}

/** Returns the truth of each overlap, in order. */
export async function truthOf(
  git: Git,
  commits: Commits,
  { overlaps, report }: { overlaps: readonly Overlap[]; report: (line: string) => void },
): Promise<Verdict[]> {
  const files = overlaps.flatMap((overlap) => filesOf(commits, overlap))
  const verdicts = await mergeSides(git, files, report)
  // For a file that could not be rebased onto the newer base, the sides are swapped.
  const open = [...files.keys()].filter((at) => verdicts[at] === 'unknown')
  const swapped = open.map((at) => {
    const { moved, fixed, paths } = files[at] as SidePair
    return { moved: fixed, fixed: moved, paths }
  })
  const others = await mergeSides(git, swapped, (line) => report(`sides swapped: ${line}`))
  for (const [index, at] of open.entries()) verdicts[at] = others[index] as Verdict
  let at = 0
  return overlaps.map(({ compared }) => {
    const own = verdicts.slice(at, at + compared.real.length)
    at += own.length
    return (['conflict', 'unknown'] as const).find((verdict) => own.includes(verdict)) ?? 'clean'
  })
}

/** The files of a pair, the side with the older base to be rebased onto that of the other. */
function filesOf(commits: Commits, { earlier, later, compared }: Overlap): SidePair[] {
  const isForward = committedAt(commits, earlier.base) <= committedAt(commits, later.base)
  const [moved, fixed] = (isForward ? [earlier, later] : [later, earlier]).map((each) =>
    sideOf(commits, each),
  )
  return compared.real.map((file) => ({ moved, fixed, paths: namesIn(file) }) as SidePair)
}

/** The names that the file has on either side. */
function namesIn({ yours, theirs }: FilePair): string[] {
  return [...namesOf(yours), ...namesOf(theirs)]
}

function sideOf({ all }: Commits, { head, base }: HeadAndBase): Side {
  return { tree: (all[head] as Commit).tree, base: (all[base] as Commit).tree }
}

function committedAt({ all }: Commits, index: number): number {
  return (all[index] as Commit).committed
}
