/** The lines that the merges of pull requests brought into their base branches, which may be fewer than their heads add. */

import { newLinesOf } from '../../../src/engine/lines/added-lines.ts'
import { KEY_BYTES, lineHasher } from '../../../src/engine/lines/line-hash.ts'
import { atOnce } from '../../../test/support/steps.ts'
import { changedFiles } from '../changed-files.ts'
import type { Branch, Commit } from '../commits.ts'
import type { Git } from '../git.ts'
import type { Changed } from '../heads.ts'
import type { History } from '../history.ts'

/** The hashes of the merges of those that were told, in order; none for one that was not merged. */
export async function mergedLines(
  { git, absent }: { git: Git; absent: ReadonlySet<string> },
  { commits: { all }, branches, changed, noise }: History,
  told: readonly { pr: Changed }[],
): Promise<Set<number>[]> {
  const endings = new Set(changed.map(({ merged }) => `${merged?.branch} ${merged?.position}`))
  const trees = told.map(({ pr: { merged, own } }) => {
    const [{ tree }] = all as [Commit]
    if (merged === null) return { from: tree, to: tree }
    const { branch, position } = merged
    const { chain } = branches[branch] as Branch
    const commitAt = (at: number) => all[chain[at] as number] as Commit
    // A merge by rebasing brings several commits.
    const subjects = new Set([...own].map((at) => (all[at] as Commit).subject))
    let before = position - 1
    while (before > 0 && subjects.has(commitAt(before).subject) && !endings.has(`${branch} ${before}`))
      before--
    return { from: commitAt(Math.max(0, before)).tree, to: commitAt(position).tree }
  })
  const hash = lineHasher(new Uint8Array(KEY_BYTES))
  const lines: Set<number>[] = []
  for await (const files of changedFiles(git, trees, { hash, absent }))
    lines.push(new Set(atOnce(newLinesOf(files, noise)).added))
  return lines
}
