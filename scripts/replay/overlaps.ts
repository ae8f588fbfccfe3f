/** Pairs of pull requests that were open at the same time and share a file, with the service's comparison of their last heads. */

import { isSameAuthor } from '../../src/engine/check/sides.ts'
import type { NoiseRules } from '../../src/engine/lines/noise.ts'
import { addTo } from '../../src/vocabulary/lists.ts'
import type { Branch } from './commits.ts'
import { type Changed, type ComparedHeads, compareHeads, isStacked, keysOf } from './heads.ts'
import { isRebasedOver } from './pull-requests.ts'

export interface Overlap {
  earlier: Changed
  /** The one that was opened later. */
  later: Changed
  /** They share a file that is not noise, have different authors, neither of whom is a bot, and are not stacked. */
  is_of_people: boolean
  /** The merged one of the two, if the other was rebased over its merge; otherwise null. */
  rebased_over: Changed | null
  compared: ComparedHeads
}

/** Yields each pair of one target branch once, ordered by the later number, if the later one was opened at or after `since`. */
export function* overlapsOf(
  pullRequests: readonly Changed[],
  { branches, since, noise }: { branches: readonly Branch[]; since: number; noise: NoiseRules },
): Generator<Overlap> {
  const byKey = new Map<string, Changed[]>()
  for (const later of pullRequests.toSorted((a, b) => a.n - b.n)) {
    const keys = [...keysOf(later, later.last)]
    const others = new Set(keys.flatMap((key) => byKey.get(key) ?? []))
    for (const key of keys) addTo(byKey, key, later)
    if (later.opened < since) continue
    for (const earlier of others)
      if (earlier.ended > later.opened)
        yield overlapOf(earlier, later, { branch: branches[later.branch] as Branch, noise })
  }
}

function isOfPeople(earlier: Changed, later: Changed): boolean {
  const isOfTwo = !earlier.is_bot && !later.is_bot && !isSameAuthor(earlier.last.author, later.last.author)
  return isOfTwo && !isStacked(earlier, later)
}

function overlapOf(
  earlier: Changed,
  later: Changed,
  { branch, noise }: { branch: Branch; noise: NoiseRules },
): Overlap {
  const compared = compareHeads(earlier.last, later.last, { noise })
  const { real } = compared
  const rebased = isRebasedOver(later, earlier, branch) ? earlier : null
  return {
    earlier,
    later,
    is_of_people: real.length > 0 && isOfPeople(earlier, later),
    rebased_over: rebased ?? (isRebasedOver(earlier, later, branch) ? later : null),
    compared,
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
