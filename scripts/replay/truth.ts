/** Whether two pull requests conflict with each other according to git. */
import { namesOf } from '../../src/lines/change.ts'
import type { FilePair } from '../../src/lines/pair-verdict.ts'
import type { Commit, Commits } from './commits.ts'
import type { Git } from './git.ts'
import { type Answer, askGit, type Side } from './judge.ts'
import type { Overlap } from './overlaps.ts'
import type { PullRequest } from './pull-requests.ts'

export interface Truth {
  /** `unknown`: in some file neither side can be rebased onto the other's base, and the other files are clean. */
  verdict: 'conflict' | 'clean' | 'unknown'
  /** Files in conflict, noise left out. */
  conflicts: number
}

/** The truth of each, in order. */
export async function truthOf(
  git: Git,
  commits: Commits,
  { overlaps, report }: { overlaps: readonly Overlap[]; report: (line: string) => void },
): Promise<Truth[]> {
  const questions = overlaps.map(({ earlier, later }) => {
    const sides = [sideOf(commits, earlier), sideOf(commits, later)] as const
    const isForward = committedAt(commits, earlier.base) <= committedAt(commits, later.base)
    return isForward ? { moved: sides[0], fixed: sides[1] } : { moved: sides[1], fixed: sides[0] }
  })
  const answers = await askGit(git, questions, report)
  const known = overlaps.map(({ real }, index) =>
    real.map((file) => fileTruth(file, answers[index] as Answer)),
  )
  // A file that could not be rebased onto the newer base is tried the other way round.
  const open = known.flatMap((files, index) => (files.includes('unknown') ? [index] : []))
  const reversed = open.map((index) => {
    const { moved, fixed } = questions[index] as (typeof questions)[number]
    return { moved: fixed, fixed: moved }
  })
  const others = await askGit(git, reversed, (line) => report(`in reverse: ${line}`))
  for (const [at, index] of open.entries()) {
    const { real } = overlaps[index] as Overlap
    known[index] = (known[index] ?? []).map((truth, file) =>
      truth === 'unknown' ? fileTruth(real[file] as FilePair, others[at] as Answer) : truth,
    )
  }
  return known.map((files) => {
    const conflicts = files.filter((truth) => truth === 'conflict').length
    const verdict = conflicts > 0 ? 'conflict' : files.includes('unknown') ? 'unknown' : 'clean'
    return { verdict, conflicts }
  })
}

function fileTruth({ yours, theirs }: FilePair, { stale, conflicts }: Answer): Truth['verdict'] {
  const names = [...namesOf(yours), ...namesOf(theirs)]
  if (names.some((name) => stale.has(name))) return 'unknown'
  return names.some((name) => conflicts.has(name)) ? 'conflict' : 'clean'
}

export function sideOf({ all }: Commits, { head, base }: PullRequest): Side {
  const [top, bottom] = [all[head] as Commit, all[base] as Commit]
  return { tree: top.tree, base: bottom.sha, base_tree: bottom.tree }
}

function committedAt({ all }: Commits, index: number): number {
  return (all[index] as Commit).committed
}
