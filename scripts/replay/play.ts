/**
 * Plays openings, pushes and merges in the order of events through the rules of the service: verdict, ledger, audience and
 * budget. All pull requests count as ready for review. Pure.
 */

import {
  BUDGET_DAYS,
  type Candidate,
  computeRoom,
  findSuppression,
  type Room,
  selectNamed,
} from '../../src/server/decision/who-is-told.ts'
import { type LastChange, pullRequestKey, type SideKey, slotOf } from '../../src/server/ledger/pair.ts'
import type { PairRow } from '../../src/server/ledger/table.ts'
import { afterAbsence, afterSighting } from '../../src/server/ledger/transitions.ts'
import { isSameAuthor } from '../../src/server/overlap/side.ts'
import type { Settings } from '../../src/vocabulary/contract/settings.ts'
import { collisionSeverity } from '../../src/vocabulary/severity.ts'
import type { Branch } from './commits.ts'
import { type Changed, type ComparedHeads, type CompareHeads, isStacked, keysOf } from './heads.ts'
import { DAY, isRebasedOver } from './pull-requests.ts'

/** Two pull requests that the service has called a conflict or a duplicate. */
export interface PlayedPair {
  earlier: Changed
  /** The one that was opened later. */
  later: Changed
  /** The present verdict; null if it is neither a conflict nor a duplicate any more. */
  compared: ComparedHeads | null
  /** As the ledger of the service records it. */
  row: PairRow
}

export interface Comment {
  on: Changed
  /** In seconds. */
  at: number
  /** How many others it named when it was posted. */
  posted: number
  /** The numbers of all that it has named, also after it was edited. */
  named: Set<number>
  /** The budget was in force then. */
  is_over_budget: boolean
}

export interface Played {
  pairs: PlayedPair[]
  comments: Comment[]
  /** Whether the budget was in force, from each event on. */
  budget: { at: number; in_force: boolean }[]
}

export interface PlayOptions {
  comment: Settings['comment']
  branches: readonly Branch[]
  compare: CompareHeads
  /** What pull requests meet by; those that meet are compared. */
  keys?: typeof keysOf
  /** When the App is installed, in seconds: what was pushed before is compared, and told, with the next event of either side. */
  since: number
}

type Pushed = Changed['revisions'][number]
interface Event {
  at: number
  pr: Changed
  /** Null when the pull request was merged or closed. */
  revision: Pushed | null
}

interface State extends Required<PlayOptions> {
  /** The present revision of each open pull request. */
  live: Map<Changed, Pushed>
  byKey: Map<string, Set<Changed>>
  /** By both numbers, the lower one first. */
  pairs: Map<string, PlayedPair>
  pairsOf: Map<Changed, PlayedPair[]>
  comments: Map<Changed, Comment>
  /** Those with an event since the installation; others get no comment yet. */
  had_own_event: Set<Changed>
  /** By people, in order of opening. */
  people: Changed[]
}

export function play(pull_requests: readonly Changed[], options: PlayOptions): Played {
  const state: State = {
    keys: keysOf,
    ...options,
    live: new Map(),
    byKey: new Map(),
    pairs: new Map(),
    pairsOf: new Map(),
    comments: new Map(),
    had_own_event: new Set(),
    people: pull_requests.filter(({ is_bot }) => !is_bot).toSorted((a, b) => a.opened - b.opened),
  }
  const budget: Played['budget'] = []
  for (const { at, pr, revision } of eventsOf(pull_requests)) {
    if (revision === null) {
      leave(state, pr)
      continue
    }
    const before = state.live.get(pr)
    leave(state, pr)
    enter(state, pr, revision)
    if (at < options.since) continue
    state.had_own_event.add(pr)
    for (const other of meet(state, { pr, before })) publish(state, other, at)
    publish(state, pr, at)
    budget.push({ at, in_force: roomAt(state, at) !== 'any' })
  }
  return { pairs: [...state.pairs.values()], comments: [...state.comments.values()], budget }
}

/** A merge comes before a push of the same time, a lower number before a higher one. */
function eventsOf(pull_requests: readonly Changed[]): Event[] {
  const events = pull_requests.flatMap((pr): Event[] => [
    ...pr.revisions.filter(({ at }) => at < pr.ended).map((revision) => ({ at: revision.at, pr, revision })),
    ...(Number.isFinite(pr.ended) ? [{ at: pr.ended, pr, revision: null }] : []),
  ])
  const isPush = ({ revision }: Event) => Number(revision !== null)
  return events.sort((a, b) => a.at - b.at || isPush(a) - isPush(b) || a.pr.n - b.pr.n)
}

function enter({ live, byKey, keys }: State, pr: Changed, revision: Pushed): void {
  live.set(pr, revision)
  for (const key of keys(pr, revision.changes)) {
    const there = byKey.get(key)
    if (there) there.add(pr)
    else byKey.set(key, new Set([pr]))
  }
}

function leave({ live, byKey, keys }: State, pr: Changed): void {
  const revision = live.get(pr)
  if (revision === undefined) return
  live.delete(pr)
  for (const key of keys(pr, revision.changes)) byKey.get(key)?.delete(pr)
}

/** Compares `pr` with all other open pull requests after its push. Returns those with which it has a pair. */
function meet(state: State, { pr, before }: { pr: Changed; before: Pushed | undefined }): Changed[] {
  const now = state.live.get(pr) as Pushed
  const others = new Set([...state.keys(pr, now.changes)].flatMap((key) => [...(state.byKey.get(key) ?? [])]))
  for (const pair of state.pairsOf.get(pr) ?? []) others.add(otherOf(pair, pr))
  for (const other of others) {
    const theirs = state.live.get(other)
    if (other === pr || theirs === undefined || isStacked(pr, other)) continue
    const compared = compareAt(state, [pr, now], [other, theirs])
    if (compared === 'unknown') continue
    const isOld = pr.opened < state.since && other.opened < state.since
    // A pair that existed when the replay started has an unknown cause.
    const existed = compared && isOld && before && compareAt(state, [pr, before], [other, theirs]) !== null
    record(state, [pr, lastChangeOf(now, !existed)], [other, lastChangeOf(theirs, true)], compared)
  }
  return (state.pairsOf.get(pr) ?? []).map((pair) => otherOf(pair, pr)).filter((each) => state.live.has(each))
}

/** Enters the result of a comparison after a push of `pr`. */
function record(
  { pairs, pairsOf }: State,
  [pr, mine]: [Changed, LastChange],
  [other, its]: [Changed, LastChange],
  compared: ComparedHeads | null,
): void {
  const key = pullRequestKey(pr.n)
  const pair = pairs.get(keyOf(pr, other))
  if (compared === null) {
    if (pair)
      Object.assign(pair, { compared, row: afterAbsence(pair.row, { key, mine, other: its }, mine.at) })
    return
  }
  const row = afterSighting(pair?.row, {
    side: { key, author: pr.author, last_change: mine },
    sighting: {
      key: pullRequestKey(other.n),
      author: other.author,
      last_change: its,
      fails_together: false,
      is_duplicate: compared.duplicate !== null,
      confidence: compared.lines?.confidence ?? null,
      files: [],
      sequence: compared.sequence.map((each) => ({ ...each, your_own: null, their_own: null })),
    },
    repo_id: 0,
    now: mine.at,
  })
  if (pair) {
    Object.assign(pair, { compared, row })
    return
  }
  const [earlier, later] = isEarlier(pr, other) ? [pr, other] : [other, pr]
  const added = { earlier, later, compared, row }
  pairs.set(keyOf(pr, other), added)
  for (const each of [pr, other]) pairsOf.set(each, [...(pairsOf.get(each) ?? []), added])
}

function lastChangeOf({ at, head }: Pushed, is_exact: boolean): LastChange {
  return { at: dateOf(at), received_at: dateOf(at), is_exact, head: String(head) }
}

/** Null if it is neither a conflict nor a duplicate, and they share no number or parent; `unknown` if one was rebased over the other's later merge. */
function compareAt(
  { compare, branches }: State,
  [one, its]: [Changed, Pushed],
  [other, theirs]: [Changed, Pushed],
): ComparedHeads | null | 'unknown' {
  const branch = branches[one.branch] as Branch
  if (isRebasedOver(its, other, branch) || isRebasedOver(theirs, one, branch)) return 'unknown'
  const compared = compare(its.changes, theirs.changes)
  const isPair =
    compared.lines?.verdict === 'conflict' || compared.duplicate !== null || compared.sequence.length > 0
  return isPair ? compared : null
}

/** Writes or edits the comment on a pull request. */
function publish(state: State, pr: Changed, at: number): void {
  if (pr.is_bot && !state.comment.on_bots) return
  const comment = state.comments.get(pr)
  if (comment === undefined && !state.had_own_event.has(pr)) return
  const rules = {
    comment: state.comment,
    is_draft: false,
    room: comment === undefined ? roomAt(state, at) : 'any',
    active_at: dateOf((state.live.get(pr) as Pushed).at),
    now: dateOf(at),
  }
  const all = (state.pairsOf.get(pr) ?? []).flatMap((pair) => {
    const revision = state.live.get(otherOf(pair, pr))
    return revision && pair.compared ? [{ pair, ...signalOf(pair, pair.compared, { pr, revision }) }] : []
  })
  const named = selectNamed(all.filter((other) => findSuppression(other, rules) === null))
  if (named.length === 0) return
  const numbers = comment?.named ?? new Set()
  for (const { pair } of named) {
    pair.row = markShown(pair.row, pullRequestKey(pr.n), dateOf(at))
    numbers.add(otherOf(pair, pr).n)
  }
  if (!comment)
    state.comments.set(pr, {
      on: pr,
      at,
      posted: named.length,
      named: numbers,
      is_over_budget: rules.room === 'strong',
    })
}

/** What the audience rules need of the other side of a pair. */
function signalOf(
  pair: PlayedPair,
  compared: ComparedHeads,
  { pr, revision }: { pr: Changed; revision: Pushed },
): Candidate {
  const other = otherOf(pair, pr)
  const { cause } = pair.row
  const slot = slotOf(pullRequestKey(pr.n), pullRequestKey(other.n))
  return {
    severity: collisionSeverity(compared, null, 0) ?? 'low',
    fails_together: false,
    is_duplicate: compared.duplicate !== null,
    takes_same: compared.sequence.length > 0,
    is_only_moved: false,
    is_proved: compared.files.some(
      ({ verdict, confidence }) => verdict === 'conflict' && confidence === 'proved',
    ),
    conflicts: compared.files.filter(({ verdict }) => verdict === 'conflict').length,
    is_risky: false,
    is_blocking: false,
    breadth: null,
    is_bot: other.is_bot,
    is_same_author: isSameAuthor(pr.last.author, other.last.author),
    active_at: dateOf(revision.at),
    cause: cause === null ? null : cause === slot ? 'this' : 'other',
    is_earlier: pair.earlier === other,
  }
}

function roomAt({ people, comments, comment }: State, at: number): Room {
  const recent = people.filter(({ opened }) => opened <= at && opened > at - BUDGET_DAYS * DAY)
  const commented = recent.filter((pr) => comments.has(pr)).length
  const over_budget = recent.filter((pr) => comments.get(pr)?.is_over_budget).length
  return computeRoom({ pull_requests: recent.length, commented, over_budget }, comment.budget)
}

/** The pair after side `key` was shown it. The first time counts, as in the ledger. */
function markShown(row: PairRow, key: SideKey, at: Date): PairRow {
  const slot = row.first === key ? 'first' : 'second'
  return { ...row, [`${slot}_shown_at`]: row[`${slot}_shown_at`] ?? at }
}

/** When a comment named the pair first, in seconds; null if none did. */
export function shownAt({ row: { first_shown_at, second_shown_at } }: PlayedPair): number | null {
  const shown = [first_shown_at, second_shown_at].flatMap((at) => (at === null ? [] : [at.getTime() / 1000]))
  return shown.length === 0 ? null : Math.min(...shown)
}

function otherOf({ earlier, later }: PlayedPair, pr: Changed): Changed {
  return earlier === pr ? later : earlier
}

function isEarlier(one: Changed, other: Changed): boolean {
  return one.opened < other.opened || (one.opened === other.opened && one.n < other.n)
}

function keyOf(one: Changed, other: Changed): string {
  return `${Math.min(one.n, other.n)} ${Math.max(one.n, other.n)}`
}

function dateOf(seconds: number): Date {
  return new Date(1000 * seconds)
}
