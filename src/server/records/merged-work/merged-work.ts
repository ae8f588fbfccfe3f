/** Finds work that a merged pull request has done already, by the lines that both add (docs/contract/issues.md#done-already). */

import type { DoneBy, DoneSubject } from '../../../engine/check/source.ts'
import {
  ENOUGH,
  isComparable,
  KEPT_FOR_MS,
  NEW_LINES_MAX,
  type NewLines,
  newLinesOf,
  numbersReverted,
} from '../../../engine/lines/added-lines.ts'
import type { FileChange } from '../../../engine/lines/change.ts'
import type { NoiseRules } from '../../../engine/lines/noise.ts'
import { later } from '../../../vocabulary/clock.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'
import { deleteLinesOf, deleteRemovedLines, findTwin, saveMergedBelow, saveMergedLines } from './store.ts'

/**
 * Keeps the lines of a pull request that is merged now, and forgets those of earlier ones that it removes: work that was
 * taken back may be done again. Those above it in a stack have its lines, and have not done them again. `files`: its changed files.
 */
export async function keepMergedWork(
  ctx: RepoContext,
  { number, branch, base_branch }: { number: number; branch: string; base_branch: string },
  { files, noise }: { files: readonly FileChange[]; noise: NoiseRules },
): Promise<void> {
  const { added, removed } = await noise.deadline.run(newLinesOf(files, noise))
  await inTransaction(ctx, async ({ db, repo }) => {
    await saveMergedBelow(db, repo.id, { number, branch })
    if (removed.length > 0) await deleteRemovedLines(db, repo.id, { number, base_branch, hashes: removed })
    if (added.length > 0 && added.length <= NEW_LINES_MAX)
      await saveMergedLines(db, repo.id, { number, hashes: added })
  })
}

/** Forgets the lines of pull requests that pushed commits take back by their messages, without a pull request of their own. */
export async function forgetReverted(
  { db, repo }: RepoContext,
  { branch, messages }: { branch: string; messages: readonly string[] },
): Promise<void> {
  const numbers = messages.flatMap(numbersReverted)
  if (numbers.length > 0) await deleteLinesOf(db, repo.id, { numbers, base_branch: branch })
}

/** The merged pull request that has most of the lines that work adds; null if there is none, or if lines are unknown. */
export async function findDoneBy(
  { db, now, repo }: RepoContext,
  lines: NewLines,
  work: DoneSubject,
): Promise<DoneBy | null> {
  if (!isComparable(lines)) return null
  const since = later(now, -KEPT_FOR_MS)
  const twin = await findTwin(db, repo.id, { ...work, hashes: lines.added }, { since, ...ENOUGH })
  return twin ? { ...twin, url: `${repo.web_urls[0]}/pull/${twin.number}` } : null
}
