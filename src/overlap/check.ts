/** The overlap check: compares what somebody is about to do with the live activities and notables (contract §6). */
import { listScopes } from '../activities/live-store.ts'
import type { ActivityRow } from '../activities/table.ts'
import type { RepoContext } from '../context/repo.ts'
import { compare, proposalOf, rulesOf, type StoredScope, storedScopeOf } from './compare.ts'
import { type Conclusion, conclude } from './conclude.ts'
import { type Comparison, type Found, findCollisions, findMerged, findNotables, pauses } from './find.ts'
import { type CheckOverlap, type OverlapBrief, type OverlapResult, PAIRS_MAX } from './overlap.ts'
import { highest } from './severity.ts'
import { expectedOf } from './stack.ts'

/** Units of comparing (pairs of globs, states of a search) that one check may spend on each kind of records. */
const UNITS_MAX = 2_000_000
/** What listing the pairs of paths of the matches that are shown may spend on top. */
const PAIR_UNITS_MAX = 500_000
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
  const isOpen = scope.areas.length + scope.paths.length === 0
  if (isOpen) scopes.push(...(await scopesOn(ctx, branch, [])))
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

/** The short result for an activity that exists, as of `ctx.now`. */
export async function overlapBriefOf(ctx: RepoContext, activity: ActivityRow): Promise<OverlapBrief> {
  const comparison = await begin(ctx, await workOf(ctx, [activity]))
  const collisions = (await findCollisions(comparison)).found.top()
  const matching = (await findNotables(comparison)).found.top()
  const severity = highest([...collisions, ...matching])
  return {
    overlap_detected: severity !== null,
    severity,
    related_activity_ids: collisions.map((each) => each.id),
  }
}

async function workOf(ctx: RepoContext, activities: ActivityRow[]): Promise<Work> {
  const [{ branch, base_branch }] = activities as [ActivityRow]
  const self = activities.map((each) => each.id)
  const scopes = activities.map(storedScopeOf)
  const isOpen = scopes.every(({ areas, paths }) => areas.length + paths.length === 0)
  return { self, branch, base_branch, scopes: isOpen ? await scopesOn(ctx, branch, self) : scopes }
}

async function examine(ctx: RepoContext, work: Work): Promise<Conclusion> {
  const comparison = await begin(ctx, work)
  const activities = await findCollisions(comparison)
  const notables = await findNotables(comparison)
  const merged = await findMerged(comparison)
  const collisions = activities.found.top()
  const matching = notables.found.top()
  await listPairs(comparison, [...collisions, ...matching])
  return {
    branch: work.branch,
    emptiness: comparison.proposal.emptiness,
    expected: comparison.expected,
    collisions,
    notables: matching,
    merged,
    total_related: activities.found.total + notables.found.total,
    checked_against: {
      activities: activities.compared,
      notables: notables.compared,
      as_of: ctx.now.toISOString(),
      complete: activities.complete && notables.complete,
    },
  }
}

async function begin(ctx: RepoContext, work: Work): Promise<Comparison> {
  const rules = rulesOf(ctx.settings)
  const budgets = { activities: { remaining: UNITS_MAX }, notables: { remaining: UNITS_MAX } }
  const proposal = proposalOf(work.scopes, rules, budgets.activities)
  const expected = await expectedOf(ctx, work)
  return { ctx, self: new Set(work.self), rules, proposal, expected, budgets, pause: pauses() }
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
  const options = { rules: comparison.rules, max: PAIRS_MAX, budget: { remaining: PAIR_UNITS_MAX } }
  for (const each of shown) {
    if (each.match.paths.length === 0) continue
    const all = compare(comparison.proposal, storedScopeOf(each.record), options)
    if (options.budget.remaining < 0) return
    each.match = all ?? each.match
    await comparison.pause()
  }
}
