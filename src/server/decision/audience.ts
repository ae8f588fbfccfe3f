/** Which overlapping work a comment names (docs/contract/publishing.md#who-gets-it). Pure. */

import { DAY_MS } from '../../vocabulary/clock.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import type { Severity } from '../../vocabulary/severity.ts'
import { byRank, isAtLeast } from '../../vocabulary/severity.ts'
import { OTHERS_SHOWN_MAX } from '../../vocabulary/shown.ts'

/** Why other work is not named in a comment. */
export type Suppression =
  | 'below_threshold'
  | 'stale'
  | 'bot'
  | 'same_author'
  /** The other side caused the overlap, or was opened later. */
  | 'other_side'
  | 'over_budget'

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
  is_same_author: boolean
  /** When it was last pushed or declared. */
  active_at: Date
  /** Whose event brought the overlap about; null if unknown. */
  cause: 'this' | 'other' | null
  /** It was opened or declared before the pull request. */
  is_earlier: boolean
}

export interface AudienceRules {
  comment: Settings['comment']
  is_draft: boolean
  /** The budget of comments is exceeded and the pull request has none yet. */
  is_over_budget: boolean
  now: Date
}

/** Why the comment does not name the candidate; null if it does. */
export function suppressionOf(candidate: Candidate, rules: AudienceRules): Suppression | null {
  const { comment, is_draft, is_over_budget } = rules
  if (!isAtLeast(candidate.severity, is_draft ? comment.draft_min_severity : comment.min_severity))
    return 'below_threshold'
  if (isStale(candidate.active_at, rules)) return 'stale'
  if (candidate.is_bot) return 'bot'
  if (candidate.is_same_author && !comment.same_author) return 'same_author'
  if (candidate.is_blocking) return null
  if (comment.audience === 'later' && !isCausedByThis(candidate)) return 'other_side'
  if (is_over_budget && !isWorthMore(candidate)) return 'over_budget'
  return null
}

/** Whether work that was last pushed or declared at `active_at` is too old to be shown. */
export function isStale(active_at: Date, { comment, now }: Pick<AudienceRules, 'comment' | 'now'>): boolean {
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
export function namedOf<Each extends Ordered>(candidates: readonly Each[]): Each[] {
  return inOrderOfComment(candidates).slice(0, OTHERS_SHOWN_MAX)
}

const BOT_SUFFIX = '[bot]'

/** Whether an account is a bot: GitHub's type `Bot`, or a login that ends in `[bot]`, except coding agents. */
export function isBot(
  account: { login: string; is_of_type_bot: boolean },
  { agents }: Pick<Settings['comment'], 'agents'>,
): boolean {
  const isAgent = agents.some((agent) => nameOf(agent) === nameOf(account.login))
  return !isAgent && (account.is_of_type_bot || account.login.toLowerCase().endsWith(BOT_SUFFIX))
}

function nameOf(login: string): string {
  const name = login.toLowerCase()
  return name.endsWith(BOT_SUFFIX) ? name.slice(0, -BOT_SUFFIX.length) : name
}
