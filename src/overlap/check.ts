/** The overlap check: compares what somebody is about to do with the live activities and notables (contract §6). */
import { setImmediate } from 'node:timers/promises'
import { listScopes } from '../activities/live-store.ts'
import type { ActivityRow } from '../activities/table.ts'
import { periodicYield } from '../base/event-loop.ts'
import type { RepoContext } from '../context/repo.ts'
import { compare, proposalOf, type StoredScope, storedScopeOf } from './compare.ts'
import { type Conclusion, conclude } from './conclude.ts'
import {
  type Comparison,
  type Found,
  findMerged,
  findOverlaps,
  showActivities,
  showNotables,
} from './find.ts'
import { namedMatches } from './named.ts'
import { type CheckOverlap, NAMED_MAX, type OverlapBrief, type OverlapResult, PAIRS_MAX } from './overlap.ts'
import { rulesOf } from './rules.ts'
import { byRank, highest } from './severity.ts'

/**
 * What one check may spend, in units of 10 to 50 ns: all phases together take about a tenth of a second. On
 * deciding about each kind of records:
 */
const UNITS_MAX = 700_000
/** On reading the proposal: the dearest 200 globs without braces take 850,000. */
const PROPOSAL_UNITS_MAX = 1_000_000
/** A proposal of more paths is read in a turn of its own, since checking them took one already. */
const LARGE = 50
/** On merged work, on a pair of paths for each match that is shown, and on further pairs. */
const MERGED_UNITS_MAX = 200_000
const SHOWN_UNITS_MAX = 400_000
const PAIR_UNITS_MAX = 300_000
/** Live activities of a branch whose scopes stand in for one that is not given. */
const OWN_SCOPES_MAX = 200

/** What is compared: the input of a check, or activities that exist, which are themselves left out. */
interface Work {
  self: string[]
  branch: string | null
  base_branch: string | null
  scopes: StoredScope[]
}

/** Checks a proposal. Creates nothing. */
export async function checkOverlap(ctx: RepoContext, input: CheckOverlap): Promise<OverlapResult> {
  const { branch, base_branch, tags, scope = { areas: [], paths: [] } } = input
  const scopes = [storedScopeOf({ scope }), storedScopeOf({ scope: { areas: tags, paths: [] } })]
  // A branch without a scope stands for what is declared on it, extra labels or not.
  const isUnscoped = scope.areas.length + scope.paths.length === 0
  if (isUnscoped) scopes.push(...(await scopesOn(ctx, branch, [])))
  return conclude(await examine(ctx, { self: [], branch, base_branch, scopes }))
}

/** The whole result for an activity that exists, as of `ctx.now`. */
export async function overlapOf(ctx: RepoContext, activity: ActivityRow): Promise<OverlapResult> {
  return conclude(await examineActivities(ctx, [activity]))
}

/** What activities of one branch, or of one pull request, overlap with together; themselves left out. At least one is given. */
export async function examineActivities(ctx: RepoContext, activities: ActivityRow[]): Promise<Conclusion> {
  return examine(ctx, await workOf(ctx, activities))
}

/** The ids of the activities that collide with an activity that exists, as of `ctx.now`. */
export async function relatedActivityIds(ctx: RepoContext, activity: ActivityRow): Promise<string[]> {
  const { activities } = await findOverlaps(await begin(ctx, await workOf(ctx, [activity])))
  return activities.map((each) => each.id)
}

/** The short result for an activity that exists, as of `ctx.now`. Reads no record where nothing overlaps. */
export async function overlapBriefOf(ctx: RepoContext, activity: ActivityRow): Promise<OverlapBrief> {
  const comparison = await begin(ctx, await workOf(ctx, [activity]))
  const found = await findOverlaps(comparison)
  const all = [...found.activities, ...found.notables]
  const top = all.toSorted(byRank).slice(0, NAMED_MAX)
  const isTop = (each: (typeof all)[number]) => top.includes(each)
  const shown = { ...comparison, budget: ctx.meter.budget(SHOWN_UNITS_MAX) }
  const collisions = await showActivities(shown, found.activities.filter(isTop))
  const notables = await showNotables(shown, found.notables.filter(isTop))
  const severity = highest(all)
  return {
    overlap_detected: severity !== null,
    severity,
    related_activity_ids: found.activities.map((each) => each.id),
    matches: namedMatches(collisions, notables),
  }
}

async function workOf(ctx: RepoContext, activities: ActivityRow[]): Promise<Work> {
  const [{ branch, base_branch }] = activities as [ActivityRow]
  const self = activities.map((each) => each.id)
  const scopes = activities.map(storedScopeOf)
  const isUnscoped = scopes.every(isEmpty)
  return { self, branch, base_branch, scopes: isUnscoped ? await scopesOn(ctx, branch, self) : scopes }
}

function isEmpty({ areas, paths, files }: StoredScope): boolean {
  return areas.length + paths.length + files.length === 0
}

async function examine(ctx: RepoContext, work: Work): Promise<Conclusion> {
  const comparison = await begin(ctx, work)
  const [found, merged] = await Promise.all([
    findOverlaps(comparison),
    findMerged({ ...comparison, budget: ctx.meter.budget(MERGED_UNITS_MAX) }),
  ])
  const shown = { ...comparison, budget: ctx.meter.budget(SHOWN_UNITS_MAX) }
  const collisions = await showActivities(shown, found.activities)
  const notables = await showNotables(shown, found.notables)
  await listPairs(comparison, [...collisions, ...notables])
  return {
    is_announced: work.self.length > 0,
    branch: work.branch,
    emptiness: comparison.proposal.emptiness,
    expected: found.expected,
    collisions,
    notables,
    merged,
    total_related: found.total,
    checked_against: {
      ...found.compared,
      as_of: ctx.now.toISOString(),
      complete: found.complete && comparison.proposal.emptiness !== 'nothing_given',
    },
  }
}

async function begin(ctx: RepoContext, work: Work): Promise<Comparison> {
  const rules = rulesOf(ctx.settings)
  if (work.scopes.some(({ paths, files }) => paths.length + files.length > LARGE)) await setImmediate()
  const proposal = proposalOf(work.scopes, rules, ctx.meter.budget(PROPOSAL_UNITS_MAX))
  const budgets = { activities: ctx.meter.budget(UNITS_MAX), notables: ctx.meter.budget(UNITS_MAX) }
  const { self, branch, base_branch } = work
  return { ctx, self, branch, base_branch, rules, proposal, budgets, pause: periodicYield() }
}

/** The scopes of the live activities of a branch, which stand in for one that is not given. */
async function scopesOn(ctx: RepoContext, branch: string | null, self: string[]): Promise<StoredScope[]> {
  if (branch === null) return []
  const own = await listScopes(ctx.db, ctx.repo.id, { now: ctx.now, branch, limit: OWN_SCOPES_MAX })
  return own.filter((each) => !self.includes(each.id)).map(storedScopeOf)
}

/** Whether there is an overlap took one pair of each match; those that are shown get more, as far as the budget goes. */
async function listPairs(
  comparison: Comparison,
  shown: Found<Parameters<typeof storedScopeOf>[0]>[],
): Promise<void> {
  const { ctx, rules } = comparison
  const options = { rules, max: PAIRS_MAX, budget: ctx.meter.budget(PAIR_UNITS_MAX) }
  for (const each of shown) {
    if (each.match.paths.length === 0) continue
    const all = compare(comparison.proposal, storedScopeOf(each.record), options)
    if (options.budget.remaining < 0) return
    each.match = all ?? each.match
    await comparison.pause()
  }
}
