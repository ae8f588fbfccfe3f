/** Who is told about an overlap: by a comment, by a notification, within a budget (docs/contract/publishing.md#who-gets-it). Pure. */

import { DAY_MS } from '../../vocabulary/clock.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import type { BudgetState } from '../../vocabulary/contract/signal.ts'
import type { Severity } from '../../vocabulary/severity.ts'
import { byRank, isAtLeast } from '../../vocabulary/severity.ts'
import { OTHERS_SHOWN_MAX } from '../../vocabulary/shown.ts'
import type { PairRow } from '../ledger/table.ts'
import type { PullRequestRow } from '../pull-requests/table.ts'
import type { Suppression } from '../report/report.ts'

/** Overlapping work that the comment on a pull request may name. */
export interface Candidate {
  severity: Severity
  is_duplicate: boolean
  /** Some of its changes certainly conflict. */
  is_proved: boolean
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
  /** When it was last pushed or declared. */
  active_at: Date
  /** Whose event brought the overlap about; null if unknown. */
  cause: 'this' | 'other' | null
  /** It was opened or declared before the pull request. */
  is_earlier: boolean
}

export interface CommentRules {
  comment: Settings['comment']
  is_draft: boolean
  /** The budget of comments is exceeded and the pull request has none yet. */
  is_over_budget: boolean
  now: Date
}

/** Why the comment does not name the candidate; null if it does. */
export function findSuppression(candidate: Candidate, rules: CommentRules): Suppression | null {
  const { comment, is_draft, is_over_budget } = rules
  if (!isAtLeast(candidate.severity, thresholdFor(comment, is_draft))) return 'below_threshold'
  if (isStale(candidate.active_at, rules)) return 'stale'
  if (candidate.is_bot) return 'bot'
  if (candidate.is_same_author && !comment.same_author) return 'same_author'
  if (candidate.is_blocking) return null
  if (comment.audience === 'later' && !isCausedByThis(candidate)) return 'other_side'
  if (is_over_budget && !isWorthMore(candidate)) return 'over_budget'
  return null
}

/** The lowest severity that is shown on a pull request. */
export function thresholdFor(
  { min_severity, draft_min_severity }: Pick<Settings['comment'], 'min_severity' | 'draft_min_severity'>,
  is_draft: boolean,
): Severity {
  return is_draft ? draft_min_severity : min_severity
}

/** Whether work that was last pushed or declared at `active_at` is too old to be shown. */
function isStale(active_at: Date, { comment, now }: Pick<CommentRules, 'comment' | 'now'>): boolean {
  return now.getTime() - active_at.getTime() > comment.stale_after_days * DAY_MS
}

function isCausedByThis({ cause, is_earlier }: Candidate): boolean {
  return cause === null ? is_earlier : cause === 'this'
}

/** Whether the candidate is shown even when the budget is exceeded. */
function isWorthMore({ conflicts, is_duplicate, is_risky }: Candidate): boolean {
  return conflicts >= 2 || is_duplicate || is_risky
}

type Ordered = Pick<Candidate, 'severity' | 'is_duplicate' | 'is_proved'>

/** In the order of the comment: duplicates first, then proved conflicts, then by severity, then in the given order. */
export function inOrderOfComment<Each extends Ordered>(candidates: readonly Each[]): Each[] {
  const byStanding = (a: Each, b: Each) =>
    Number(b.is_duplicate) - Number(a.is_duplicate) || Number(b.is_proved) - Number(a.is_proved)
  return candidates.toSorted((a, b) => byStanding(a, b) || byRank(a, b))
}

/** The candidates that a comment names. `candidates`: those that are not suppressed. */
export function selectNamed<Each extends Ordered>(candidates: readonly Each[]): Each[] {
  return inOrderOfComment(candidates).slice(0, OTHERS_SHOWN_MAX)
}

/** Whether nothing is published on a pull request, because a bot opened it and the settings exclude bots. */
export function isIgnored(
  { author, is_bot }: Pick<PullRequestRow, 'author' | 'is_bot'>,
  comment: Settings['comment'],
): boolean {
  return !comment.on_bots && isBot({ login: author, is_of_type_bot: is_bot }, comment)
}

/**
 * Whether a notification about a pair is due: it has just become a duplicate or a proved conflict, neither side is stale,
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
  const isSevere = row.is_duplicate || row.confidence === 'proved'
  return isSevere && ![row.first_active_at, row.second_active_at].some((at) => isStale(at, rules))
}

const BOT_SUFFIX = '[bot]'

/** Whether an account is a bot: GitHub's type `Bot`, or a login that ends in `[bot]`, except coding agents. */
export function isBot(
  account: { login: string; is_of_type_bot: boolean },
  { agents }: Pick<Settings['comment'], 'agents'>,
): boolean {
  const isAgent = agents.some((agent) => withoutSuffix(agent) === withoutSuffix(account.login))
  return !isAgent && (account.is_of_type_bot || account.login.toLowerCase().endsWith(BOT_SUFFIX))
}

function withoutSuffix(login: string): string {
  const name = login.toLowerCase()
  return name.endsWith(BOT_SUFFIX) ? name.slice(0, -BOT_SUFFIX.length) : name
}

/** The budget counts the pull requests that were opened in this period. */
export const BUDGET_DAYS = 30

/** With fewer pull requests, the share is not meaningful. */
const PULL_REQUESTS_MIN = 20

/**
 * The budget: the share of pull requests that may have a comment (docs/contract/publishing.md#budget). `pull_requests`: those by people that were opened in the
 * last `BUDGET_DAYS`; `commented`: those of them with a comment.
 */
export function computeBudget(
  { pull_requests, commented }: { pull_requests: number; commented: number },
  limit: number,
): BudgetState {
  const share = pull_requests === 0 ? null : commented / pull_requests
  return { share, limit, in_force: pull_requests >= PULL_REQUESTS_MIN && share !== null && share > limit }
}
