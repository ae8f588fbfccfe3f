/** Reads a clone as it is now, for one method of the client. */
import type { CheckContext } from '../engine/check/source.ts'
import { escapeGlob } from '../git/request-size.ts'
import type { LookedAt, OverlapResult } from '../vocabulary/contract/overlap.ts'
import { type Clone, readClone } from './clone.ts'
import type { CloneOptions } from './clone-options.ts'
import { contextOf } from './clone-source.ts'
import type { RecordFiles } from './record-files.ts'

export interface ReaderOptions extends Omit<CloneOptions, 'now'> {
  files: RecordFiles
  /** The branch of the working tree that asks, now; null on a detached HEAD. */
  checkedOut(): string | null
}

export interface Reader extends ReaderOptions {
  /** For a check of these changes. */
  readFor(scope: AskedScope | undefined, now: Date): Promise<Clone>
  /** Everything: the changes of the working tree that asks count as work as well. */
  readAll(now: Date): Promise<Clone>
  contextOf(clone: Clone, now: Date): CheckContext
}

export function readerOf(options: ReaderOptions): Reader {
  return {
    ...options,
    readFor: (scope, now) => readClone(options.files.read(), { ...options, now, asked: filesIn(scope) }),
    readAll: (now) => readClone(options.files.read(), { ...options, now }, { is_with_own: true }),
    contextOf: (clone, now) => contextOf(clone, { ...options, now }),
  }
}

interface AskedScope {
  paths: readonly string[]
  changes: readonly { path: string; previous_path?: string | null }[]
}

/** The files of a scope; undefined if it has none, or has patterns, which match files that nobody has named. */
function filesIn(scope: AskedScope | undefined): string[] | undefined {
  if (scope === undefined) return undefined
  const paths = scope.paths.map((path) => path.replace(/\\([*?{}[\]!\\])/g, '$1'))
  if (scope.paths.some((path, at) => escapeGlob(paths[at] as string) !== path)) return undefined
  const files = [
    ...paths,
    ...scope.changes.flatMap(({ path, previous_path }) => [path, previous_path ?? path]),
  ]
  return files.length > 0 ? files : undefined
}

/** Adds to the answer of a check what was looked at in the clone, and what was not. */
export function withLookedAt(overlap: OverlapResult, looked_at: LookedAt): OverlapResult {
  const { sources, is_late, ...counts } = looked_at
  const { checked_against } = overlap
  const complete = checked_against.complete && !is_late
  return { ...overlap, checked_against: { ...checked_against, ...counts, complete }, sources }
}
