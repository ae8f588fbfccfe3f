/** Who is told about an overlap: by a comment, by a notification, within a budget (docs/contract/publishing.md#who-gets-it). Pure. */

import { DAY_MS } from '../../vocabulary/clock.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import type { BudgetState } from '../../vocabulary/contract/signal.ts'
import { BOT_SUFFIX, isListed } from '../../vocabulary/logins.ts'
import type { Severity } from '../../vocabulary/severity.ts'
import { byRank, isAtLeast } from '../../vocabulary/severity.ts'
import type { PairRow } from '../ledger/table.ts'
import type { PullRequestRow } from '../pull-requests/table.ts'
import type { Suppression } from '../report/report.ts'

/** Overlapping work that the comment on a pull request may name. */
export interface Candidate {
  severity: Severity
  is_duplicate: boolean
  /** Some of its changes certainly conflict. */
  is_proved: boolean
  /** Both take the same number, or build on the same migration. */
  takes_same: boolean
  /** Files whose changes conflict. */
  conflicts: number
  /** Its risk is high or critical. */
  is_risky: boolean
  /** Either side blocks others. */
  is_blocking: boolean
  /** Written by a bot that is not a coding agent: see `isBot`. */
  is_bot: boolean
  /** Both sides have the same author: see `isSameAuthor`. */
  is_same_author: boolean
  /** What both share is a glob of declared work of low or medium risk, or of risky work; else null. */
  breadth: Breadth | null
  /** When it was last pushed, made ready or declared. */
  active_at: Date
  /** Whose event brought the overlap about; null if unknown. */
  cause: 'this' | 'other' | null
  /** It was opened or declared before the pull request. */
  is_earlier: boolean
}

/** Work that is declared by globs: `risky` if its risk is high or critical. */
export type Breadth = 'plain' | 'risky'

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
export function findSuppression(candidate: Candidate, rules: CommentRules): Suppression | null {
  const { comment, is_draft, room } = rules
  if (!isAtLeast(candidate.severity, thresholdFor(comment, is_draft))) return 'below_threshold'
  if (isStale(candidate.active_at, rules) || isStale(rules.active_at, rules)) return 'stale'
  if (candidate.is_bot) return 'bot'
  if (candidate.is_same_author && !comment.same_author) return 'same_author'
  if (candidate.is_blocking) return null
  if (candidate.breadth === 'plain') return 'declared_by_glob'
  if (comment.audience === 'later' && !isCausedByThis(candidate)) return 'other_side'
  if (room === 'none' || (room === 'strong' && !isStrong(candidate))) return 'over_budget'
  return null
}

/**
 * Whether a pull request hears that a merge took its number: at once, without a budget, and whoever caused the pair, but not
 * while it is stale.
 */
export function isTakenShown(rules: Pick<CommentRules, 'comment' | 'now' | 'active_at'>): boolean {
  return !isStale(rules.active_at, rules)
}

/**
 * Whether a pull request hears that a merged one has most of its lines: under the rules for a duplicate of another author that
 * it has brought about itself.
 */
export function isDoneShown(
  authors: Pick<PairRow, 'first_author' | 'second_author'>,
  rules: CommentRules,
): boolean {
  const { comment, is_draft, room } = rules
  if (!isAtLeast('high', thresholdFor(comment, is_draft))) return false
  return !isStale(rules.active_at, rules) && !isBySame(authors, comment) && room !== 'none'
}

/** Whether a change of other work cannot change what a pull request shows: nothing is on it, and it is too stale for a first comment. */
export function isSilent(
  pr: Pick<PullRequestRow, 'pushed_at' | 'ready_at' | 'comment_id' | 'check_hash'>,
  { settings: { comment, check_run }, now }: { settings: Pick<Settings, 'comment' | 'check_run'>; now: Date },
): boolean {
  const isEmpty = pr.comment_id === null && pr.check_hash === null && !check_run
  return isEmpty && isStale(lastActive(pr), { comment, now })
}

/** Whether both sides of a pair are by one person, who is not told. A coding agent works for many people. */
export function isBySame(
  { first_author, second_author }: Pick<PairRow, 'first_author' | 'second_author'>,
  { same_author, agents }: Pick<Settings['comment'], 'same_author' | 'agents'>,
): boolean {
  if (same_author || first_author === null || isListed(first_author, agents)) return false
  return first_author.toLowerCase() === second_author?.toLowerCase()
}

/** What a comment shows, and when that was last changed. */
type Shown = Pick<Candidate, 'breadth' | 'is_blocking'> & { updated_at: Date }

/**
 * Whether what is shown makes a comment on a pull request without one. Work does once the pull request had an event of its
 * own. Notables and work that blocks globs, which may concern every pull request, do with the next such event: of notables
 * only high ones.
 */
export function earnsComment(
  shown: { activities: readonly Shown[]; notables: readonly { severity: Severity; updated_at: Date }[] },
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
export function isCounted({ breadth, is_blocking }: Pick<Candidate, 'breadth' | 'is_blocking'>): boolean {
  return breadth === null || !is_blocking
}

/** The lowest severity that is shown on a pull request. */
export function thresholdFor(
  { min_severity, draft_min_severity }: Pick<Settings['comment'], 'min_severity' | 'draft_min_severity'>,
  is_draft: boolean,
): Severity {
  return is_draft ? draft_min_severity : min_severity
}

/** When a pull request was last pushed or made ready. */
export function lastActive({ pushed_at, ready_at }: Pick<PullRequestRow, 'pushed_at' | 'ready_at'>): Date {
  return ready_at !== null && ready_at > pushed_at ? ready_at : pushed_at
}

/** Whether work that was last pushed or declared at `active_at` is too old to be shown. */
function isStale(active_at: Date, { comment, now }: Pick<CommentRules, 'comment' | 'now'>): boolean {
  return now.getTime() - active_at.getTime() > comment.stale_after_days * DAY_MS
}

function isCausedByThis({ cause, is_earlier }: Candidate): boolean {
  return cause === null ? is_earlier : cause === 'this'
}

/** Whether the candidate is shown even when the budget is exceeded. */
function isStrong({ conflicts, is_duplicate, takes_same, is_risky }: Candidate): boolean {
  return conflicts >= 2 || is_duplicate || takes_same || is_risky
}

type Ordered = Pick<Candidate, 'severity' | 'is_duplicate' | 'takes_same' | 'is_proved'>

/** In the order of the comment: duplicates first, then shared numbers and parents, then proved conflicts, then by severity, then in the given order. */
export function inOrderOfComment<Each extends Ordered>(candidates: readonly Each[]): Each[] {
  const byStanding = (a: Each, b: Each) =>
    Number(b.is_duplicate) - Number(a.is_duplicate) ||
    Number(b.takes_same) - Number(a.takes_same) ||
    Number(b.is_proved) - Number(a.is_proved)
  return candidates.toSorted((a, b) => byStanding(a, b) || byRank(a, b))
}

/** Whether nothing is published on a pull request, because a bot opened it and the settings exclude bots. */
export function isIgnored(
  { author, is_bot }: Pick<PullRequestRow, 'author' | 'is_bot'>,
  comment: Settings['comment'],
): boolean {
  return !comment.on_bots && isBot({ login: author, is_of_type_bot: is_bot }, comment)
}

/**
 * Whether a notification about a pair is due: it has just become a duplicate, a proved conflict or one that
 * takes the same number or parent, neither side is stale,
 * and both are by people, by different ones unless `comment.same_author` is set. `before`: the pair as it was stored.
 */
export function isNotificationDue(
  { pair, before }: { pair: PairRow; before: PairRow | undefined },
  between: { is_of_bot: boolean; is_same_author: boolean },
  rules: Pick<CommentRules, 'comment' | 'now'>,
): boolean {
  if (pair.notified_at !== null || pair.outcome !== 'open') return false
  if (!isSevereAndFresh(pair, rules) || (before && isSevereAndFresh(before, rules))) return false
  return !between.is_of_bot && (!between.is_same_author || rules.comment.same_author)
}

function isSevereAndFresh(row: PairRow, rules: Pick<CommentRules, 'comment' | 'now'>): boolean {
  const isSevere = row.is_duplicate || row.sequence.length > 0 || row.confidence === 'proved'
  return isSevere && ![row.first_active_at, row.second_active_at].some((at) => isStale(at, rules))
}

/** Whether an account is a bot: GitHub's type `Bot`, a login that ends in `[bot]`, or one of `bots`, except coding agents. */
export function isBot(
  { login, is_of_type_bot }: { login: string; is_of_type_bot: boolean },
  { agents, bots }: Pick<Settings['comment'], 'agents' | 'bots'>,
): boolean {
  if (isListed(login, agents)) return false
  return is_of_type_bot || login.toLowerCase().endsWith(BOT_SUFFIX) || isListed(login, bots)
}

/** The budget counts the pull requests that were opened in this period. */
export const BUDGET_DAYS = 30

/** With fewer pull requests, the share is not meaningful. */
const PULL_REQUESTS_MIN = 20

/** How many comments over the budget strong candidates get: a share of the pull requests, or a few in a small repository. */
const EXCESS_SHARE = 0.01
const EXCESS_MIN = 2

/** Which candidates a pull request may still get its first comment for. */
export type Room = 'any' | 'strong' | 'none'

/**
 * The pull requests by people that were opened in the last `BUDGET_DAYS`, those of them with a comment, and those whose
 * comment was made while the budget was in force.
 */
interface Commented {
  pull_requests: number
  commented: number
  over_budget: number
}

/** The budget: the share of pull requests that may have a comment (docs/contract/publishing.md#budget). */
export function computeBudget(
  { pull_requests, commented }: Pick<Commented, 'pull_requests' | 'commented'>,
  limit: number,
): BudgetState {
  const share = pull_requests === 0 ? null : commented / pull_requests
  return { share, limit, in_force: pull_requests >= PULL_REQUESTS_MIN && share !== null && share > limit }
}

/** What the budget leaves for a pull request without a comment: above it strong candidates, but only a few. */
export function computeRoom(counts: Commented, limit: number): Room {
  if (!computeBudget(counts, limit).in_force) return 'any'
  return counts.over_budget < Math.max(EXCESS_SHARE * counts.pull_requests, EXCESS_MIN) ? 'strong' : 'none'
}
