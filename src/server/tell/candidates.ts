/** The overlapping work of a pull request, each with why a comment does not name it. Pure. */

import type { PullRequestRow } from '../records/pull-requests/table.ts'
import { pullRequestKey } from './pair.ts'
import type { Facts } from './read.ts'
import type { Suppression } from './report.ts'
import type { Pairs } from './side-pairs.ts'
import { type Counterpart, isEarlier } from './sides.ts'
import { type CommentRules, findSuppression, lastActive } from './who-is-told.ts'

/** The fields of the pull request that the report depends on. */
export type Reported = Pick<
  PullRequestRow,
  | 'number'
  | 'is_draft'
  | 'is_queued'
  | 'opened_at'
  | 'pushed_at'
  | 'ready_at'
  | 'own_event_at'
  | 'comment_deleted_at'
  | 'head_sha'
  | 'is_by_newcomer'
  | 'branch'
>

export type ReportFacts = Pick<
  Facts,
  'counterparts' | 'settings' | 'room' | 'now' | 'page_url' | 'own_files' | 'next_numbers'
> & {
  repo: Pick<Facts['repo'], 'web_urls'>
}

/** The rules about the comment on a pull request. */
export function rulesFor(pr: Reported, facts: ReportFacts): CommentRules {
  const { comment } = facts.settings
  return { ...facts, comment, is_draft: pr.is_draft, active_at: lastActive(pr) }
}

/** The overlapping work, each with why a comment does not name it; null if it does. */
export function judgeCandidates(
  pr: Reported,
  facts: ReportFacts,
  pairs: Pairs,
): (Counterpart & { suppression: Suppression | null })[] {
  const rules = rulesFor(pr, facts)
  return facts.counterparts.map((each) => {
    const standing = { cause: findCause(pr, each, pairs), is_earlier: isEarlier(each, pr) }
    return { ...each, suppression: findSuppression({ ...each, ...standing }, rules) }
  })
}

/** Whose event brought the overlap about, by its open pair; null if unknown. */
function findCause(pr: Reported, { key }: Counterpart, pairs: Pairs): 'this' | 'other' | null {
  const pair = key === null ? undefined : pairs.get(key)
  if (pair?.outcome !== 'open' || pair.cause === null) return null
  return pair[pair.cause] === pullRequestKey(pr.number) ? 'this' : 'other'
}
