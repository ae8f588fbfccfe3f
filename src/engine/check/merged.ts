/** Merged work that a check finds: what the work could build on (docs/contract/overlap.md#reuse), and what has done it already (docs/contract/issues.md#done-already). */
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import { REUSE_MAX } from '../../vocabulary/contract/overlap.ts'
import type { Steps } from '../../vocabulary/deadline.ts'
import { takePairs } from '../../vocabulary/scope/path-set.ts'
import { newLinesOf } from '../lines/added-lines.ts'
import type { MergedActivity } from '../records/activity.ts'
import { storedScopeOf } from '../records/compared-scope.ts'
import { comparisonOf, type Proposal } from './compare.ts'
import type { Rules } from './rules.ts'
import type { CheckedWork, DoneBy } from './source.ts'

/** How many are compared at most, their maximum age, and how many are read at once. */
const COMPARED_MAX = 2_000
const MERGED_WITHIN_MS = 7 * DAY_MS
const MERGED_PAGE = 250

/** Recently merged activities that share something with the proposal, the last merged first. */
export async function compareMerged({ ctx, proposal, rules }: CheckedWork): Promise<MergedActivity[]> {
  const merged: MergedActivity[] = []
  if (proposal.emptiness !== null) return merged
  const { deadline } = rules
  const since = later(ctx.now, -MERGED_WITHIN_MS)
  let before: MergedActivity | undefined
  for (let compared = 0; compared < COMPARED_MAX; compared += MERGED_PAGE) {
    const page = await ctx.source.merged({ since, before, limit: MERGED_PAGE })
    merged.push(...(await deadline.run(sharing(proposal, page, rules))))
    before = page.at(-1)
    if (page.length < MERGED_PAGE || merged.length >= REUSE_MAX || deadline.isOver) break
  }
  return merged.slice(0, REUSE_MAX)
}

function* sharing(
  proposal: Proposal,
  page: readonly MergedActivity[],
  rules: Rules,
): Steps<MergedActivity[]> {
  const shared: MergedActivity[] = []
  for (const each of page) {
    const { areas, pairs } = comparisonOf(proposal, storedScopeOf(each), rules)
    if (areas.length > 0 || (yield* takePairs(pairs, 1)).length > 0) shared.push(each)
    yield
  }
  return shared
}

/** Null if there is none. Reads nothing if the work changes no files. */
export async function readDoneBy({
  ctx,
  proposal,
  rules,
  side,
  branch,
  base_branch,
  pull_requests,
  readFiles,
}: CheckedWork): Promise<DoneBy | null> {
  if (!ctx.repo.is_tracked || proposal.emptiness !== null || side.files.length === 0) return null
  const lines = await rules.deadline.run(newLinesOf(await readFiles(rules.deadline), rules.noise))
  return ctx.source.doneBy(lines, { branch, base_branch, numbers: [...pull_requests] })
}
