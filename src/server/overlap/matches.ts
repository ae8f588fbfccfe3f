/** Reads the records that a check found, and determines what each shares with the proposal. */
import type { Budget } from '../../vocabulary/budget.ts'
import { PAIRS_MAX } from '../../vocabulary/contract/overlap.ts'
import { type GlobPair, takePairs } from '../../vocabulary/scope/path-set.ts'
import type { Ranked } from '../../vocabulary/severity.ts'
import { storedScopeOf } from '../activities/compared-scope.ts'
import { listCompared } from '../activities/live-store.ts'
import { listNotablesWith } from '../notables/store.ts'
import { findNextNumbers } from '../reservations/next-number.ts'
import type { CheckedWork } from './checked-work.ts'
import { comparisonOf } from './compare.ts'
import type { Conclusion, Found } from './conclude.ts'
import type { Findings } from './find.ts'
import { intentOf } from './side.ts'
import type { SideVerdict } from './sides-by-lines.ts'
import { NO_RELATION, pairOfFile, pairOfGlobs, type Relation, relationOf } from './sides-by-lines.ts'

/** The budget for the pairs of paths in the result, in units of 10 to 50 ns. */
const PAIR_UNITS_MAX = 700_000

/** Reads the found records, and compares each with the proposal once. */
export async function readMatches(
  work: CheckedWork,
  found: Pick<Findings, 'activities' | 'notables' | 'side_verdicts'>,
): Promise<Pick<Conclusion, 'collisions' | 'notables'>> {
  const { activities, notables, side_verdicts } = found
  const { db, caller, repo } = work.ctx
  const options = { work, budget: caller.meter.budget(PAIR_UNITS_MAX) }
  const ids = (ranked: Ranked[]) => ranked.map(({ id }) => id)
  const [rows, notes] = await Promise.all([
    listCompared(db, repo.id, ids(activities)),
    notables.length === 0 ? [] : listNotablesWith(db, repo.id, ids(notables)),
  ])
  const shared = activities.flatMap(({ id }) => side_verdicts.get(id)?.sequence ?? [])
  const { base_branch, side } = work
  const next = await findNextNumbers(work.ctx, { base_branch, files: side.files }, shared)
  const collisions = recordsIn(activities, rows).map((each) => {
    const side_verdict = side_verdicts.get(each.id)
    const relation = relationOf(work.side, intentOf(each.record, work.ctx), side_verdict)
    const sequence = relation.sequence.map((taken) =>
      taken.kind === 'same_number' ? { ...taken, next: next.get(taken.directory) ?? null } : taken,
    )
    return { ...each, side_verdict, relation: { ...relation, sequence } }
  })
  const matching = recordsIn(notables, notes).map((each) => ({ ...each, relation: NO_RELATION }))
  return {
    collisions: await withMatches(collisions, options),
    notables: await withMatches(matching, options),
  }
}

/** The ranked records, in their order, without those that were deleted in the meantime. */
function recordsIn<Row extends { id: string }>(ranked: readonly Ranked[], records: readonly Row[]) {
  const byId = new Map(records.map((record) => [record.id, record]))
  return ranked.flatMap((each) => {
    const record = byId.get(each.id)
    return record ? [{ ...each, record }] : []
  })
}

interface Unmatched<Row> extends Ranked {
  record: Row
  /** Undefined if its lines were not compared. */
  side_verdict?: SideVerdict | undefined
  relation: Relation
}

/**
 * Gives each record its files with their verdicts, or one pair of paths if it has none. Then adds more pairs until the
 * budget is exhausted.
 */
async function withMatches<Row extends Parameters<typeof storedScopeOf>[0]>(
  found: Unmatched<Row>[],
  { work, budget }: { work: CheckedWork; budget: Budget },
): Promise<Found<Row>[]> {
  const { proposal, rules, pause } = work
  const shown: (Found<Row> & { pairs: Iterator<GlobPair> })[] = []
  for (const { side_verdict, relation, ...each } of found) {
    const by_lines = side_verdict !== undefined
    const scope = storedScopeOf(each.record)
    const { areas, pairs } = comparisonOf(proposal, scope, { rules, budget, by_lines })
    const paths = side_verdict?.files.map(pairOfFile) ?? []
    if (paths.length === 0) paths.push(...takePairs(pairs, 1).map(pairOfGlobs))
    const heads = new Map(side_verdict?.files.map((file) => [file.path, file.your_head]))
    shown.push({ ...each, match: { areas, paths, ...relation }, heads, pairs })
    await pause()
  }
  for (const { match, pairs } of shown) {
    if (budget.remaining < 0) break
    match.paths.push(...takePairs(pairs, PAIRS_MAX - match.paths.length).map(pairOfGlobs))
    await pause()
  }
  return shown.map(({ pairs: _, ...each }) => each)
}
