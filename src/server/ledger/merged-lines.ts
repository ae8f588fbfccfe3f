/** The outcome of a pair after one side was merged, by the lines of the other side (docs/contract/signal.md#outcomes). Pure. */
import type { Budget } from '../../vocabulary/budget.ts'
import type { Steps } from '../base/event-loop.ts'
import type { FileChange } from '../line-verdicts/change.ts'
import { fileVerdict } from '../line-verdicts/file-verdict.ts'
import { type NoiseRules, noiseOf } from '../line-verdicts/noise.ts'
import { indexFiles, pairVerdict, sharedFiles } from '../line-verdicts/pair-verdict.ts'
import { reversed } from '../line-verdicts/reverse.ts'

export interface AfterMerge {
  noise: NoiseRules
  /** In units of about 5 ns. */
  budget: Budget
}

/**
 * `came_true` if the changes of a side conflict with the merged ones, or edit lines that the merge brought; `wrong` if they
 * do neither; null if the lines of a shared file are unknown.
 */
export function* outcomeAfterMerge(
  side: readonly FileChange[],
  merged: readonly FileChange[],
  { noise, budget }: AfterMerge,
): Steps<'came_true' | 'wrong' | null> {
  const shared = sharedFiles(indexFiles(side), merged)
  const declared = { yours: false, theirs: false }
  const { files } = yield* pairVerdict(shared, { declared, one_base: false, noise, budget })
  if (files.some(({ verdict }) => verdict === 'conflict')) return 'came_true'
  const isNoise = (file: FileChange) => noiseOf(file, noise) !== null
  for (const { yours, theirs } of shared) {
    yield
    if (isNoise(yours) || isNoise(theirs)) continue
    if (editsLinesOf(yours, theirs, budget)) return 'came_true'
  }
  return files.some(({ verdict }) => verdict === 'unknown') || budget.remaining < 0 ? null : 'wrong'
}

/**
 * Whether a change edits lines that the merge brought. After a rebase, these lines are in its base. They are also in the base
 * of the reversed merged change, so the two can be compared.
 */
function editsLinesOf(change: FileChange, merged: FileChange, budget: Budget): boolean {
  if (change.digest === null || merged.digest === null) return false
  const modified = { path: merged.path, previous_path: null, status: 'modified', blob_sha: null } as const
  const { verdict } = fileVerdict(
    { ...change, ...modified },
    { ...merged, ...modified, digest: reversed(merged.digest) },
    { one_base: false, budget },
  )
  return verdict === 'conflict' || verdict === 'agrees'
}
