/** Who is told about an overlap: by a comment, by a notification, within a budget (docs/contract/publishing.md#who-gets-it). Pure. */

import { DAY_MS } from '../../vocabulary/clock.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import type { BudgetState } from '../../vocabulary/contract/signal.ts'
import { isForOneOfBoth, isSameWork } from '../../vocabulary/finding.ts'
import type { Finding } from '../../vocabulary/finding-kinds.ts'
import { isBot } from '../../vocabulary/names.ts'
import { byRank, isAtLeast, type Severity } from '../../vocabulary/severity.ts'
import type { HiddenBecause } from '../../vocabulary/shown.ts'
import type { PullRequestRow } from '../records/pull-requests/table.ts'
import type { Counterpart } from './counterparts.ts'
import { lastActive, pullRequestKey, type SideKey } from './sides.ts'
import { type PairRow, SLOTS } from './table.ts'
import type { Pairs } from './transitions.ts'

/** Why overlapping work is not shown, by the rules about the work itself. */
export type Suppression = Exclude<HiddenBecause, 'muted' | 'shadow' | 'no_event' | 'other_base'>

/** Whose event brought an overlap about; null if unknown. */
type Cause = 'this' | 'other' | null

export interface CommentRules {
  comment: Settings['comment']
  is_draft: boolean
  /** What the budget leaves for a pull request without a comment. */
  room: Room
  /** When this side was last pushed or made ready. */
  active_at: Date
  now: Date
}

/** Why the comment does not name the candidate; null if it does. */
export function findSuppression(
  candidate: Counterpart,
  cause: Cause,
  rules: CommentRules,
): Suppression | null {
  const { comment, is_draft, room } = rules
  if (!isAtLeast(candidate.severity, thresholdFor(comment, is_draft))) return 'below_threshold'
  if (isStale(candidate.active_at, rules) || isStale(rules.active_at, rules)) return 'stale'
  if (candidate.is_bot) return 'bot'
  if (candidate.is_same_author && !isToldOneAuthor(candidate.findings, comment)) return 'same_author'
  if (candidate.is_blocking) return null
  if (candidate.breadth === 'plain') return 'declared_by_glob'
  const isCausedByThis = cause === null ? candidate.is_earlier : cause === 'this'
  if (comment.audience === 'later' && !isCausedByThis) return 'other_side'
  if (room === 'none' || (room === 'strong' && !isStrong(candidate))) return 'over_budget'
  return null
}

/** Whether a pull request hears that a merged one has most of its lines: like a duplicate that it has brought about itself. */
export function isDoneShown(rules: CommentRules): boolean {
  const { comment, is_draft, room } = rules
  return (
    isAtLeast('high', thresholdFor(comment, is_draft)) && !isStale(rules.active_at, rules) && room !== 'none'
  )
}

/** Whether one author of both sides is told. Who runs many agents does not see that two of them do the same. */
function isToldOneAuthor(findings: readonly Finding[], { same_author }: Settings['comment']): boolean {
  return same_author || isForOneOfBoth(findings)
}

interface ChangedWork {
  settings: Pick<Settings, 'comment' | 'check_run'>
  now: Date
  /** The sides whose pair with the other work only that may be shown. */
  unshown: ReadonlySet<SideKey>
}

/**
 * Whether a change of other work cannot change what a pull request shows: nothing is on it, and it is too stale for a first
 * comment, or would not show the other work.
 */
export function isSilent(
  pr: Pick<PullRequestRow, 'number' | 'pushed_at' | 'ready_at' | 'comment_id' | 'check_hash'>,
  { settings: { comment, check_run }, now, unshown }: ChangedWork,
): boolean {
  const isEmpty = pr.comment_id === null && pr.check_hash === null && !check_run
  return isEmpty && (unshown.has(pullRequestKey(pr.number)) || isStale(lastActive(pr), { comment, now }))
}

/**
 * Whether what is shown makes a comment on a pull request without one. Work does once the pull request had an event of its
 * own. Notables and work that blocks globs, which may concern every pull request, do with the next such event: of notables
 * only high ones.
 */
export function earnsComment(
  shown: {
    activities: readonly Pick<Counterpart, 'breadth' | 'is_blocking' | 'updated_at'>[]
    notables: readonly { severity: Severity; updated_at: Date }[]
  },
  { own_event_at }: Pick<PullRequestRow, 'own_event_at'>,
): boolean {
  if (own_event_at === null) return false
  const isSince = ({ updated_at }: { updated_at: Date }) => own_event_at >= updated_at
  return (
    shown.activities.some((each) => isCounted(each) || isSince(each)) ||
    shown.notables.some((each) => each.severity === 'high' && isSince(each))
  )
}

/** Whether a comment that names the work counts for the budget: not if it names it only because it blocks globs. */
export function isCounted({ breadth, is_blocking }: Pick<Counterpart, 'breadth' | 'is_blocking'>): boolean {
  return breadth === null || !is_blocking
}

/** The lowest severity that is shown on a pull request. */
export function thresholdFor(
  { min_severity, draft_min_severity }: Pick<Settings['comment'], 'min_severity' | 'draft_min_severity'>,
  is_draft: boolean,
): Severity {
  return is_draft ? draft_min_severity : min_severity
}

/** Whether work that was last pushed or declared at `active_at` is too old to be shown. */
export function isStale(active_at: Date, { comment, now }: Pick<CommentRules, 'comment' | 'now'>): boolean {
  return now.getTime() - active_at.getTime() > comment.stale_after_days * DAY_MS
}

/** Whether the candidate is shown even when the budget is exceeded. */
function isStrong({ conflicts, findings, is_risky }: Counterpart): boolean {
  return conflicts.length >= 2 || isForOneOfBoth(findings) || is_risky
}

/** In the order of the comment: the work of others first, what does the same, what takes the same, proved conflicts, severity, and the given order. */
export function inOrderOfComment<Each extends Counterpart>(candidates: readonly Each[]): Each[] {
  const rank = ({ findings }: Each) => (isSameWork(findings) ? 0 : isForOneOfBoth(findings) ? 1 : 2)
  const isProved = ({ confidence }: Each) => confidence === 'proved'
  const byStanding = (a: Each, b: Each) =>
    Number(a.is_same_author) - Number(b.is_same_author) ||
    rank(a) - rank(b) ||
    Number(isProved(b)) - Number(isProved(a))
  return candidates.toSorted((a, b) => byStanding(a, b) || byRank(a, b))
}

/** Whether nothing is published on a pull request, because a bot opened it and the settings exclude bots. */
export function isIgnored(
  { author, is_bot }: Pick<PullRequestRow, 'author' | 'is_bot'>,
  comment: Settings['comment'],
): boolean {
  return !comment.on_bots && isBot({ login: author, is_of_type_bot: is_bot }, comment)
}

/** Whether nothing is said on it, by its label or by a comment. */
export function isMuted(pr: Pick<PullRequestRow, 'is_muted' | 'is_muted_by_comment'>) {
  return pr.is_muted || pr.is_muted_by_comment
}

/**
 * Whether a notification about a pair is due: it has just become a duplicate, a proved conflict or one that
 * takes the same number or parent, neither side is stale,
 * and both are by people, by different ones unless it is a duplicate or a number, or `comment.same_author` is set. `before`: the pair as it was stored.
 */
export function isNotificationDue(
  { pair, before }: { pair: PairRow; before: PairRow | undefined },
  between: { is_of_bot: boolean; is_same_author: boolean; findings: readonly Finding[] },
  rules: Pick<CommentRules, 'comment' | 'now'>,
): boolean {
  if (pair.notified_at !== null || pair.outcome !== 'open') return false
  const isDue = isSevereAndFresh(pair, rules) || (isForOneOfBoth(between.findings) && isFresh(pair, rules))
  if (!isDue || (before && isSevereAndFresh(before, rules))) return false
  const isTold = !between.is_same_author || isToldOneAuthor(between.findings, rules.comment)
  return !between.is_of_bot && isTold
}

function isSevereAndFresh(row: PairRow, rules: Pick<CommentRules, 'comment' | 'now'>): boolean {
  const { consequence, confidence } = row
  const isForOne = consequence === 'same_work' || consequence === 'same_number'
  return (isForOne || (consequence === 'conflict' && confidence === 'proved')) && isFresh(row, rules)
}

function isFresh(row: PairRow, rules: Pick<CommentRules, 'comment' | 'now'>): boolean {
  return !SLOTS.some((slot) => isStale(new Date(row.sides[slot].active_at), rules))
}

/** By the open pair. */
export function findCause(own: SideKey, { key }: Counterpart, pairs: Pairs): Cause {
  const pair = key === null ? undefined : pairs.get(key)
  if (pair?.outcome !== 'open' || pair.cause === null) return null
  return pair[pair.cause] === own ? 'this' : 'other'
}

/** With fewer pull requests, the share is not meaningful. */
const PULL_REQUESTS_MIN = 20

/** How many comments over the budget strong candidates get: a share of the pull requests, or a few in a small repository. */
const EXCESS_SHARE = 0.01
const EXCESS_MIN = 2

/** Which candidates a pull request may still get its first comment for. */
export type Room = 'any' | 'strong' | 'none'

/** `over_budget`: those whose comment was made while the budget was in force. */
export type Counts = Record<'pull_requests' | 'commented' | 'over_budget', number>

/** The budget: the share of pull requests that may have a comment (docs/contract/publishing.md#budget). */
export function computeBudget({ pull_requests, commented }: Counts, limit: number): BudgetState {
  const share = pull_requests === 0 ? null : commented / pull_requests
  return { share, limit, in_force: pull_requests >= PULL_REQUESTS_MIN && share !== null && share > limit }
}

/** What the budget leaves for a pull request without a comment: above it strong candidates, but only a few. */
export function computeRoom(counts: Counts, limit: number): Room {
  if (!computeBudget(counts, limit).in_force) return 'any'
  return counts.over_budget < Math.max(EXCESS_SHARE * counts.pull_requests, EXCESS_MIN) ? 'strong' : 'none'
}
