/** What the rules of the audience need to know about overlapping work. Pure. */

import type { Settings } from '../../vocabulary/contract/settings.ts'
import { isRisky } from '../../vocabulary/weight.ts'
import { authorLogin } from '../activities/author.ts'
import { bySecond, numberOf, pullRequestKey } from '../ledger/pair.ts'
import type { PairRow } from '../ledger/table.ts'
import type { PullRequestRow } from '../pull-requests/table.ts'
import { type Candidate, isBot } from './audience.ts'
import type { EnteredOverlaps } from './overlap-groups.ts'
import { activeAt, loginOf, type OverlapGroup, recordOf } from './overlap-groups.ts'

type Subject = Pick<PullRequestRow, 'number' | 'author' | 'opened_at' | 'pushed_at' | 'head_sha'>

/** A group as a candidate for the comment on the pull request. */
export function candidateOf(
  group: OverlapGroup,
  pr: Subject,
  {
    comment,
    is_blocking,
    entered,
  }: { comment: Settings['comment']; is_blocking: boolean; entered: EnteredOverlaps },
): Candidate {
  const { key, number, overlaps } = group
  const [{ severity }] = overlaps
  const pair = key === null ? undefined : entered.pairs.get(key)
  const other = number === null ? undefined : entered.others.get(number)
  const cause = pair?.outcome === 'open' && pair.cause ? pair[pair.cause] : null
  const conflicts = overlaps.flatMap(({ match }) =>
    match.paths.filter(({ verdict }) => verdict === 'conflict'),
  )
  const opened_at = other?.opened_at ?? recordOf(group).created_at
  return {
    severity,
    is_duplicate: overlaps.some(({ match }) => match.duplicate !== null),
    is_proved: conflicts.some(({ confidence }) => confidence === 'proved'),
    conflicts: new Set(conflicts.map(({ example }) => example)).size,
    is_risky: overlaps.some(({ record }) => isRisky(record.risk)),
    is_blocking: is_blocking || overlaps.some(({ record }) => record.blocking),
    is_bot: isBot({ login: loginOf(group, entered.others), is_of_type_bot: other?.is_bot ?? false }, comment),
    is_same_author: isSameAuthor(group, pr, entered),
    active_at: activeAt(group, entered.others),
    cause: cause === null ? null : cause === pullRequestKey(pr.number) ? 'this' : 'other',
    is_earlier: isEarlier({ at: opened_at, number }, { at: pr.opened_at, number: pr.number }),
  }
}

/**
 * Whether the group and the pull request have the same author. For a group with a pull request, the author of the pull
 * request counts, because another user may have declared the activity.
 */
function isSameAuthor(
  { number, overlaps }: OverlapGroup,
  { author }: Subject,
  { others }: EnteredOverlaps,
): boolean {
  const other = number === null ? null : others.get(number)?.author
  return overlaps.some(({ record, match }) => {
    const login = other ?? authorLogin(record)
    if (author === null || login === null) return match.same_author
    return author.toLowerCase() === login.toLowerCase()
  })
}

interface Opened {
  at: Date
  number: number | null
}

/**
 * Whether `one` was opened first. Within a second, the lower number counts as earlier, and work without a pull request as
 * the earliest.
 */
function isEarlier(one: Opened, other: Opened): boolean {
  return (bySecond(one.at, other.at) || (one.number ?? 0) - (other.number ?? 0)) < 0
}

/** The pull requests whose overlap was shown to this one, and that were merged since its last push. */
export function mergedSincePush(
  pairs: EnteredOverlaps['pairs'],
  { number, pushed_at, head_sha }: Subject,
  web_url: string,
): { number: number; url: string }[] {
  const isWaiting = ({ merged, merged_at, ...row }: PairRow) => {
    const slot = row.first === pullRequestKey(number) ? 'first' : 'second'
    if (merged === null || merged_at === null || merged === slot || row[`${slot}_shown_at`] === null)
      return false
    return row[`${slot}_head`] === head_sha || (pushed_at !== null && bySecond(pushed_at, merged_at) < 0)
  }
  return [...pairs].flatMap(([key, row]) => {
    const other = numberOf(key)
    return other !== null && isWaiting(row) ? [{ number: other, url: `${web_url}/pull/${other}` }] : []
  })
}
