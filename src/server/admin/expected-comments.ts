/** How many comments settings would have led to, by the pairs of the ledger (docs/operations.md#settings-before-they-apply). Pure. */
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import type { Severity } from '../../vocabulary/severity.ts'
import {
  BUDGET_DAYS,
  type Candidate,
  type CommentRules,
  computeRoom,
  findSuppression,
  isBot,
  isBySame,
  isDoneShown,
  isIgnored,
  type Room,
} from '../decision/who-is-told.ts'
import { kindOf, numberOf, otherSlot, SLOTS, type Slot } from '../ledger/pair.ts'
import type { PairRow } from '../ledger/table.ts'
import type { PullRequestRow } from '../pull-requests/table.ts'

export type CountedPair = Pick<
  PairRow,
  | 'first'
  | 'second'
  | 'first_author'
  | 'second_author'
  | 'first_active_at'
  | 'second_active_at'
  | 'cause'
  | 'is_done'
  | 'merged'
  | 'is_duplicate'
  | 'fails_together'
  | 'confidence'
  | 'files'
  | 'sequence'
  | 'seen_at'
>

export type CountedPullRequest = Pick<
  PullRequestRow,
  'number' | 'author' | 'is_bot' | 'is_draft' | 'is_muted' | 'opened_at' | 'ready_at' | 'own_event_at'
>

/** What the ledger knows of a repository. */
export interface History {
  /** In the order in which they were found. */
  pairs: readonly CountedPair[]
  pull_requests: readonly CountedPullRequest[]
}

type Comment = Settings['comment']

/** The number of pull requests that get their first comment since `since`, if these rules had always held. */
export function countComments(history: History, comment: Comment, since: Date): number {
  if (comment.mode !== 'on') return 0
  const pulls = new Map(history.pull_requests.map((pr) => [pr.number, pr]))
  const commented = new Map<number, { at: Date; room: Room }>()
  for (const pair of history.pairs)
    for (const slot of SLOTS) {
      const pr = pulls.get(numberOf(pair[slot]) ?? 0)
      if (!pr || commented.has(pr.number) || !mayHaveComment(pr, comment)) continue
      const at = pair.seen_at
      const room = findRoom(history.pull_requests, commented, comment, at)
      const is_draft = pr.is_draft || (pr.ready_at !== null && pr.ready_at > at)
      const rules = { comment, is_draft, room, active_at: pair[`${slot}_active_at`], now: at }
      if (isShown(pair, slot, { pulls, rules })) commented.set(pr.number, { at, room })
    }
  return [...commented.values()].filter(({ at }) => at >= since).length
}

interface Showing {
  pulls: ReadonlyMap<number, CountedPullRequest>
  rules: CommentRules
}

/** Whether the comment on `slot` names the other side: as finished work, or as work in progress. */
function isShown(pair: CountedPair, slot: Slot, { pulls, rules }: Showing): boolean {
  if (pair.is_done && pair.merged !== slot && isDoneShown(pair, rules)) return true
  const isOnlyDone = pair.is_done && kindOf({ ...pair, is_done: false }) === 'declared'
  return !isOnlyDone && findSuppression(candidateOf(pair, slot, pulls, rules.comment), rules) === null
}

function mayHaveComment(pr: CountedPullRequest, comment: Comment): boolean {
  return pr.own_event_at !== null && !pr.is_muted && !isIgnored(pr, comment)
}

/** The side opposite `slot` as the comment on `slot` may name it. The ledger does not record its risk, nor whether it blocks. */
function candidateOf(
  pair: CountedPair,
  slot: Slot,
  pulls: ReadonlyMap<number, CountedPullRequest>,
  comment: Comment,
): Candidate {
  const other = otherSlot(slot)
  const own = pulls.get(numberOf(pair[slot]) ?? 0)
  const theirs = pulls.get(numberOf(pair[other]) ?? 0)
  return {
    severity: severityOf(pair),
    is_duplicate: pair.is_duplicate,
    fails_together: pair.fails_together,
    is_proved: pair.confidence === 'proved',
    takes_same: pair.sequence.length > 0,
    is_only_moved: false,
    conflicts: pair.files.length,
    is_risky: false,
    is_blocking: false,
    is_bot: isBot({ login: pair[`${other}_author`] ?? '', is_of_type_bot: theirs?.is_bot ?? false }, comment),
    is_same_author: isBySame(pair, comment),
    breadth: null,
    active_at: pair[`${other}_active_at`],
    cause: pair.cause && (pair.cause === slot ? 'this' : 'other'),
    // Work without a pull request counts as the earliest.
    is_earlier: !theirs || !own || theirs.opened_at < own.opened_at,
  }
}

function severityOf(pair: CountedPair): Severity {
  const kind = kindOf({ ...pair, is_done: false })
  return kind === 'declared' || (kind === 'conflict' && pair.confidence !== 'proved') ? 'medium' : 'high'
}

function findRoom(
  all: readonly CountedPullRequest[],
  commented: ReadonlyMap<number, { room: Room }>,
  comment: Comment,
  at: Date,
): Room {
  const from = later(at, -BUDGET_DAYS * DAY_MS)
  const isOfBot = ({ author, is_bot }: CountedPullRequest) =>
    isBot({ login: author, is_of_type_bot: is_bot }, comment)
  const opened = all.filter((pr) => pr.opened_at > from && pr.opened_at <= at && !isOfBot(pr))
  const rooms = opened.flatMap(({ number }) => commented.get(number)?.room ?? [])
  const over_budget = rooms.filter((room) => room !== 'any').length
  return computeRoom({ pull_requests: opened.length, commented: rooms.length, over_budget }, comment.budget)
}
