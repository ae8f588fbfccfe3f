/** Whether the pairs that people and agents were told of conflict, and which conflicts between live work nobody was told of, by `git merge-tree`. */
import { consequenceOf } from '../../../src/vocabulary/finding.ts'
import type { Consequence } from '../../../src/vocabulary/finding-kinds.ts'
import type { Git } from '../git.ts'
import { type Changed, compareHeads, LIVE_S } from '../heads.ts'
import { type History, overlapsWithTruth } from '../history.ts'
import { isComparable, type Overlap, overlapsOf } from '../overlaps.ts'
import { type OverlapWithTruth, truthOf } from '../truth.ts'
import type { LivePlay } from './play.ts'

/** A pair that a comment or an answer named, by the heads of the first time. */
export interface ToldPair extends OverlapWithTruth {
  /** In seconds. */
  at: number
  consequence: Consequence | null
}

export interface Judged {
  told: ToldPair[]
  /** Conflicts between work by two people, both pushed within 14 days of the later opening, that were opened in the period, and those that nobody was told of. */
  live_conflicts: { all: number; untold: number }
}

export async function judge(
  git: Git,
  { played, history, report }: { played: LivePlay; history: History; report: (line: string) => void },
): Promise<Judged> {
  const { commits, branches, since, noise, changed } = history
  const byNumber = new Map(changed.map((pr) => [pr.n, pr]))
  const told = new Map<string, Overlap & Pick<ToldPair, 'at' | 'consequence'>>()
  for (const { on, at, named, revisions } of played.told)
    for (const n of named) {
      const other = byNumber.get(n)
      const [mine, theirs] = [revisions.get(on.n), revisions.get(n)]
      const key = keyOf(on.n, n)
      if (other === undefined || mine === undefined || theirs === undefined || told.has(key)) continue
      const compared = compareHeads(mine.changes, theirs.changes, { noise })
      const sideOf = (pr: typeof on, { changes: last, ...at }: typeof mine) => ({ ...pr, ...at, last })
      const [earlier, later] = [sideOf(other, theirs), sideOf(on, mine)].sort((a, b) => a.opened - b.opened)
      told.set(key, {
        earlier: earlier as Changed,
        later: later as Changed,
        at,
        consequence: consequenceOf(compared.findings),
        is_of_people: true,
        rebased_over: null,
        compared,
      })
    }
  const pairs = [...told.values()]
  const truths = await truthOf(git, commits, { overlaps: pairs, report })

  const overlaps = [...overlapsOf(changed, { branches, since, noise })].filter(
    (overlap) => isComparable(overlap) && isLive(overlap.earlier.revisions, overlap.later.opened),
  )
  const judged = await overlapsWithTruth(git, commits, { overlaps, report })
  const live = judged.filter(({ truth }) => truth === 'conflict')
  const untold = live.filter(({ earlier, later }) => !told.has(keyOf(earlier.n, later.n)))
  return {
    told: pairs.map((pair, index) => ({ ...pair, truth: truths[index] ?? null })),
    live_conflicts: { all: live.length, untold: untold.length },
  }
}

function isLive(revisions: readonly { at: number }[], opened: number): boolean {
  return revisions.some(({ at }) => at <= opened && at > opened - LIVE_S)
}

function keyOf(one: number, other: number): string {
  return `${Math.min(one, other)} ${Math.max(one, other)}`
}
