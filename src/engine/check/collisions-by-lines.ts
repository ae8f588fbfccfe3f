/** Ranks the collisions of a repository by the lines that both sides change. Bounded. */

import type { Budget } from '../../vocabulary/budget.ts'
import { SHARED_PATHS_MAX } from '../../vocabulary/contract/overlap-list.ts'
import { inTurns, periodicYield, type Steps } from '../../vocabulary/event-loop.ts'
import { byConsequence, consequenceOf } from '../../vocabulary/finding.ts'
import { addTo } from '../../vocabulary/lists.ts'
import type { GlobPair } from '../../vocabulary/scope/path-set.ts'
import { higher, type Severity } from '../../vocabulary/severity.ts'
import { type Comparison, compareSides, isCommon, withoutDuplicate } from '../kinds/compare.ts'
import { severityOf, sharedIssue } from '../kinds/kinds.ts'
import type { DigestedFile } from '../kinds/side.ts'
import { namesOf } from '../lines/change.ts'
import { sharedFiles } from '../lines/pair-verdict.ts'
import { scopeOf } from '../record.ts'
import { declaredPairs, scopeFindings } from './compare.ts'
import {
  FILE_COST,
  filesSince,
  type IndexedSide,
  indexedSide,
  LINES_PER_UNIT,
  pullsOf,
  ROWS,
} from './found-by-lines.ts'
import { bySeverityAndAge, type Pair, type Participant } from './live-pairs.ts'
import type { Rules } from './rules.ts'
import { sideOf, withDigests } from './sides.ts'
import type { CheckContext, Names } from './source.ts'

/** The budget of all pairs, in units of about 5 ns. */
const LINE_UNITS_MAX = 40_000_000
/** Cost units of a pair, and of looking for one file of a side among those of the other. */
const PAIR_COST = 200
const LOOK_UP_COST = 20
/** The budget of comparing the declared paths of pairs whose lines are compared, in units of 10 to 50 ns. */
const DECLARED_UNITS_MAX = 250_000

/** `comparison` is undefined if one side has no changed files, or the budget was exhausted: then the severity is by path. */
export interface RankedCollision extends Pair {
  comparison?: Comparison
  /** With `comparison`: the pairs of declared paths besides the files that both change. */
  paths?: readonly GlobPair[]
}

export interface RankedCollisions {
  /** The most severe first, then those of the newest activities. */
  collisions: RankedCollision[]
  /** Those that only change the same files, with their lines apart, in the order of the newest activities. */
  same_file: Pair[]
  /** The sizes of the activities whose files were read, by position. */
  sizes: ReadonlyMap<number, ChangeSize>
  /** False if the budget was exhausted before the last pair. */
  complete: boolean
}

export interface RankInput {
  pairs: readonly Pair[]
  /** The positions in `pairs` are indexes of this list. */
  participants: readonly Participant[]
  /** The names of the files that several activities change. */
  names: Names
  rules: Rules
}

/** How much a side changes. */
export interface ChangeSize {
  lines: number
  files: number
}

interface Loaded extends IndexedSide {
  size: ChangeSize
}

/** The pairs of the newest activities are compared first. */
export async function rankCollisions(ctx: CheckContext, input: RankInput): Promise<RankedCollisions> {
  const { pairs, participants, rules } = input
  const budget = ctx.caller.meter.budget(LINE_UNITS_MAX, LINES_PER_UNIT)
  const declared = ctx.caller.meter.budget(DECLARED_UNITS_MAX)
  const pause = periodicYield()
  const pending = new Map<number, Pair[]>()
  const all = new Set<number>()
  const compared: RankedCollision[] = []
  for (const pair of pairs) {
    if (!pair.by_lines) {
      compared.push(pair)
      continue
    }
    all.add(pair.newer).add(pair.older)
    addTo(pending, pair.older, pair)
  }
  const loaded = new Map<number, Loaded>()
  for await (const [position, side] of loadSides(ctx, [...all].sort(ascending), { input, budget })) {
    loaded.set(position, side)
    const own = pending.get(position) ?? []
    pending.delete(position)
    const parted = await sidesSince(ctx, own, { loaded, input, budget })
    const context = { loaded, parted, participants, rules, budget, declared }
    compared.push(...(await inTurns(compareAll(own, context))))
    await pause()
  }
  // Pairs that the budget did not reach keep their severity by path.
  for (const left of pending.values()) compared.push(...left)
  const sizes = new Map([...loaded].map(([position, { size }]) => [position, size]))
  const complete = budget.remaining >= 0 && rules.areNumbersKnown()
  return { ...judgeAll(compared, participants), sizes, complete }
}

/** The sides at these positions, until the budget is exhausted. Activities that were deleted meanwhile are missing. */
async function* loadSides(
  ctx: CheckContext,
  positions: readonly number[],
  { input, budget }: { input: RankInput; budget: Budget },
): AsyncGenerator<[position: number, side: Loaded]> {
  const { participants, names } = input
  for (let from = 0; from < positions.length && budget.remaining >= 0; from += ROWS) {
    const page = new Map(
      positions.slice(from, from + ROWS).map((at) => [participants[at]?.record.id as string, at]),
    )
    const rows = await ctx.source.activities([...page.keys()])
    const sides = rows
      .map((row) => ({ position: page.get(row.id) as number, id: row.id, side: sideOf(row, ctx) }))
      .sort((a, b) => ascending(a.position, b.position))
    for await (const { each, stored } of ctx.source.files(sides)) {
      budget.remaining -= FILE_COST * each.side.files.length
      if (budget.remaining < 0) return
      const files = await inTurns(withDigests(each.side.files, stored, budget))
      const shared = files.filter((file) => namesOf(file).some((name) => names.has(name)))
      const indexed = await indexedSide(each.side, files, input)
      yield [each.position, { ...indexed, files: shared, size: sizeOf(files) }]
    }
  }
}

/** The sides of the pairs that have commits in common. */
async function sidesSince(
  ctx: CheckContext,
  pairs: readonly Pair[],
  { loaded, input, budget }: { loaded: ReadonlyMap<number, Loaded>; input: RankInput; budget: Budget },
): Promise<Map<Pair, [older: IndexedSide, newer: IndexedSide]>> {
  const parted = new Map<Pair, [IndexedSide, IndexedSide]>()
  const sideOf = async (position: number, from: number) => {
    const [id = null, other = ''] = [position, from].map((at) => input.participants[at]?.record.id)
    const files = await filesSince(ctx, { id, other }, budget)
    const side = loaded.get(position)
    return files && side && indexedSide(side, files, input)
  }
  for (const pair of ctx.source.since ? pairs : []) {
    const [older, newer] = [await sideOf(pair.older, pair.newer), await sideOf(pair.newer, pair.older)]
    if (older && newer) parted.set(pair, [older, newer])
  }
  return parted
}

/** The files of a pull request count instead of those that were declared before. */
function sizeOf(files: readonly DigestedFile[]): ChangeSize {
  const pushed = files.filter(({ origin }) => origin === 'pushed')
  const counted = pushed.length > 0 ? pushed : files
  const lines = counted.reduce((sum, { changed_lines }) => sum + (changed_lines ?? 0), 0)
  return { lines, files: counted.length }
}

interface Context {
  loaded: ReadonlyMap<number, Loaded>
  parted: ReadonlyMap<Pair, [older: IndexedSide, newer: IndexedSide]>
  participants: readonly Participant[]
  rules: Rules
  /** Of comparing lines, and declared paths. */
  budget: Budget
  declared: Budget
}

function* compareAll(pairs: readonly Pair[], context: Context): Steps<RankedCollision[]> {
  const compared: RankedCollision[] = []
  for (const pair of pairs) {
    yield
    compared.push(yield* compareOne(pair, context))
  }
  return compared
}

function* compareOne(
  pair: Pair,
  { loaded, parted, participants, rules, budget, declared }: Context,
): Steps<RankedCollision> {
  const [older, newer] = parted.get(pair) ?? [loaded.get(pair.older), loaded.get(pair.newer)]
  if (older === undefined || newer === undefined || budget.remaining < 0) return pair
  budget.remaining -= PAIR_COST + LOOK_UP_COST * newer.files.length
  const shared = sharedFiles(older.index, newer.files)
  const comparison = yield* compareSides(older, newer, { shared, ...rules, budget })
  const { proposal } = participants[pair.older] as Participant
  const other = scopeOf((participants[pair.newer] as Participant).record)
  const paths = declaredPairs(proposal, other, { rules, max: SHARED_PATHS_MAX, budget: declared })
  const findings = [...comparison.findings, ...scopeFindings(paths, [])].sort(byConsequence)
  return {
    ...pair,
    paths,
    comparison: { ...comparison, findings, files: comparison.files.slice(0, SHARED_PATHS_MAX) },
  }
}

/** The pairs with their severity by lines. Those that share nothing that counts, such as only noise, are left out. */
function judgeAll(
  compared: readonly RankedCollision[],
  participants: readonly Participant[],
): Pick<RankedCollisions, 'collisions' | 'same_file'> {
  const twins = new Map<number, (number | null)[]>()
  const pullOf = (position: number) => participants[position]?.record.pr_number ?? null
  for (const { comparison, newer, older } of compared)
    for (const position of containedOf(comparison, { newer, older }))
      addTo(twins, position, pullOf(position === newer ? older : newer))
  const open = pullsOf(participants.map(({ record }) => record.pr_number))
  const isOfMany = (position: number) =>
    isCommon(pullsOf([pullOf(position), ...(twins.get(position) ?? [])]), () => open)
  const collisions: RankedCollision[] = []
  const same_file: Pair[] = []
  for (const pair of compared) {
    if (pair.comparison === undefined) {
      const [older, newer] = [participants[pair.older], participants[pair.newer]]
      const isSame = older && newer && sharedIssue(older, newer).length > 0
      collisions.push(isSame ? { ...pair, severity: 'high' } : pair)
      continue
    }
    const isOfManyToo = containedOf(pair.comparison, pair).some(isOfMany)
    const comparison = isOfManyToo ? withoutDuplicate(pair.comparison) : pair.comparison
    const [one, other] = [pair.newer, pair.older].map((position) =>
      severityOf(comparison.findings, (participants[position] as Participant).record.weight),
    ) as [Severity | null, Severity | null]
    const severity = higher(one, other)
    if (severity !== null) collisions.push({ ...pair, severity, comparison })
    else if (consequenceOf(comparison.findings) === 'same_file') same_file.push(pair)
  }
  return { collisions: collisions.sort(bySeverityAndAge), same_file: same_file.sort(bySeverityAndAge) }
}

/** The positions of the sides all of whose changes the other makes too. */
function containedOf(
  comparison: Comparison | undefined,
  { older, newer }: Pick<Pair, 'older' | 'newer'>,
): number[] {
  const { yours = false, theirs = false } = comparison?.contained ?? {}
  return [...(yours ? [older] : []), ...(theirs ? [newer] : [])]
}

function ascending(a: number, b: number): number {
  return a - b
}
