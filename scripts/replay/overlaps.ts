/** Pairs of pull requests that were open at the same time and share a file, with the service's verdict on each. */
import type { FileChange } from '../../src/lines/change.ts'
import { namesOf } from '../../src/lines/change.ts'
import { type Duplicate, duplicateOf, type Work } from '../../src/lines/duplicate.ts'
import type { NoiseRules } from '../../src/lines/noise.ts'
import {
  type FilePair,
  indexFiles,
  type PairVerdict,
  pairVerdict,
  sharedFiles,
} from '../../src/lines/pair-verdict.ts'
import type { Branch } from './commits.ts'
import { PAIR_COST_MAX } from './pairs.ts'
import { isSameAuthor, isStacked, type PullRequest, rebasedOver } from './pull-requests.ts'
import { rawGap } from './raw-gap.ts'

/** A pull request with its files. */
export interface Changed extends PullRequest {
  files: FileChange[]
  work: Work
}

export interface Overlap {
  earlier: Changed
  /** The one that was opened later. */
  later: Changed
  /** They share a file that is not noise, have different authors, neither of whom is a bot, and are not stacked. */
  is_of_people: boolean
  /** See `rebasedOver`. */
  rebased_over: Changed | null
  /** The shared files that are not noise. */
  real: FilePair[]
  judged: PairVerdict
  duplicate: Duplicate | null
  /** The number of lines between the nearest changes by the line numbers of the two patches, without alignment. */
  raw_gap: number
}

/** Yields each pair once, ordered by the later number, if the later one was opened at or after `since`. */
export function* overlapsOf(
  pullRequests: readonly Changed[],
  branches: readonly Branch[],
  { since, noise }: { since: number; noise: NoiseRules },
): Generator<Overlap> {
  const byName = new Map<string, Changed[]>()
  for (const later of pullRequests.toSorted((a, b) => a.n - b.n)) {
    const names = new Set(later.files.flatMap(namesOf))
    const others = new Set<Changed>()
    for (const name of names) {
      const key = `${later.branch} ${name}`
      const known = byName.get(key)
      for (const other of known ?? []) others.add(other)
      if (known === undefined) byName.set(key, [later])
      else known.push(later)
    }
    if (later.opened < since) continue
    for (const earlier of others)
      if (earlier.ended > later.opened)
        yield overlapOf(earlier, later, branches[later.branch] as Branch, noise)
  }
}

function overlapOf(earlier: Changed, later: Changed, branch: Branch, noise: NoiseRules): Overlap {
  const shared = sharedFiles(indexFiles(earlier.files), later.files)
  const judged = pairVerdict(shared, {
    declared: { yours: false, theirs: false },
    // The service does not know the merge base of a pull request.
    one_base: false,
    noise,
    budget: { remaining: PAIR_COST_MAX },
  })
  const noisy = new Set(judged.files.filter(({ verdict }) => verdict === 'noise').map(({ path }) => path))
  const real = shared.filter(({ path }) => !noisy.has(path))
  const isBot = earlier.is_bot || later.is_bot
  return {
    earlier,
    later,
    is_of_people: real.length > 0 && !isBot && !isSameAuthor(earlier, later) && !isStacked(earlier, later),
    rebased_over: rebasedOver(earlier, later, branch),
    real,
    judged,
    duplicate: duplicateOf(earlier.work, later.work),
    raw_gap: Math.min(...real.map(({ yours, theirs }) => rawGap(yours, theirs))),
  }
}
