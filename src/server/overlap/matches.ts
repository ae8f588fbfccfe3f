/** Reads the records that a check found, and determines what each shares with the proposal. */
import type { Budget } from '../../vocabulary/budget.ts'
import { PAIRS_MAX } from '../../vocabulary/contract/overlap.ts'
import { type GlobPair, takePairs } from '../../vocabulary/scope/path-set.ts'
import type { Ranked } from '../../vocabulary/severity.ts'
import { storedScopeOf } from '../activities/compared-scope.ts'
import { listCompared } from '../activities/live-store.ts'
import { listNotablesWith } from '../notables/store.ts'
import type { FailedProof } from '../proofs/store.ts'
import { findNext, numbersIn } from '../reservations/next-number.ts'
import type { CheckedWork } from './checked-work.ts'
import { comparisonOf } from './compare.ts'
import type { Conclusion, Found } from './conclude.ts'
import type { Findings } from './find.ts'
import { intentOf } from './side.ts'
import type { SideVerdict } from './sides-by-lines.ts'
import { NO_RELATION, pairOfFile, pairOfGlobs, type Relation, relationOf } from './sides-by-lines.ts'

/** The budget for the pairs of paths in the result, in units of 10 to 50 ns. */
const PAIR_UNITS_MAX = 700_000

/** Reads the found records that the search has not returned yet, and compares each with the proposal once. */
export async function readMatches(
  work: CheckedWork,
  found: Pick<Findings, 'activities' | 'notables' | 'side_verdicts' | 'records'> & {
    proofs: ReadonlyMap<string, FailedProof>
  },
): Promise<Pick<Conclusion, 'collisions' | 'notables'>> {
  const { activities, notables, side_verdicts, records, proofs } = found
  const { db, caller, repo } = work.ctx
  const options = { work, budget: caller.meter.budget(PAIR_UNITS_MAX) }
  const ids = (ranked: Ranked[]) => ranked.map(({ id }) => id)
  const [rows, notes] = await Promise.all([
    listCompared(db, repo.id, { ids: ids(activities), known: records }),
    notables.length === 0 ? [] : listNotablesWith(db, repo.id, ids(notables)),
  ])
  const next = await findNextNumbers(work, activities, side_verdicts)
  const collisions = recordsIn(activities, rows).map((each) => {
    const side_verdict = side_verdicts.get(each.id)
    const failed_proof = proofs.get(each.id)
    const relation = relationOf(work.side, intentOf(each.record, work.ctx), { side_verdict, failed_proof })
    const sequence = relation.sequence.map((taken) =>
      taken.kind === 'same_number' ? { ...taken, next: next.get(taken.directory) ?? null } : taken,
    )
    return { ...each, side_verdict, relation: { ...relation, sequence }, failed_proof }
  })
  const matching = recordsIn(notables, notes).map((each) => ({ ...each, relation: NO_RELATION }))
  return {
    collisions: await withMatches(collisions, options),
    notables: await withMatches(matching, options),
  }
}

/** The maximum number of directories whose next number is looked up. */
const DIRECTORIES_MAX = 3

/** By directory, the next number for the sides that take the same one. At most a call to GitHub for each directory. */
async function findNextNumbers(
  { ctx, base_branch, side }: CheckedWork,
  found: readonly Ranked[],
  side_verdicts: Findings['side_verdicts'],
): Promise<Map<string, string>> {
  const shared = found.flatMap(({ id }) => side_verdicts.get(id)?.sequence ?? [])
  const directories = new Set(
    shared.filter(({ kind }) => kind === 'same_number').map(({ directory }) => directory),
  )
  const next = new Map<string, string>()
  for (const directory of [...directories].slice(0, DIRECTORIES_MAX))
    next.set(directory, await findNext(ctx, { directory, base_branch }, numbersIn(directory, side.files)))
  return next
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
  failed_proof?: FailedProof | undefined
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
  for (const { side_verdict, relation, failed_proof, ...each } of found) {
    const by_lines = side_verdict !== undefined
    const scope = storedScopeOf(each.record)
    const { areas, pairs } = comparisonOf(proposal, scope, { rules, budget, by_lines })
    const paths = side_verdict?.files.map(pairOfFile) ?? []
    if (paths.length === 0) paths.push(...takePairs(pairs, 1).map(pairOfGlobs))
    const heads = new Map(side_verdict?.files.map((file) => [file.path, file.your_head]))
    const proved_at = failed_proof?.reported_at ?? null
    shown.push({ ...each, match: { areas, paths, ...relation }, heads, proved_at, pairs })
    await pause()
  }
  for (const { match, pairs } of shown) {
    if (budget.remaining < 0) break
    match.paths.push(...takePairs(pairs, PAIRS_MAX - match.paths.length).map(pairOfGlobs))
    await pause()
  }
  return shown.map(({ pairs: _, ...each }) => each)
}
