/**
 * All collisions among the live activities of a repository, and the order in which to merge its pull requests: the newest
 * activities are compared with each other, each pair once (docs/contract/overlap.md#all-collisions).
 */

import type { MergeOrder } from '../../vocabulary/contract/merge-order.ts'
import {
  COMPARED_MAX,
  OVERLAPS_MAX,
  type Overlaps,
  SAME_FILE_PAIRS_MAX,
} from '../../vocabulary/contract/overlap-list.ts'
import type { Steps } from '../../vocabulary/event-loop.ts'
import { pagesOf } from '../../vocabulary/lists.ts'
import type { Severity } from '../../vocabulary/severity.ts'
import { overlapItems } from '../check/collision-items.ts'
import { rankCollisions } from '../check/collisions-by-lines.ts'
import { type Linked, linkedPullRequest, mergeOrder, openPullRequests } from '../check/merge-order.ts'
import { rulesOf } from '../check/rules.ts'
import { intentOf } from '../check/side-of-row.ts'
import { WorkBudget } from '../check/work-budget.ts'
import type { LiveSet } from '../live-set.ts'
import { Pairs } from '../pairs.ts'
import type { LiveRecord } from '../record.ts'
import type { SidedActivity } from '../records/activity.ts'
import { storedScopeOf } from '../records/compared-scope.ts'
import type { Stacks } from '../stacks.ts'
import type { CheckContext } from './source.ts'

/**
 * The work budget of comparing the paths, in cost units of 10 to 50 ns: about a fifth of a second. Comparing lines has its
 * own budget.
 */
const UNITS_MAX = 6_000_000
/** The part of the budget that is reserved for the examples of the listed collisions. */
const SHOWN_UNITS = 500_000
/** The maximum number of scopes that are read at once, and of their bytes, approximately. */
const PAGES = { max: 250, size_max: 262_144, sizeOf: ({ paths }: LiveRecord) => 500 + 100 * paths.length }

export interface RepositoryOverlaps extends Pick<Overlaps, 'items' | 'total' | 'same_file'> {
  /** How many of the ranked collisions have each severity. */
  by_severity: Record<Severity, number>
  /** How many of the newest activities were compared with each other. */
  compared: number
  /** See `checked_against.reason`. */
  reason: string | null
  merge_order: MergeOrder
}

/** The live activities that are compared. */
export interface LiveWork {
  set: LiveSet
  /** The newest first. */
  live: LiveRecord[]
  stacks: Stacks<LiveRecord>
}

/** The live activities at the time of the context. */
export async function readLiveWork({ now, source }: Pick<CheckContext, 'now' | 'source'>): Promise<LiveWork> {
  const set = await source.liveSet()
  const at = now.getTime()
  const all = [...set.records()].filter(({ kind }) => kind === 'activity')
  const live = all.filter(({ ends_at }) => ends_at > at).sort((a, b) => (a.id < b.id ? 1 : -1))
  return { set, live, stacks: set.stacksAt(at) }
}

export async function computeOverlaps(
  ctx: CheckContext,
  { set, live, stacks }: LiveWork,
): Promise<RepositoryOverlaps> {
  const budget = new WorkBudget({
    budget: ctx.caller.meter.budget(UNITS_MAX),
    reserve: SHOWN_UNITS,
  })
  const rules = rulesOf(ctx.settings, ctx.repo.noise_attributes, ctx.caller.meter)
  const newest = live.slice(0, COMPARED_MAX)
  const all = new Pairs(set, newest, { stacks, ignore: rules.ignore, areas: rules.areas, budget })
  const { participants, compared } = await compareAll(ctx, newest, { all, budget })
  const [pairs, names] = [all.top(), all.names]
  const ranked = await rankCollisions(ctx, { pairs, participants, names, rules })
  const undecided = all.leftOut(pairs)
  // The activity that exhausted the budget was not compared with all before it.
  if (budget.isExhausted) undecided.add(participants.length - 1)
  budget.useReserve()
  const pulls = openPullRequests(participants, { ...ranked, undecided, stacks })
  const items = await budget.run(overlapItems(ranked.collisions.slice(0, OVERLAPS_MAX), participants, budget))
  const total = all.total - (pairs.length - ranked.collisions.length)
  const are_lines_compared = ranked.complete && (names.size === 0 || pairs.length === all.total)
  const are_paths_shown = !budget.isExhausted
  const not_compared = notComparedReason(compared, live.length)
  const reason = reasonOf({ not_compared, total, are_lines_compared, are_paths_shown })
  const same_file = {
    total: ranked.same_file.length,
    pairs: ranked.same_file
      .slice(0, SAME_FILE_PAIRS_MAX)
      .map(({ older, newer }) => [older, newer].flatMap((at) => participants[at]?.id ?? [])),
  }
  const by_severity = { high: 0, medium: 0, low: 0 }
  for (const { severity } of ranked.collisions) by_severity[severity] += 1
  return {
    items,
    total,
    same_file,
    by_severity,
    compared,
    reason,
    merge_order: mergeOrder(pulls, not_compared),
  }
}

interface Participants {
  participants: Linked[]
  /** How many of the newest activities were compared with all newer ones. */
  compared: number
}

/** Compares the newest activities until the budget is exhausted. */
async function compareAll(
  ctx: CheckContext,
  newest: LiveRecord[],
  { all, budget }: { all: Pairs; budget: WorkBudget },
): Promise<Participants> {
  const added: Participants = { participants: [], compared: 0 }
  for (const page of pagesOf(newest, PAGES)) {
    const ids = page.map(({ id }) => id)
    const rows = new Map((await ctx.source.sided(ids)).map((each) => [each.id, each]))
    await budget.run(addPage(ctx, page, { rows, all, added }))
    if (budget.isExhausted) break
  }
  return added
}

/** Adds a page of activities, without those that were deleted meanwhile. Stops after the one that exhausted the budget. */
function* addPage(
  ctx: CheckContext,
  page: LiveRecord[],
  { rows, all, added }: { rows: ReadonlyMap<string, SidedActivity>; all: Pairs; added: Participants },
): Steps<void> {
  for (const activity of page) {
    const row = rows.get(activity.id)
    if (row) {
      const { id, branch, base_branch, weight, pr_number } = activity
      added.participants.push({
        ...{ id, branch, base_branch, weight, pr_number },
        ...intentOf(row, ctx),
        pull_request: linkedPullRequest(row, storedScopeOf(row)),
      })
      if (!(yield* all.add(activity))) return
    }
    added.compared += 1
  }
}

const EXHAUSTED = 'because the work budget was exhausted'

/** Null if all live activities were compared. */
function notComparedReason(compared: number, live: number): string | null {
  if (compared < Math.min(live, COMPARED_MAX))
    return `Only the newest ${compared} live activities were compared, ${EXHAUSTED}.`
  return compared < live ? `Only the newest ${compared} live activities were compared.` : null
}

/** What was left out and why; null if nothing was. */
function reasonOf(found: {
  not_compared: string | null
  total: number
  are_lines_compared: boolean
  are_paths_shown: boolean
}): string | null {
  const { not_compared, total, are_lines_compared, are_paths_shown } = found
  const sentences = not_compared === null ? [] : [not_compared]
  if (!are_lines_compared)
    sentences.push(`Some collisions are ranked by their paths and not by their lines, ${EXHAUSTED}.`)
  if (total > OVERLAPS_MAX) sentences.push(`Only ${OVERLAPS_MAX} of ${total} collisions are listed.`)
  if (!are_paths_shown) sentences.push(`Some shared paths are not shown, ${EXHAUSTED}.`)
  return sentences.length === 0 ? null : sentences.join(' ')
}

/** The answer to a list of all collisions. */
export function overlapsOf(
  { items, total, same_file, compared: activities, reason }: RepositoryOverlaps,
  now: Date,
): Overlaps {
  return {
    items,
    total,
    same_file,
    checked_against: { activities, as_of: now.toISOString(), complete: reason === null, reason },
  }
}
