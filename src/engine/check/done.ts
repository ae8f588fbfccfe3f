/** Finds the merged pull request that has done the checked work already (docs/contract/issues.md#done-already). */

import { inTurns } from '../../vocabulary/event-loop.ts'
import { newLinesOf } from '../lines/new-lines.ts'
import type { CheckedWork } from './checked-work.ts'
import { lineBudget } from './found-by-lines.ts'
import type { DoneBy } from './source.ts'

/** For reading the own lines if nothing else has read them, in units of about 5 ns. */
const OWN_LINE_UNITS_MAX = 20_000_000

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
  const files = await readFiles(lineBudget(ctx, OWN_LINE_UNITS_MAX))
  const lines = await inTurns(newLinesOf(files, rules.noise))
  return ctx.source.doneBy(lines, { branch, base_branch, numbers: [...pull_requests] })
}
