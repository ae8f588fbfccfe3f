/** The order in which to merge the open pull requests that conflict with each other (docs/contract/signal.md#merge-order). Pure. */

import type { MergeOrder } from '../../vocabulary/contract/overlap-list.ts'
import { findingOf, leadTo } from '../../vocabulary/finding.ts'
import { addTo } from '../../vocabulary/lists.ts'
import { pullRequestName } from '../../vocabulary/names.ts'
import { count, joined } from '../../vocabulary/text.ts'
import type { LiveRecord } from '../record.ts'
import type { Stacks } from '../stacks.ts'
import type { ChangeSize, RankedCollision } from './collisions-by-lines.ts'
import type { LinkedPullRequest, Participant } from './live-pairs.ts'

/** How many pull requests the reason of a place names. Further ones are counted. */
const NAMED_MAX = 3

/** An open pull request with all its live activities. */
export interface OpenPullRequest {
  activity_id: string
  pr_url: string
  /** The `activity_id` of each pull request that conflicts with it. */
  conflicts_with: ReadonlySet<string>
  changed_lines: number
  changed_files: number
  /** The `activity_id` of each of the nearest pull requests that it is stacked on. */
  built_on: ReadonlySet<string>
  /** False if it may have more conflicts than those in `conflicts_with`. */
  is_decided: boolean
}

/** `pulls`: the newest first. `not_compared`: a sentence that says which activities were not compared; null if all were. */
export function mergeOrder(pulls: readonly OpenPullRequest[], not_compared: string | null): MergeOrder {
  const conflicting = pulls.filter((each) => each.conflicts_with.size > 0)
  // Of two with equal conflicts and sizes, the older one comes first.
  const ordered = bottomUp(conflicting.toReversed().sort(byConflictsAndSize))
  const positions = new Map(ordered.map(({ activity_id }, index) => [activity_id, index]))
  const inOrder = (ids: Iterable<string>) => {
    const at = [...ids].flatMap((id) => positions.get(id) ?? [])
    return at.sort((a, b) => a - b).map((position) => ordered[position] as OpenPullRequest)
  }
  const items = ordered.map((pull, index) => ({
    activity_id: pull.activity_id,
    pr_url: pull.pr_url,
    conflicts_with: inOrder(pull.conflicts_with).map(({ activity_id }) => activity_id),
    position: index + 1,
    reason: reasonOf(pull, ordered, inOrder),
  }))
  const clear = pulls.filter((each) => each.conflicts_with.size === 0 && each.is_decided)
  const order = { items, clear: clear.map(({ activity_id }) => activity_id) }
  const reasons = [not_compared, undecidedReason(pulls)].filter((each) => each !== null)
  return reasons.length === 0 ? order : { ...order, complete: false, reason: reasons.join(' ') }
}

/** `2 conflicts: #12 and #14; 60 changed lines; built on #9`: what decided its place, for people. */
function reasonOf(
  { conflicts_with, changed_lines, built_on }: OpenPullRequest,
  ordered: readonly OpenPullRequest[],
  inOrder: (ids: Iterable<string>) => OpenPullRequest[],
): string {
  const nameOf = ({ activity_id, pr_url }: OpenPullRequest) => pullRequestName(pr_url) ?? activity_id
  const conflicts = inOrder(conflicts_with).map(nameOf)
  const more = conflicts.splice(NAMED_MAX).length
  const names = joined([...conflicts, ...(more > 0 ? [`${more} more`] : [])])
  // Sizes decide only between equals.
  const equals = ordered.filter((each) => each.conflicts_with.size === conflicts_with.size)
  const bases = inOrder(built_on).map(nameOf)
  return [
    `${count(conflicts_with.size, 'conflict', 'conflicts')}: ${names}`,
    ...(equals.length > 1 && changed_lines > 0
      ? [count(changed_lines, 'changed line', 'changed lines')]
      : []),
    ...(bases.length > 0 ? [`built on ${joined(bases)}`] : []),
  ].join('; ')
}

function undecidedReason(pulls: readonly OpenPullRequest[]): string | null {
  const count = pulls.filter(({ is_decided }) => !is_decided).length
  if (count === 0) return null
  const subject = count === 1 ? '1 open pull request has' : `${count} open pull requests have`
  return `It is not known whether ${subject} further conflicts; those without a known conflict are in neither list.`
}

function byConflictsAndSize(a: OpenPullRequest, b: OpenPullRequest): number {
  return (
    a.conflicts_with.size - b.conflicts_with.size ||
    b.changed_lines - a.changed_lines ||
    b.changed_files - a.changed_files
  )
}

/**
 * Keeps the order, but puts each pull request after those that it is built on. Two that are built on each other are not a
 * stack.
 */
function bottomUp(ranked: readonly OpenPullRequest[]): OpenPullRequest[] {
  const byId = new Map(ranked.map((each) => [each.activity_id, each]))
  const basesOf = ({ activity_id, built_on }: OpenPullRequest) =>
    [...built_on].filter((id) => byId.get(id)?.built_on.has(activity_id) === false)
  const waiting = ranked.map((pull) => ({ pull, bases: new Set(basesOf(pull)) }))
  const ordered: OpenPullRequest[] = []
  while (waiting.length > 0) {
    const free = waiting.findIndex(({ bases }) => bases.size === 0)
    // In a cycle of three or more, none is free, so the first one is taken.
    for (const { pull } of waiting.splice(Math.max(free, 0), 1)) {
      ordered.push(pull)
      for (const { bases } of waiting) bases.delete(pull.activity_id)
    }
  }
  return ordered
}

interface Compared {
  /** Ranked by lines where possible. */
  collisions: readonly RankedCollision[]
  /** The positions of activities that may collide with others in ways that are not in `collisions`. */
  undecided: ReadonlySet<number>
  /** By position. */
  sizes: ReadonlyMap<number, ChangeSize>
  stacks: Stacks<LiveRecord>
}

/** All activities of one pull request. */
interface Group {
  /** The activity that the result names. */
  named: Participant
  members: Member[]
  conflicts: Set<Group>
  is_decided: boolean
}

interface Member {
  position: number
  activity: Participant
  pull_request: LinkedPullRequest
}

/** `participants` and the result: the newest first. */
export function openPullRequests(
  participants: readonly Participant[],
  { collisions, undecided, sizes, stacks }: Compared,
): OpenPullRequest[] {
  const groups = groupsOf(participants, undecided)
  relate(collisions, participants, groups)
  const all = [...groups.values()].sort((a, b) => (a.named.record.id > b.named.record.id ? -1 : 1))
  const conflicting = all.filter(({ conflicts }) => conflicts.size > 0)
  const idsOn = idsByBranch(conflicting)
  const basesOf = ({ members }: Group) =>
    members.flatMap(({ activity }) =>
      stacks.nearestBelow(activity.record, idsOn).flatMap((branch) => idsOn.get(branch) ?? []),
    )
  return all.map((group) => {
    const known = group.members.flatMap(({ position }) => sizes.get(position) ?? [])
    return {
      activity_id: group.named.record.id,
      pr_url: group.named.pull_request?.url as string,
      conflicts_with: new Set([...group.conflicts].map(({ named }) => named.record.id)),
      changed_lines: Math.max(0, ...known.map(({ lines }) => lines)),
      changed_files: Math.max(0, ...known.map(({ files }) => files)),
      built_on: new Set(group.conflicts.size > 0 ? basesOf(group) : []),
      is_decided: group.is_decided,
    }
  })
}

/** By the number of the pull request. */
function groupsOf(participants: readonly Participant[], undecided: ReadonlySet<number>): Map<number, Group> {
  const members = new Map<number, Member[]>()
  for (const [position, activity] of participants.entries()) {
    const { pull_request } = activity
    if (pull_request !== null) addTo(members, pull_request.number, { position, activity, pull_request })
  }
  const groups = [...members].map(([number, all]): [number, Group] => {
    const { activity } = (all.find(({ pull_request }) => pull_request.is_own) ?? all[0]) as Member
    const isKnown = all.some(({ pull_request }) => pull_request.is_known)
    const is_decided = isKnown && !all.some(({ position }) => undecided.has(position))
    return [number, { named: activity, members: all, conflicts: new Set(), is_decided }]
  })
  return new Map(groups)
}

/** Adds the conflicts to the groups, and marks groups as undecided if the lines that they share are unknown. */
function relate(
  collisions: readonly RankedCollision[],
  participants: readonly Participant[],
  groups: ReadonlyMap<number, Group>,
): void {
  for (const { newer, older, comparison } of collisions) {
    const sides = [newer, older].flatMap((position) => participants[position]?.pull_request ?? [])
    const [one, other] = sides.map(({ number }) => groups.get(number))
    if (!one || !other || one === other) continue
    const findings = comparison?.findings ?? []
    const verdict = findingOf(findings, 'lines')?.verdict
    if (leadTo(findings, 'conflict') || leadTo(findings, 'same_number')) {
      one.conflicts.add(other)
      other.conflicts.add(one)
      continue
    }
    const sharesPaths = findingOf(findings, 'paths') !== undefined && sides.some(({ has_paths }) => has_paths)
    if (comparison && verdict !== 'unknown' && !sharesPaths) continue
    one.is_decided = false
    other.is_decided = false
  }
}

function idsByBranch(groups: readonly Group[]): Map<string, string[]> {
  const ids = new Map<string, string[]>()
  for (const { named, members } of groups) {
    for (const { activity } of members) {
      const { branch } = activity.record
      if (branch !== null) addTo(ids, branch, named.record.id)
    }
  }
  return ids
}
