/** Ranks the collisions of a repository by the lines that both sides change. */

import type { Steps } from '../../vocabulary/clock.ts'
import { SHARED_PATHS_MAX } from '../../vocabulary/contract/overlap-list.ts'
import { consequenceOf } from '../../vocabulary/finding.ts'
import { addTo } from '../../vocabulary/lists.ts'
import type { GlobPair } from '../../vocabulary/scope/path-set.ts'
import { higher, type Severity } from '../../vocabulary/severity.ts'
import {
  type Comparison,
  type IndexedSide,
  isCommon,
  pullsOf,
  type Side,
  severityOf,
  sharedIssue,
  withoutDuplicate,
} from '../kinds/kinds.ts'
import { type DigestedFile, namesOf } from '../lines/change.ts'
import { scopeOf } from '../record.ts'
import { compareChanges, type Rules } from './compare.ts'
import { bySeverityAndAge, type Pair, type Participant } from './live-pairs.ts'
import { filesSince, indexedSide, readSides } from './sides.ts'
import type { CheckContext, Names } from './source.ts'

/** `comparison` is undefined if one side has no changed files, or the deadline did not reach it: then the severity is by path. */
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
  const byLines = pairs.filter(({ by_lines }) => by_lines)
  const pending = new Map<number, Pair[]>()
  for (const pair of byLines) addTo(pending, pair.older, pair)
  const compared: RankedCollision[] = pairs.filter(({ by_lines }) => !by_lines)
  const positions = [...new Set(byLines.flatMap(({ newer, older }) => [newer, older]))].sort((a, b) => a - b)
  const positionOf = new Map(positions.map((at) => [(participants[at] as Participant).record.id, at]))
  const loaded = new Map<number, Loaded>()
  for await (const { row, side, files } of readSides(ctx, [...positionOf.keys()], rules.deadline)) {
    const position = positionOf.get(row.id) as number
    loaded.set(position, await rules.deadline.run(loadedSide(side, files, input)))
    for (const pair of pending.get(position) ?? []) {
      const sides = (await sidesSince(ctx, pair, { loaded, input })) ?? [
        loaded.get(pair.older),
        loaded.get(pair.newer),
      ]
      compared.push(await rules.deadline.run(compareOne(pair, sides, input)))
    }
    pending.delete(position)
  }
  // Pairs that the deadline does not reach keep their severity by path.
  for (const left of pending.values()) compared.push(...left)
  const sizes = new Map([...loaded].map(([position, { size }]) => [position, size]))
  return { ...judgeAll(compared, participants), sizes }
}

/** Of its files, only those that several activities change are kept. */
function* loadedSide(side: Side, files: readonly DigestedFile[], input: RankInput): Steps<Loaded> {
  const indexed = yield* indexedSide(side, files, input)
  const shared = files.filter((file) => namesOf(file).some((name) => input.names.has(name)))
  return { ...indexed, files: shared, size: sizeOf(files) }
}

/** The sides of a pair that has commits in common. */
async function sidesSince(
  ctx: CheckContext,
  { older, newer }: Pair,
  { loaded, input }: { loaded: ReadonlyMap<number, Loaded>; input: RankInput },
): Promise<[older: IndexedSide, newer: IndexedSide] | undefined> {
  const { participants, rules } = input
  const sideSince = async (position: number, from: number) => {
    const [id = null, other = ''] = [position, from].map((at) => participants[at]?.record.id)
    const files = await filesSince(ctx, { id, other }, rules.deadline)
    const side = loaded.get(position)
    return files && side && rules.deadline.run(indexedSide(side, files, input))
  }
  const [one, other] = [await sideSince(older, newer), await sideSince(newer, older)]
  return one && other && [one, other]
}

/** The files of a pull request count instead of those that were declared before. */
function sizeOf(files: readonly DigestedFile[]): ChangeSize {
  const pushed = files.filter(({ origin }) => origin === 'pushed')
  const counted = pushed.length > 0 ? pushed : files
  const lines = counted.reduce((sum, { changed_lines }) => sum + (changed_lines ?? 0), 0)
  return { lines, files: counted.length }
}

function* compareOne(
  pair: Pair,
  [yours, theirs]: readonly (IndexedSide | undefined)[],
  { participants, rules }: RankInput,
): Steps<RankedCollision> {
  if (yours === undefined || theirs === undefined) return pair
  const { proposal } = participants[pair.older] as Participant
  const other = scopeOf((participants[pair.newer] as Participant).record)
  const max = { paths: SHARED_PATHS_MAX, files: SHARED_PATHS_MAX }
  return { ...pair, ...(yield* compareChanges({ yours, theirs, proposal, other }, rules, max)) }
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
