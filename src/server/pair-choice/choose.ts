/** Orders the pairs of a pull request that are worth a run, and takes the best (docs/contract/proofs.md#choice). Pure. */
import {
  type ChosenPair,
  PAIR_REASONS,
  PAIRS_CHOSEN_MAX,
  type PairReason,
  REASON_PATHS_MAX,
} from '../../vocabulary/contract/proof.ts'

/** A reason to prove a pull request together with the one of the choice. */
export interface Reason {
  number: number
  reason: PairReason
  paths: readonly string[]
}

interface Head {
  number: number
  head_sha: string
}

/** `others`: the open pull requests that can be chosen. Of several reasons for one of them, the best counts. */
export function choosePairs(own: Head, others: readonly Head[], reasons: readonly Reason[]): ChosenPair[] {
  const heads = new Map(others.map((each) => [each.number, each.head_sha]))
  const best = new Map<number, Reason>()
  for (const each of reasons.toSorted(byReason)) if (!best.has(each.number)) best.set(each.number, each)
  return [...best.values()]
    .flatMap(({ number, reason, paths }): ChosenPair[] => {
      const head = heads.get(number)
      if (head === undefined) return []
      const shown = [...new Set(paths)].slice(0, REASON_PATHS_MAX)
      return [{ pull_requests: [own.number, number], heads: [own.head_sha, head], reason, paths: shown }]
    })
    .slice(0, PAIRS_CHOSEN_MAX)
}

/** The best reason first, then the one with more files, then that of the newest pull request. */
function byReason(a: Reason, b: Reason): number {
  return (
    PAIR_REASONS.indexOf(a.reason) - PAIR_REASONS.indexOf(b.reason) ||
    b.paths.length - a.paths.length ||
    b.number - a.number
  )
}
