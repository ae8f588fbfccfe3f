/**
 * The sides of pairs: pull requests, and branches without one; their keys, when they changed, and what overlaps with
 * them. Pure.
 */
import type { Found } from '../../engine/check/source.ts'
import type { ChangedFile } from '../../engine/lines/change.ts'
import { authorLogin, type ComparedActivity, comparedScopeOf } from '../../engine/records/activity.ts'
import type { ActivityRow } from '../records/activities/table.ts'
import type { PullRequestRow } from '../records/pull-requests/table.ts'
import type { BySlot, PairSide, Slot } from './table.ts'

/** `#12` for a pull request, `branch:NAME` for a branch without one. The name of a branch contains no colon. */
export type SideKey = string

export function pullRequestKey(number: number): SideKey {
  return `#${number}`
}

const BRANCH = 'branch:'

export function branchKey(branch: string): SideKey {
  return `${BRANCH}${branch}`
}

/** The number of a pull request; null for a branch. */
export function numberOf(key: SideKey): number | null {
  return key.startsWith('#') ? Number(key.slice(1)) : null
}

/** The branch of a side without a pull request; null for a pull request. */
export function branchOf(key: SideKey): string | null {
  return key.startsWith(BRANCH) ? key.slice(BRANCH.length) : null
}

/** When a side was last pushed or declared. */
export interface LastChange {
  at: Date
  /** When the service learned of it. */
  received_at: Date
  /** False if the service did not see the event, which then happened between `at` and `received_at`. */
  is_exact: boolean
  /** The head commit of a pull request; null for a branch. */
  head: string | null
}

/**
 * Which of two sides brought their overlap about: the one that was pushed or declared last or, within a second, that the
 * service learned of last. Null if that is unknown.
 */
export function causeOf({ a, b }: BySlot<LastChange>): Slot | null {
  const latest = ({ at, received_at, is_exact }: LastChange) => (is_exact ? at : received_at)
  const later = bySecond(latest(a), latest(b)) || a.received_at.getTime() - b.received_at.getTime()
  if (later > 0) return a.is_exact ? 'a' : null
  if (later < 0) return b.is_exact ? 'b' : null
  return null
}

/** Compares times to the second, because GitHub's are no more precise. */
export function bySecond(one: Date, other: Date): number {
  return Math.floor(one.getTime() / 1000) - Math.floor(other.getTime() / 1000)
}

/** Whether a side was pushed or declared again since it was stored as `before`. */
export function hasMoved({ at, head }: LastChange, before: PairSide): boolean {
  return at > new Date(before.active_at) || (head !== null && before.head !== null && head !== before.head)
}

/** A side of pairs: a pull request, or a branch without one. */
export interface LedgerSide {
  key: SideKey
  /** The login of its author, or the actor of declared work; null if unknown. */
  author: string | null
  last_change: LastChange
}

/** The side that is checked: a pull request, or a branch without one. */
export interface Subject extends LedgerSide {
  author: string
  /** Null for a branch without a pull request. */
  pr: PullRequestRow | null
  /** The branch, unless it is in a fork. */
  branch: string | null
  activities: readonly ActivityRow[]
  /** Its changed files. */
  files: readonly ChangedFile[]
}

/** `activities`: the live ones of the pull request. */
export function pullRequestSubject(pr: PullRequestRow, activities: readonly ActivityRow[]): Subject {
  const branch = pr.branch.includes(':') ? null : pr.branch
  const side = { key: pullRequestKey(pr.number), author: pr.author, last_change: lastPush(pr) }
  return { ...side, pr, branch, activities, files: filesOf(activities) }
}

/** `activities`: those of the branch. */
export function branchSubject(branch: string, activities: readonly [ActivityRow, ...ActivityRow[]]): Subject {
  return {
    key: branchKey(branch),
    author: findAuthor(activities[0]),
    last_change: lastDeclaration(activities),
    pr: null,
    branch,
    activities,
    files: filesOf(activities),
  }
}

function filesOf(activities: readonly ActivityRow[]): ChangedFile[] {
  return activities.flatMap((each) => comparedScopeOf(each).files)
}

/** When a pull request was last pushed. */
export function lastPush({
  pushed_at,
  push_received_at,
  is_push_seen,
  head_sha,
}: Pick<PullRequestRow, 'pushed_at' | 'push_received_at' | 'is_push_seen' | 'head_sha'>): LastChange {
  return { at: pushed_at, received_at: push_received_at, is_exact: is_push_seen, head: head_sha }
}

/** When the activities of a branch were last declared or pushed. */
export function lastDeclaration(
  records: readonly Pick<ComparedActivity, 'declared_at' | 'created_at'>[],
): LastChange {
  const times = records.map(({ declared_at, created_at }) => (declared_at ?? created_at).getTime())
  const at = new Date(Math.max(...times))
  return { at, received_at: at, is_exact: true, head: null }
}

/** The login of the author of an activity, else its actor. */
export function findAuthor(record: Pick<ComparedActivity, 'source' | 'actor' | 'created_by'>): string {
  return authorLogin(record) ?? record.actor
}

/** When a pull request was last pushed or made ready. */
export function lastActive({ pushed_at, ready_at }: Pick<PullRequestRow, 'pushed_at' | 'ready_at'>): Date {
  return ready_at !== null && ready_at > pushed_at ? ready_at : pushed_at
}

export type FoundOverlaps = [Found<ComparedActivity>, ...Found<ComparedActivity>[]]

/** Overlapping activities of one pull request or branch. */
export interface OverlapGroup {
  /** Its key in the ledger; null for an activity that has neither a pull request nor a branch. */
  key: SideKey | null
  /** The number of its pull request. */
  number: number | null
  /** The most severe first. */
  overlaps: FoundOverlaps
}

/** `collisions`: the most severe first. The groups are in the order of their first collisions. */
export function groupOverlaps(collisions: readonly Found<ComparedActivity>[]): OverlapGroup[] {
  const groups = new Map<string, OverlapGroup>()
  // An activity on the branch of a pull request belongs to it, even if it is not linked yet.
  const numbers = new Map(
    collisions.flatMap(({ record: { branch, pr_number } }) =>
      pr_number === null ? [] : [[branch, pr_number]],
    ),
  )
  for (const each of collisions) {
    const { branch, id } = each.record
    const number = each.record.pr_number ?? (branch === null ? null : (numbers.get(branch) ?? null))
    const key = number !== null ? pullRequestKey(number) : branch === null ? null : branchKey(branch)
    const group = groups.get(key ?? id)
    if (group) group.overlaps.push(each)
    else groups.set(key ?? id, { key, number, overlaps: [each] })
  }
  return [...groups.values()]
}
