/** Pairs of pull requests that were open at the same time and share a file, with the service's side_verdict of their last heads. */
import { namesOf } from '../../src/server/line-verdicts/change.ts'
import { isSameAuthor } from '../../src/server/overlap/side.ts'
import type { Branch } from './commits.ts'
import { type Changed, type ComparedHeads, type CompareHeads, isStacked, keysOf } from './heads.ts'
import { isRebasedOver } from './pull-requests.ts'
import { rawGap } from './raw-gap.ts'

export interface Overlap {
  earlier: Changed
  /** The one that was opened later. */
  later: Changed
  /** They share a file that is not noise, have different authors, neither of whom is a bot, and are not stacked. */
  is_of_people: boolean
  /** The merged one of the two, if the other was rebased over its merge; otherwise null. */
  rebased_over: Changed | null
  compared: ComparedHeads
  /** The number of lines between the nearest changes by the line numbers of the two patches, without alignment. */
  raw_gap: number
}

/** Yields each pair of one target branch once, ordered by the later number, if the later one was opened at or after `since`. */
export function* overlapsOf(
  pullRequests: readonly Changed[],
  { branches, since, compare }: { branches: readonly Branch[]; since: number; compare: CompareHeads },
): Generator<Overlap> {
  for (const [earlier, later] of meetings(pullRequests, since, (pr) => keysOf(pr, pr.last)))
    yield overlapOf(earlier, later, { branch: branches[later.branch] as Branch, compare })
}

/** Pairs that would be compared if they had one target branch. */
export interface AcrossBranches {
  /** By people, with a shared file that is not noise. */
  pairs: number
  conflicts: number
  duplicates: number
}

export function countAcrossBranches(
  pullRequests: readonly Changed[],
  { since, compare }: { since: number; compare: CompareHeads },
): AcrossBranches {
  const counts = { pairs: 0, conflicts: 0, duplicates: 0 }
  const names = ({ last }: Changed) => new Set(last.files.flatMap((file) => namesOf(file)))
  for (const [earlier, later] of meetings(pullRequests, since, names)) {
    if (earlier.branch === later.branch || !isOfPeople(earlier, later)) continue
    const { real, lines, duplicate } = compare(earlier.last, later.last)
    if (real.length === 0) continue
    counts.pairs += 1
    if (lines?.verdict === 'conflict') counts.conflicts += 1
    if (duplicate !== null) counts.duplicates += 1
  }
  return counts
}

/** The pull requests that share a key and were open at the same time: the earlier one first. */
function* meetings(
  pullRequests: readonly Changed[],
  since: number,
  keysOfOne: (pr: Changed) => ReadonlySet<string>,
): Generator<[earlier: Changed, later: Changed]> {
  const byKey = new Map<string, Changed[]>()
  for (const later of pullRequests.toSorted((a, b) => a.n - b.n)) {
    const others = new Set<Changed>()
    for (const key of keysOfOne(later)) {
      const known = byKey.get(key)
      for (const other of known ?? []) others.add(other)
      if (known === undefined) byKey.set(key, [later])
      else known.push(later)
    }
    if (later.opened < since) continue
    for (const earlier of others) if (earlier.ended > later.opened) yield [earlier, later]
  }
}

function isOfPeople(earlier: Changed, later: Changed): boolean {
  const isOfTwo = !earlier.is_bot && !later.is_bot && !isSameAuthor(earlier.last.author, later.last.author)
  return isOfTwo && !isStacked(earlier, later)
}

function overlapOf(
  earlier: Changed,
  later: Changed,
  { branch, compare }: { branch: Branch; compare: CompareHeads },
): Overlap {
  const compared = compare(earlier.last, later.last)
  const { real } = compared
  const rebased = isRebasedOver(later, earlier, branch) ? earlier : null
  return {
    earlier,
    later,
    is_of_people: real.length > 0 && isOfPeople(earlier, later),
    rebased_over: rebased ?? (isRebasedOver(earlier, later, branch) ? later : null),
    compared,
    raw_gap: Math.min(...real.map(({ yours, theirs }) => rawGap(yours, theirs))),
  }
}

/** Both are by people, and neither side was rebased over the other's merge. */
export function isComparable({ is_of_people, rebased_over }: Overlap): boolean {
  return is_of_people && rebased_over === null
}

export function isConflict(overlap: Overlap): boolean {
  return isComparable(overlap) && overlap.compared.lines?.verdict === 'conflict'
}

export function isProved(overlap: Overlap): boolean {
  return isConflict(overlap) && overlap.compared.lines?.confidence === 'proved'
}
