/**
 * All collisions among the live activities of a repository, and the order in which to merge its pull requests: the newest
 * activities are compared with each other, each pair once (docs/contract/overlap.md#all-collisions).
 */
import { createHash } from 'node:crypto'
import type { LiveSet } from '../../engine/live-set.ts'
import { Pairs } from '../../engine/pairs.ts'
import type { LiveRecord } from '../../engine/record.ts'
import type { Stacks } from '../../engine/stacks.ts'
import type { MergeOrder } from '../../vocabulary/contract/merge-order.ts'
import {
  COMPARED_MAX,
  OVERLAPS_MAX,
  type Overlaps,
  SAME_FILE_PAIRS_MAX,
} from '../../vocabulary/contract/overlap-list.ts'
import type { Severity } from '../../vocabulary/severity.ts'
import type { Steps } from '../../vocabulary/steps.ts'
import { storedScopeOf } from '../activities/compared-scope.ts'
import { listScopesOf, type SidedActivity } from '../activities/live-store.ts'
import { pagesOf } from '../base/lists.ts'
import type { SingleFlight } from '../base/single-flight.ts'
import { liveSetOf } from '../compare/live-set.ts'
import type { RepoContext } from '../repositories/repo.ts'
import { overlapItems } from './collision-items.ts'
import { rankCollisions } from './collisions-by-lines.ts'
import { type Linked, linkedPullRequest, mergeOrder, openPullRequests } from './merge-order.ts'
import { rulesOf } from './rules.ts'
import { intentOf } from './side-of-row.ts'
import { WorkBudget } from './work-budget.ts'

/**
 * The work budget of comparing the paths, in cost units of 10 to 50 ns: about a fifth of a second. Comparing lines has its
 * own budget.
 */
const UNITS_MAX = 6_000_000
/** The part of the budget that is reserved for the examples of the listed collisions. */
const SHOWN_UNITS = 500_000
/** The maximum number of scopes that are read at once, and of their bytes, approximately. */
const PAGES = { max: 250, size_max: 262_144, sizeOf: ({ paths }: LiveRecord) => 500 + 100 * paths.length }

/** The approximate size of a collision without its labels and paths, and of an item of the merge order, in characters. */
const ITEM = 300
/** The approximate size of an id in characters. */
const ID = 30

interface RepositoryOverlaps extends Pick<Overlaps, 'items' | 'total' | 'same_file'> {
  /** How many of the ranked collisions have each severity. */
  by_severity: Record<Severity, number>
  /** How many of the newest activities were compared with each other. */
  compared: number
  /** See `checked_against.reason`. */
  reason: string | null
  merge_order: MergeOrder
}

/** The collisions, and a version by which a caller knows without a comparison that it has them already. */
export async function versionedOverlaps(
  ctx: RepoContext,
  comparisons: SingleFlight,
): Promise<{ version: string; read(): Promise<Overlaps> }> {
  const compared = await readCompared(ctx)
  const read = async () => {
    const shared = await sharedOverlaps(ctx, compared, comparisons)
    const { items, total, same_file, compared: activities, reason } = shared
    const as_of = ctx.now.toISOString()
    return {
      items,
      total,
      same_file,
      checked_against: { activities, as_of, complete: reason === null, reason },
    }
  }
  return { version: compared.version, read }
}

export async function countCollisions(
  ctx: RepoContext,
  comparisons: SingleFlight,
): Promise<Record<Severity, number>> {
  return (await sharedOverlaps(ctx, await readCompared(ctx), comparisons)).by_severity
}

export async function getMergeOrder(ctx: RepoContext, comparisons: SingleFlight): Promise<MergeOrder> {
  return (await sharedOverlaps(ctx, await readCompared(ctx), comparisons)).merge_order
}

/**
 * Callers share a comparison if they read the same versions of the same live rows, so a caller never gets a comparison from
 * before a stored change or an expiry.
 */
function sharedOverlaps(
  ctx: RepoContext,
  compared: Compared,
  comparisons: SingleFlight,
): Promise<RepositoryOverlaps> {
  return comparisons.get<RepositoryOverlaps>({
    key: compared.version,
    disconnected: ctx.caller.disconnected,
    compute: (cancelled) => computeOverlaps(ctx, compared, cancelled),
    sizeOf,
  })
}

interface Compared {
  set: LiveSet
  /** The newest first. */
  live: LiveRecord[]
  stacks: Stacks<LiveRecord>
  /** A text that changes whenever the collisions may change. */
  version: string
}

async function readCompared(ctx: RepoContext): Promise<Compared> {
  const { repo, settings } = ctx
  const now = ctx.now.getTime()
  const set = await liveSetOf(ctx)
  const all = [...set.records()].filter(({ kind }) => kind === 'activity')
  const live = all.filter(({ ends_at }) => ends_at > now).sort((a, b) => (a.id < b.id ? 1 : -1))
  // An end changes the collisions without a new version.
  const read = [repo.id, set.version, live.length, settings, repo.noise_attributes]
  const version = createHash('sha256').update(JSON.stringify(read)).digest('base64')
  return { set, live, stacks: set.stacksAt(now), version }
}

async function computeOverlaps(
  ctx: RepoContext,
  { set, live, stacks }: Compared,
  cancelled: AbortSignal,
): Promise<RepositoryOverlaps> {
  const budget = new WorkBudget({
    budget: ctx.caller.meter.budget(UNITS_MAX),
    reserve: SHOWN_UNITS,
    cancelled,
  })
  const rules = rulesOf(ctx.settings, ctx.repo.noise_attributes)
  const newest = live.slice(0, COMPARED_MAX)
  const all = new Pairs(set, newest, { stacks, ignore: rules.ignore, areas: rules.areas, budget })
  const { participants, compared } = await compareAll(ctx, newest, { all, budget })
  const [pairs, names] = [all.top(), all.names]
  const ranked = await rankCollisions(ctx, { pairs, participants, names, rules }, cancelled)
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
  ctx: RepoContext,
  newest: LiveRecord[],
  { all, budget }: { all: Pairs; budget: WorkBudget },
): Promise<Participants> {
  const added: Participants = { participants: [], compared: 0 }
  for (const page of pagesOf(newest, PAGES)) {
    const ids = page.map(({ id }) => id)
    const rows = new Map((await listScopesOf(ctx.db, ctx.repo.id, ids)).map((each) => [each.id, each]))
    await budget.run(addPage(ctx, page, { rows, all, added }))
    if (budget.isExhausted) break
  }
  return added
}

/** Adds a page of activities, without those that were deleted meanwhile. Stops after the one that exhausted the budget. */
function* addPage(
  ctx: RepoContext,
  page: LiveRecord[],
  { rows, all, added }: { rows: ReadonlyMap<string, SidedActivity>; all: Pairs; added: Participants },
): Steps<void> {
  for (const activity of page) {
    const row = rows.get(activity.id)
    if (row) {
      const { id, branch, base_branch, weight } = activity
      added.participants.push({
        ...{ id, branch, base_branch, weight },
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

/** The approximate size of a comparison in characters. */
function sizeOf({ items, same_file, merge_order }: RepositoryOverlaps): number {
  let size = 1 + ID * (merge_order.clear.length + 2 * same_file.pairs.length)
  for (const { conflicts_with } of merge_order.items) size += ITEM + ID * conflicts_with.length
  for (const { areas, paths } of items) {
    size += ITEM
    for (const area of areas) size += area.length
    for (const { globs, example } of paths) for (const text of globs) size += text.length + example.length
  }
  return size
}
