/**
 * All collisions among the live activities of a repository, and the order in which to merge its pull requests: the newest
 * activities are compared with each other, each pair once (docs/contract/overlap.md#all-collisions).
 */
import { createHash } from 'node:crypto'
import type { MergeOrder } from '../../vocabulary/contract/merge-order.ts'
import {
  COMPARED_MAX,
  OVERLAPS_MAX,
  type Overlap,
  type Overlaps,
} from '../../vocabulary/contract/overlap-list.ts'
import type { Severity } from '../../vocabulary/severity.ts'
import { storedScopeOf } from '../activities/compared-scope.ts'
import {
  listLive,
  listScopesOf,
  type OutlinedActivity,
  type SidedActivity,
} from '../activities/live-store.ts'
import type { Steps } from '../base/event-loop.ts'
import { pagesOf } from '../base/lists.ts'
import type { SingleFlight } from '../base/single-flight.ts'
import { listLearned } from '../numbers/learned-store.ts'
import { withLearned } from '../numbers/taken.ts'
import type { FailedProof } from '../proofs/store.ts'
import type { RepoContext } from '../repositories/repo.ts'
import { listLinks } from '../stacks/store.ts'
import type { BranchLink } from '../stacks/table.ts'
import { overlapItems } from './collision-items.ts'
import { Collisions } from './collisions.ts'
import { rankCollisions } from './collisions-by-lines.ts'
import { withFailedPairs } from './failed-pairs.ts'
import { readFailedProofs } from './failed-proofs.ts'
import { type Linked, linkedPullRequest, mergeOrder, openPullRequests } from './merge-order.ts'
import { rulesOf } from './rules.ts'
import { intentOf } from './side.ts'
import { Stacks } from './stacks.ts'
import { WorkBudget } from './work-budget.ts'

/**
 * The work budget of comparing the paths, in cost units of 10 to 50 ns: about a fifth of a second. Comparing lines has its
 * own budget.
 */
const UNITS_MAX = 6_000_000
/** The part of the budget that is reserved for the examples of the listed collisions. */
const SHOWN_UNITS = 500_000
/** The maximum number of live activities whose branches are read, because a stack may lead through any of them. */
const LINKS_MAX = 10_000
/** The maximum number of scopes that are read at once, and of their stored bytes. */
const PAGES = { max: 250, size_max: 262_144, sizeOf: ({ scope_bytes }: OutlinedActivity) => scope_bytes }

/** The approximate size of a collision without its labels and paths, and of an item of the merge order, in characters. */
const ITEM = 300
/** The approximate size of an id in characters. */
const ID = 30

interface RepositoryOverlaps {
  items: Overlap[]
  total: number
  /** How many of the ranked collisions have each severity. */
  by_severity: Record<Severity, number>
  /** How many of the newest activities were compared with each other. */
  compared: number
  /** See `checked_against.reason`. */
  reason: string | null
  merge_order: MergeOrder
}

export async function listOverlaps(ctx: RepoContext, comparisons: SingleFlight): Promise<Overlaps> {
  const { items, total, compared, reason } = await sharedOverlaps(ctx, comparisons)
  const as_of = ctx.now.toISOString()
  return { items, total, checked_against: { activities: compared, as_of, complete: reason === null, reason } }
}

export async function countCollisions(
  ctx: RepoContext,
  comparisons: SingleFlight,
): Promise<Record<Severity, number>> {
  return (await sharedOverlaps(ctx, comparisons)).by_severity
}

export async function getMergeOrder(ctx: RepoContext, comparisons: SingleFlight): Promise<MergeOrder> {
  return (await sharedOverlaps(ctx, comparisons)).merge_order
}

/**
 * Callers share a comparison if they read the same versions of the same live rows, so a caller never gets a comparison from
 * before a stored change or an expiry.
 */
async function sharedOverlaps(ctx: RepoContext, comparisons: SingleFlight): Promise<RepositoryOverlaps> {
  const { db, repo, now, caller } = ctx
  const live = await listLive(db, repo.id, { now, limit: LINKS_MAX + 1 })
  const links = await listLinks(db, repo.id, LINKS_MAX)
  const failed = await readFailedProofs(ctx)
  const compared = { live, links, failed }
  return comparisons.get<RepositoryOverlaps>({
    key: versionOf(ctx, compared),
    disconnected: caller.disconnected,
    compute: (cancelled) => computeOverlaps(ctx, compared, cancelled),
    sizeOf,
  })
}

interface Compared {
  live: OutlinedActivity[]
  links: BranchLink[]
  failed: FailedProof[]
}

/** A text that changes whenever the collisions may change. */
function versionOf({ repo, settings }: RepoContext, { live, links, failed }: Compared): string {
  const others = [repo.id, settings, repo.noise_attributes, links, failed]
  const hash = createHash('sha256').update(JSON.stringify(others))
  return hash.update(live.map(({ id, version }) => `${id} ${version}`).join('\n')).digest('base64')
}

async function computeOverlaps(
  ctx: RepoContext,
  { live, links, failed }: Compared,
  cancelled: AbortSignal,
): Promise<RepositoryOverlaps> {
  const budget = new WorkBudget({
    budget: ctx.caller.meter.budget(UNITS_MAX),
    reserve: SHOWN_UNITS,
    cancelled,
  })
  const known = rulesOf(ctx.settings, ctx.repo.noise_attributes)
  const rules = { ...known, numbers: withLearned(known.numbers, await listLearned(ctx.db, ctx.repo.id)) }
  const stacks = new Stacks(live, links, budget)
  const collisions = new Collisions({ rules, stacks, budget })
  const { participants, compared } = await compareAll(ctx, live, { collisions, budget })
  const [pairs, names] = [collisions.pairs(), collisions.sharedFiles()]
  const ranked = await rankCollisions(ctx, { pairs, participants, names, rules }, cancelled)
  const undecided = collisions.leftOut(pairs)
  // The activity that exhausted the budget was not compared with all before it.
  if (budget.isExhausted) undecided.add(participants.length - 1)
  budget.useReserve()
  const pulls = openPullRequests(participants, { ...ranked, undecided, stacks })
  const listed = withFailedPairs(ranked.collisions, failed, { participants, stacks })
  const items = await budget.run(overlapItems(listed.slice(0, OVERLAPS_MAX), participants, budget))
  const total = collisions.total - (pairs.length - listed.length)
  const are_lines_compared = ranked.complete && (names.size === 0 || pairs.length === collisions.total)
  const are_paths_shown = !budget.isExhausted
  const not_compared = notComparedReason(compared, live.length)
  const reason = reasonOf({ not_compared, total, are_lines_compared, are_paths_shown })
  const by_severity = { high: 0, medium: 0, low: 0 }
  for (const { severity } of listed) by_severity[severity] += 1
  return { items, total, by_severity, compared, reason, merge_order: mergeOrder(pulls, not_compared) }
}

interface Participants {
  participants: Linked[]
  /** How many of the newest activities were compared with all newer ones. */
  compared: number
}

/** Adds the newest activities to `collisions` until the budget is exhausted. */
async function compareAll(
  ctx: RepoContext,
  live: OutlinedActivity[],
  { collisions, budget }: { collisions: Collisions; budget: WorkBudget },
): Promise<Participants> {
  const added: Participants = { participants: [], compared: 0 }
  for (const page of pagesOf(live.slice(0, COMPARED_MAX), PAGES)) {
    const ids = page.map(({ id }) => id)
    const rows = new Map((await listScopesOf(ctx.db, ctx.repo.id, ids)).map((each) => [each.id, each]))
    await budget.run(addPage(ctx, page, { rows, collisions, added }))
    if (budget.isExhausted) break
  }
  return added
}

/** Adds a page of activities, without those that were deleted meanwhile. Stops after the one that exhausted the budget. */
function* addPage(
  ctx: RepoContext,
  page: OutlinedActivity[],
  {
    rows,
    collisions,
    added,
  }: { rows: ReadonlyMap<string, SidedActivity>; collisions: Collisions; added: Participants },
): Steps<void> {
  for (const activity of page) {
    const row = rows.get(activity.id)
    if (row) {
      const scope = storedScopeOf(row)
      const participant = { ...activity, ...intentOf(row, ctx), pull_request: linkedPullRequest(row, scope) }
      added.participants.push(participant)
      if (!(yield* collisions.add(participant, scope))) return
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
function sizeOf({ items, merge_order }: RepositoryOverlaps): number {
  let size = 1 + ID * merge_order.clear.length
  for (const { conflicts_with } of merge_order.items) size += ITEM + ID * conflicts_with.length
  for (const { areas, paths } of items) {
    size += ITEM
    for (const area of areas) size += area.length
    for (const { globs, example } of paths) for (const text of globs) size += text.length + example.length
  }
  return size
}
