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
  conflicts_with: Set<OpenPullRequest>
  changed_lines: number
  changed_files: number
  /** The nearest ones that it is stacked on. */
  built_on: Set<OpenPullRequest>
  /** False if it may have more conflicts than those in `conflicts_with`. */
  is_decided: boolean
}

/** `pulls`: the newest first. `left_out`: sentences about what was not compared. */
export function mergeOrder(pulls: readonly OpenPullRequest[], left_out: readonly string[]): MergeOrder {
  const conflicting = pulls.filter((each) => each.conflicts_with.size > 0)
  // Of two with equal conflicts and sizes, the older one comes first.
  const ordered = bottomUp(conflicting.toReversed().sort(byConflictsAndSize))
  const inOrder = (some: ReadonlySet<OpenPullRequest>) => ordered.filter((each) => some.has(each))
  const items = ordered.map((pull, index) => ({
    activity_id: pull.activity_id,
    pr_url: pull.pr_url,
    conflicts_with: inOrder(pull.conflicts_with).map(({ activity_id }) => activity_id),
    position: index + 1,
    reason: reasonOf(pull, ordered, inOrder),
  }))
  const clear = pulls.filter((each) => each.conflicts_with.size === 0 && each.is_decided)
  const order = { items, clear: clear.map(({ activity_id }) => activity_id) }
  const reasons = [...left_out, ...undecidedReason(pulls)]
  return reasons.length === 0 ? order : { ...order, complete: false, reason: reasons.join(' ') }
}

/** `2 conflicts: #12 and #14; 60 changed lines; built on #9`: what decided its place, for people. */
function reasonOf(
  { conflicts_with, changed_lines, built_on }: OpenPullRequest,
  ordered: readonly OpenPullRequest[],
  inOrder: (some: ReadonlySet<OpenPullRequest>) => OpenPullRequest[],
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

function undecidedReason(pulls: readonly OpenPullRequest[]): string[] {
  const count = pulls.filter(({ is_decided }) => !is_decided).length
  if (count === 0) return []
  const subject = count === 1 ? '1 open pull request has' : `${count} open pull requests have`
  return [
    `It is not known whether ${subject} further conflicts; those without a known conflict are in neither list.`,
  ]
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
  const all = new Set(ranked)
  const isBelow = (base: OpenPullRequest, pull: OpenPullRequest) => all.has(base) && !base.built_on.has(pull)
  const waiting = ranked.map((pull) => ({
    pull,
    bases: new Set([...pull.built_on].filter((base) => isBelow(base, pull))),
  }))
  const ordered: OpenPullRequest[] = []
  while (waiting.length > 0) {
    const free = waiting.findIndex(({ bases }) => bases.size === 0)
    // In a cycle of three or more, none is free, so the first one is taken.
    for (const { pull } of waiting.splice(Math.max(free, 0), 1)) {
      ordered.push(pull)
      for (const { bases } of waiting) bases.delete(pull)
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

type Member = Participant & { position: number; pull_request: LinkedPullRequest }

/** `participants` and the result: the newest first. */
export function openPullRequests(
  participants: readonly Participant[],
  { collisions, undecided, sizes, stacks }: Compared,
): OpenPullRequest[] {
  const members = new Map<number, Member[]>()
  for (const [position, { pull_request, ...activity }] of participants.entries())
    if (pull_request) addTo(members, pull_request.number, { ...activity, position, pull_request })
  const pulls = new Map<number, OpenPullRequest>()
  for (const [number, all] of members) pulls.set(number, pullOf(all, { undecided, sizes }))
  relate(collisions, participants, pulls)
  const all = [...pulls].map(([number, pull]) => ({
    pull,
    records: members.get(number)?.map(({ record }) => record) ?? [],
  }))
  const conflicting = all.filter(({ pull }) => pull.conflicts_with.size > 0)
  const onBranch = new Map<string, OpenPullRequest[]>()
  for (const { pull, records } of conflicting)
    for (const { branch } of records) if (branch !== null) addTo(onBranch, branch, pull)
  for (const { pull, records } of conflicting)
    for (const branch of records.flatMap((record) => [...stacks.nearestBelow(record, onBranch)]))
      for (const base of onBranch.get(branch) ?? []) pull.built_on.add(base)
  return all.map(({ pull }) => pull).sort((a, b) => (a.activity_id > b.activity_id ? -1 : 1))
}

/** The pull request of these activities, before it is compared with others. */
function pullOf(
  all: readonly Member[],
  { undecided, sizes }: Pick<Compared, 'undecided' | 'sizes'>,
): OpenPullRequest {
  const { record, pull_request } = (all.find((each) => each.pull_request.is_own) ?? all[0]) as Member
  const known = all.flatMap(({ position }) => sizes.get(position) ?? [])
  const isKnown = all.some((each) => each.pull_request.is_known)
  return {
    activity_id: record.id,
    pr_url: pull_request.url,
    conflicts_with: new Set(),
    changed_lines: Math.max(0, ...known.map(({ lines }) => lines)),
    changed_files: Math.max(0, ...known.map(({ files }) => files)),
    built_on: new Set(),
    is_decided: isKnown && !all.some(({ position }) => undecided.has(position)),
  }
}

/** Adds the conflicts, and marks pull requests as undecided if the lines that they share are unknown. */
function relate(
  collisions: readonly RankedCollision[],
  participants: readonly Participant[],
  pulls: ReadonlyMap<number, OpenPullRequest>,
): void {
  for (const { newer, older, comparison } of collisions) {
    const sides = [newer, older].flatMap((position) => participants[position]?.pull_request ?? [])
    const [one, other] = sides.map(({ number }) => pulls.get(number))
    if (!one || !other || one === other) continue
    const findings = comparison?.findings ?? []
    const verdict = findingOf(findings, 'lines')?.verdict
    if (leadTo(findings, 'conflict') || leadTo(findings, 'same_number')) {
      one.conflicts_with.add(other)
      other.conflicts_with.add(one)
      continue
    }
    const sharesPaths = findingOf(findings, 'paths') !== undefined && sides.some(({ has_paths }) => has_paths)
    if (comparison && verdict !== 'unknown' && !sharesPaths) continue
    one.is_decided = false
    other.is_decided = false
  }
}
