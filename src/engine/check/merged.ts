/** Merged work that a check finds: what the work could build on (docs/contract/overlap.md#reuse), and what has done it already (docs/contract/issues.md#done-already). */
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import { REUSE_MAX } from '../../vocabulary/contract/overlap.ts'
import { inTurns } from '../../vocabulary/event-loop.ts'
import { newLinesOf } from '../lines/added-lines.ts'
import type { MergedActivity } from '../records/activity.ts'
import { storedScopeOf } from '../records/compared-scope.ts'
import { compare } from './compare.ts'
import { LINE_UNITS_MAX, LINES_PER_UNIT } from './found-by-lines.ts'
import type { CheckedWork, DoneBy } from './source.ts'

/** The work budget of one check for this, in cost units of 10 to 50 ns. */
const UNITS_MAX = 200_000
/** How many are compared at most, their maximum age, and how many are read at once. */
const COMPARED_MAX = 2_000
const MERGED_WITHIN_MS = 7 * DAY_MS
const MERGED_PAGE = 250

/** Recently merged activities that share something with the proposal, the last merged first. */
export async function compareMerged({ ctx, proposal, rules, pause }: CheckedWork): Promise<MergedActivity[]> {
  const merged: MergedActivity[] = []
  if (proposal.emptiness !== null) return merged
  const budget = ctx.caller.meter.budget(UNITS_MAX)
  const since = later(ctx.now, -MERGED_WITHIN_MS)
  let before: MergedActivity | undefined
  for (let compared = 0; compared < COMPARED_MAX; compared += MERGED_PAGE) {
    const page = await ctx.source.merged({ since, before, limit: MERGED_PAGE })
    for (const activity of page) {
      if (merged.length === REUSE_MAX || budget.remaining < 0) return merged
      if (compare(proposal, storedScopeOf(activity), { rules, max: 1, budget })) merged.push(activity)
      await pause()
    }
    before = page.at(-1)
    if (page.length < MERGED_PAGE) break
  }
  return merged
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
  // Only if nothing else has read them before.
  const files = await readFiles(ctx.caller.meter.budget(LINE_UNITS_MAX, LINES_PER_UNIT))
  const lines = await inTurns(newLinesOf(files, rules.noise))
  return ctx.source.doneBy(lines, { branch, base_branch, numbers: [...pull_requests] })
}
