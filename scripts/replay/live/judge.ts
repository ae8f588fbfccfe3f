/** Whether the pairs that people and agents were told of conflict, and which conflicts between live work nobody was told of, by `git merge-tree`. */
import type { Git } from '../git.ts'
import { headComparison } from '../heads.ts'
import { type History, overlapsWithTruth } from '../history.ts'
import { isComparable, type Overlap, overlapsOf } from '../overlaps.ts'
import { truthOf } from '../truth.ts'
import type { LivePlay } from './play.ts'

const DAY = 86_400
/** `comment.stale_after_days`. */
const LIVE_DAYS = 14

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
  const compare = headComparison(noise)
  const byNumber = new Map(changed.map((pr) => [pr.n, pr]))
  const told = new Map<string, Overlap>()
  for (const { on, named, revisions } of [...played.answers, ...played.writes])
    for (const n of named) {
      const other = byNumber.get(n)
      const [mine, theirs] = [revisions.get(on.n), revisions.get(n)]
      const key = keyOf(on.n, n)
      if (other === undefined || mine === undefined || theirs === undefined || told.has(key)) continue
      const compared = compare(mine.changes, theirs.changes)
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
        raw_gap: 0,
      })
    }
  const pairs = [...told.values()]
  const truths = await truthOf(git, commits, { overlaps: pairs, report })
  const conflicting = truths.filter(({ verdict }) => verdict === 'conflict').length
  const clean = pairs.filter((_, index) => truths[index]?.verdict === 'clean')
  const duplicate = clean.filter(({ compared }) => compared.duplicate !== null).length

  const overlaps = [...overlapsOf(changed, { branches, since, compare })].filter(
    (overlap) => isComparable(overlap) && isLive(overlap.earlier.revisions, overlap.later.opened),
  )
  const judged = await overlapsWithTruth(git, commits, { overlaps, report })
  const live = judged.filter(({ truth }) => truth?.verdict === 'conflict')
  const untold = live.filter(({ earlier, later }) => !told.has(keyOf(earlier.n, later.n)))
  return {
    told: { conflicting, duplicate, neither: clean.length - duplicate },
    live_conflicts: { all: live.length, untold: untold.length },
  }
}

function isLive(revisions: readonly { at: number }[], opened: number): boolean {
  return revisions.some(({ at }) => at <= opened && at > opened - LIVE_DAYS * DAY)
}

function keyOf(one: number, other: number): string {
  return `${Math.min(one, other)} ${Math.max(one, other)}`
}
