/** Whether the pairs that people and agents were told of conflict, and which conflicts between live work nobody was told of, by `git merge-tree`. */
import { DEFAULT_SETTINGS } from '../../../src/vocabulary/contract/settings.ts'
import type { Git } from '../git.ts'
import { compareHeads, duplicatesIn } from '../heads.ts'
import { type History, overlapsWithTruth } from '../history.ts'
import { isComparable, type Overlap, overlapsOf } from '../overlaps.ts'
import { DAY } from '../pull-requests.ts'
import { truthOf } from '../truth.ts'
import type { LivePlay } from './play.ts'

const LIVE_S = DEFAULT_SETTINGS.comment.stale_after_days * DAY

export interface Judged {
  /** Pairs that a comment or an answer named, each once, by the heads of that time. `duplicate`: the same work without a conflict. */
  told: { conflicting: number; duplicate: number; neither: number }
  /** Conflicts between work by two people, both pushed within 14 days of the later opening, that were opened in the period, and those that nobody was told of. */
  live_conflicts: { all: number; untold: number }
}

export async function judge(
  git: Git,
  { played, history, report }: { played: LivePlay; history: History; report: (line: string) => void },
): Promise<Judged> {
  const { commits, branches, since, noise, changed } = history
  const byNumber = new Map(changed.map((pr) => [pr.n, pr]))
  const told = new Map<string, Overlap>()
  for (const { on, named, revisions } of [...played.answers, ...played.writes])
    for (const n of named) {
      const other = byNumber.get(n)
      const [mine, theirs] = [revisions.get(on.n), revisions.get(n)]
      const key = keyOf(on.n, n)
      if (other === undefined || mine === undefined || theirs === undefined || told.has(key)) continue
      const compared = compareHeads(mine.changes, theirs.changes, { noise })
      const at = (pr: typeof on, { head, base, changes }: typeof mine) => ({
        ...pr,
        head,
        base,
        last: changes,
      })
      told.set(key, {
        earlier: at(other, theirs),
        later: at(on, mine),
        is_of_people: true,
        rebased_over: null,
        compared,
        numbers_touch: false,
      })
    }
  const pairs = [...told.values()]
  const truths = await truthOf(git, commits, { overlaps: pairs, report })
  const conflicting = truths.filter((verdict) => verdict === 'conflict').length
  const clean = pairs.filter((_, index) => truths[index] === 'clean')
  const duplicate = clean.filter(({ compared }) => duplicatesIn(compared).length > 0).length

  const overlaps = [...overlapsOf(changed, { branches, since, noise })].filter(
    (overlap) => isComparable(overlap) && isLive(overlap.earlier.revisions, overlap.later.opened),
  )
  const judged = await overlapsWithTruth(git, commits, { overlaps, report })
  const live = judged.filter(({ truth }) => truth === 'conflict')
  const untold = live.filter(({ earlier, later }) => !told.has(keyOf(earlier.n, later.n)))
  return {
    told: { conflicting, duplicate, neither: clean.length - duplicate },
    live_conflicts: { all: live.length, untold: untold.length },
  }
}

function isLive(revisions: readonly { at: number }[], opened: number): boolean {
  return revisions.some(({ at }) => at <= opened && at > opened - LIVE_S)
}

function keyOf(one: number, other: number): string {
  return `${Math.min(one, other)} ${Math.max(one, other)}`
}
