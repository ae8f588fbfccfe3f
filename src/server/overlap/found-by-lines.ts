/** Ranks the activities that a check found by their changed lines. Bounded. */

import { type FileIndex, indexFiles, sharedFiles } from '../../engine/lines/pair-verdict.ts'
import type { Budget } from '../../vocabulary/budget.ts'
import { PAIRS_MAX } from '../../vocabulary/contract/overlap.ts'
import { takePairs } from '../../vocabulary/scope/path-set.ts'
import { bySeverity, collisionSeverity, type Ranked, type Severity } from '../../vocabulary/severity.ts'
import { activityWeight } from '../../vocabulary/weight.ts'
import { storedScopeOf } from '../activities/compared-scope.ts'
import { type ComparedActivity, listCompared } from '../activities/live-store.ts'
import { inTurns } from '../base/event-loop.ts'
import type { RepoContext } from '../repositories/repo.ts'
import type { CheckedWork } from './checked-work.ts'
import { comparisonOf } from './compare.ts'
import { type DigestedFile, sideOf } from './side.ts'
import { readFilesOf, withDigests } from './side-files.ts'
import { type DigestedSide, digestedSide, type SideVerdict, sideVerdict } from './sides-by-lines.ts'

/** The maximum number of activities whose lines are compared in one check. */
export const BY_LINES_MAX = 2_000
/** The number of activities that are read at once. */
export const ROWS = 200
/** The budget of one check, in units of about 5 ns, and how many of them count as one unit of the meter. */
const LINE_UNITS_MAX = 20_000_000
const LINE_UNITS_PER_UNIT = 3
/** Cost units of reading one changed file of an activity. */
export const FILE_COST = 100

export interface RankedByLines {
  /** The most severe first, then the newest. */
  ranked: Ranked[]
  /** Activities that share only noise, which are not collisions. */
  noise: Ranked[]
  /** By activity id; none for an activity without changed files. */
  side_verdicts: ReadonlyMap<string, SideVerdict>
  /** False if the budget was exhausted before the last activity. */
  complete: boolean
}

interface Own extends DigestedSide {
  index: FileIndex<DigestedFile>
}

/** Ranks activities by their changed lines. `found`: the activities with their severity by path, the most severe first. */
export async function rankByLines(work: CheckedWork, found: readonly Ranked[]): Promise<RankedByLines> {
  const { ctx } = work
  const budget = lineBudget(ctx, LINE_UNITS_MAX)
  const own = await ownOf(work, budget)
  const [ranked, noise]: [Ranked[], Ranked[]] = [[], []]
  const side_verdicts = new Map<string, SideVerdict>()
  let complete = true
  for (let from = 0; from < found.length; from += ROWS) {
    const page = found.slice(from, from + ROWS)
    if (budget.remaining < 0) {
      complete = false
      ranked.push(...page)
      continue
    }
    const results = await rankPage(work, page, { own, budget })
    for (const each of page) {
      const result = results.get(each.id)
      if (result === undefined) {
        ranked.push(each)
        continue
      }
      side_verdicts.set(each.id, result.side_verdict)
      if (result.severity === null) noise.push({ id: each.id, severity: 'low' })
      else ranked.push({ id: each.id, severity: result.severity })
    }
  }
  complete = complete && budget.remaining >= 0
  return { ranked: ranked.sort(bySeverity), noise: noise.sort(bySeverity), side_verdicts, complete }
}

interface Result {
  side_verdict: SideVerdict
  /** Null if they share only noise. */
  severity: Severity | null
}

/** The results of the activities that have changed files, by id. */
async function rankPage(
  work: CheckedWork,
  page: readonly Ranked[],
  { own, budget }: { own: Own; budget: Budget },
): Promise<Map<string, Result>> {
  const { ctx, pause, rules } = work
  const { noise, numbers } = rules
  const results = new Map<string, Result>()
  const rows = await listCompared(
    ctx.db,
    ctx.repo.id,
    page.map(({ id }) => id),
  )
  const sides = rows.map((row) => ({ id: row.id, row, side: sideOf(row, ctx) }))
  for await (const { each, stored } of readFilesOf(ctx, sides, own.index)) {
    budget.remaining -= FILE_COST * each.side.files.length
    if (budget.remaining < 0) break
    const files = await inTurns(withDigests(each.side.files, stored, budget))
    const theirs = await inTurns(digestedSide(each.side, files, noise))
    const shared = sharedFiles(own.index, files)
    await pause()
    const side_verdict = await inTurns(sideVerdict(own, theirs, { shared, noise, numbers, budget }))
    const by = sharedBesideFiles(work, each.row)
    const severity = collisionSeverity(side_verdict, by, activityWeight(each.row))
    results.set(each.id, {
      side_verdict: { ...side_verdict, files: side_verdict.files.slice(0, PAIRS_MAX) },
      severity,
    })
    await pause()
  }
  return results
}

/** Whether they share a pair of paths that are not both changed files, or only an area. Null if neither. */
function sharedBesideFiles(
  { proposal, rules, budget }: CheckedWork,
  row: ComparedActivity,
): 'path' | 'area' | null {
  const scope = storedScopeOf(row)
  const isFilesOnly = proposal.globs.globs.length + scope.paths.length + scope.areas.length === 0
  if (isFilesOnly) return null
  const { areas, pairs } = comparisonOf(proposal, scope, { rules, budget, by_lines: true })
  if (takePairs(pairs, 1).length > 0) return 'path'
  return areas.length > 0 ? 'area' : null
}

/** The side of the proposal. Its `index` leaves out the files that the settings ignore. */
async function ownOf({ proposal, side, readFiles, rules, pause }: CheckedWork, budget: Budget): Promise<Own> {
  const files = await readFiles(budget)
  const names = proposal.files
  const index = indexFiles(files)
  await pause()
  return {
    ...(await inTurns(digestedSide(side, files, rules.noise))),
    index: new Map([...index].filter(([name]) => names.has(name))),
  }
}

/** A budget in units of about 5 ns that the meter of the request counts. */
export function lineBudget({ caller }: Pick<RepoContext, 'caller'>, units: number): Budget {
  const metered = caller.meter.budget(units / LINE_UNITS_PER_UNIT)
  return {
    get remaining() {
      return metered.remaining * LINE_UNITS_PER_UNIT
    },
    set remaining(units) {
      metered.remaining = units / LINE_UNITS_PER_UNIT
    },
  }
}
