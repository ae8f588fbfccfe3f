/** What reading a clone needs, and what its readers share. */
import { createHash } from 'node:crypto'
import { changedLinesOf, changeOf, type FileChange } from '../engine/lines/change.ts'
import type { LineHasher } from '../engine/lines/line-hash.ts'
import type { AttributeRule } from '../engine/lines/noise.ts'
import type { Change } from '../git/diff-output.ts'
import type { Git } from '../git/git.ts'
import type { Settings } from '../vocabulary/contract/settings.ts'
import type { DiffCache } from './diff-cache.ts'
import type { Commits } from './stacks.ts'

/** Anybody can date a commit later than a date can be. */
export const LATEST_MS = Date.UTC(9999, 0)
const AT_ONCE = 4

export interface CloneOptions {
  git: Git
  now: Date
  /** The root of the working tree that asks. Its own work is not read. */
  root: string | null
  base: string | undefined
  remote: string | undefined
  /** In a shallow clone, hooks may not know what a branch has committed. */
  is_shallow: boolean
  hasher(): LineHasher
  cache: DiffCache
  /** Milliseconds for all that is not in the cache. */
  left_ms(): number
  /** The only files whose changes matter; undefined if others can matter as well. */
  asked?: readonly string[] | undefined
  /** The address of `pull/12` below the page of the repository; null if the remote has no page. */
  pullRequestUrl(path: string): string | null
  /** Who asks, by name. */
  person: string
  web_url: string
  settings: Settings
  noise_attributes: readonly AttributeRule[]
  /** Why nothing of other machines was compared. */
  others_unknown: string
  settings_problems: readonly string[]
  /** A working tree as it is shown: relative to the one that asks, and null for itself. */
  shownTree(root: string): string | null
}

export interface MergedOptions extends CloneOptions {
  /** The heads of the base branch. */
  merged: readonly string[]
  /** What all branches have besides. */
  commits?: Commits
  /** Called if there was no time for some commits. */
  onLate?(): void
}

/** Changed files, with their lines as digests. */
export function filesOf(changes: readonly Change[], hash: LineHasher): (FileChange & { origin: 'pushed' })[] {
  return changes.flatMap(({ path, previous_path, status, blob_sha, patch }) => {
    const change = changeOf(
      { filename: path, previous_filename: previous_path, status, sha: blob_sha, patch },
      hash,
    )
    return change === null
      ? []
      : [{ ...change, changed_lines: changedLinesOf(change.digest), origin: 'pushed' as const }]
  })
}

/** The same for two changes that replace the same lines of the same files by the same ones, wherever in the files these stand. */
export function patchIdOf(files: readonly FileChange[]): string {
  const hash = createHash('sha256')
  for (const { path, previous_path, status, blob_sha, digest } of files.toSorted((a, b) =>
    a.path < b.path ? -1 : 1,
  )) {
    hash.update(JSON.stringify([path, previous_path, status, digest ? null : blob_sha]))
    for (const { start, end, lines_at, added_at, added_end } of digest?.blocks ?? []) {
      hash.update(`${end - start} ${added_end - added_at}`)
      hash.update(digest?.lines.subarray(lines_at, lines_at + end - start) ?? '')
      hash.update(digest?.added.subarray(added_at, added_end) ?? '')
    }
  }
  return hash.digest('base64url').slice(0, 16)
}

/** Maps with at most `AT_ONCE` promises at a time, in order. */
export async function mappedAtOnce<Item, Result>(
  items: readonly Item[],
  resultOf: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length)
  const waiting = [...items.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      results[next[0]] = await resultOf(next[1])
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}
