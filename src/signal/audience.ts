/** Who is told of overlapping work in a comment (contract §12). Pure. */
import type { Settings } from '../context/settings.ts'
import type { Severity } from '../overlap/overlap.ts'
import { byRank, isAtLeast } from '../overlap/severity.ts'

/** Why other work is not named in a comment. */
export type Silence =
  | 'below_threshold'
  | 'stale'
  | 'bot'
  | 'same_author'
  /** The pair is the other side's to hear of. */
  | 'other_side'
  | 'over_budget'

/** Other work that overlaps with a pull request. */
export interface Other {
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
  /** Written by a bot that is no coding agent: see `isBot`. */
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

const DAY_MS = 86_400_000

/** Why the pull request is not told of `other`; null if it is told. */
export function silenceOf(other: Other, rules: AudienceRules): Silence | null {
  const { comment, is_draft, is_over_budget, now } = rules
  if (!isAtLeast(other.severity, is_draft ? comment.draft_min_severity : comment.min_severity))
    return 'below_threshold'
  if (now.getTime() - other.active_at.getTime() > comment.stale_after_days * DAY_MS) return 'stale'
  if (other.is_bot) return 'bot'
  if (other.is_same_author && !comment.same_author) return 'same_author'
  if (other.is_blocking) return null
  if (comment.audience === 'later' && !isCausedByThis(other)) return 'other_side'
  if (is_over_budget && !isWorthMore(other)) return 'over_budget'
  return null
}

function isCausedByThis({ cause, is_earlier }: Other): boolean {
  return cause === null ? is_earlier : cause === 'this'
}

/** What is still shown when the budget is exceeded. */
function isWorthMore({ conflicts, is_duplicate, is_risky }: Other): boolean {
  return conflicts >= 2 || is_duplicate || is_risky
}

/** The maximum number of other pull requests and activities that a comment names. */
export const NAMED_MAX = 3

type Ordered = Pick<Other, 'severity' | 'is_duplicate' | 'is_proved'>

/** In the order in which a comment names them: duplicates first, then proved conflicts, then by severity, then in the given order. */
export function inOrderOfComment<Each extends Ordered>(others: readonly Each[]): Each[] {
  const byStanding = (a: Each, b: Each) =>
    Number(b.is_duplicate) - Number(a.is_duplicate) || Number(b.is_proved) - Number(a.is_proved)
  return others.toSorted((a, b) => byStanding(a, b) || byRank(a, b))
}

/** Those that a comment names, of all that are not silenced. */
export function namedOf<Each extends Ordered>(others: readonly Each[]): Each[] {
  return inOrderOfComment(others).slice(0, NAMED_MAX)
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
