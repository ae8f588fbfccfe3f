/** The changed files that a request declares, with their lines reduced to digests. */

import type { ScopeChange } from '../../vocabulary/contract/scope-changes.ts'
import { type Meter, mapped } from '../../vocabulary/deadline.ts'
import { Failure } from '../../vocabulary/failure.ts'
import {
  type ChangedFile,
  changedLinesOf,
  type Derived,
  derivedFrom,
  type FileChange,
} from '../lines/change.ts'
import { type Digest, digestOf } from '../lines/digest.ts'
import type { LineHasher } from '../lines/line-hash.ts'
import { PatchError } from '../lines/patch.ts'

/** Reduces patches to digests. Throws `validation_error` (`scope.changes[i].patch`) for a patch that cannot be read. */
export async function digestChanges(
  meter: Meter,
  changes: readonly ScopeChange[],
  hash: LineHasher,
): Promise<FileChange[]> {
  const steps = mapped(changes, ({ patch, ...change }, index): FileChange => {
    const digest = patch === undefined ? null : readDigest(patch, hash, index)
    const derived = derivedFrom({ ...change, patch, digest })
    return { ...changedFileOf(change), ...derived, changed_lines: changedLinesOf(digest), digest }
  })
  return meter.deadline().run(steps)
}

function readDigest(patch: string, hash: LineHasher, index: number): Digest | null {
  try {
    return digestOf(patch, hash)
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    const param = `scope.changes[${index}].patch`
    throw new Failure('validation_error', `${param}: ${error.message}`, { param })
  }
}

/**
 * The change without its lines. The fields are in the order in which `jsonb` returns them, so that its JSON equals that of
 * a stored change.
 */
export function changedFileOf({
  path,
  previous_path,
  status,
  blob_sha,
  ...derived
}: ChangedFile): ChangedFile {
  return { path, status, blob_sha, ...derivedOf(derived), previous_path }
}

function derivedOf({ manifest, migration }: Derived): Derived {
  return { ...(manifest && { manifest }), ...(migration && { migration }) }
}

/** Files without a patch keep what was derived from the lines of `stored`, if their blobs are the same. */
export function keepDerived(files: readonly FileChange[], stored: readonly ChangedFile[]): FileChange[] {
  const byPath = new Map(stored.map((file) => [file.path, file]))
  return files.map((file) => {
    const before = byPath.get(file.path)
    const isKept = file.digest === null && file.blob_sha !== null && before?.blob_sha === file.blob_sha
    return isKept ? { ...file, ...derivedOf(before) } : file
  })
}
