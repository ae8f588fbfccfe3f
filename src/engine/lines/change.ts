/** One changed file, and its conversion from GitHub's list of files, and from what a request declares. */
import { createHash } from 'node:crypto'
import { type Meter, mapped } from '../../vocabulary/clock.ts'
import type { ChangeStatus, ScopeChange } from '../../vocabulary/contract/scope.ts'
import type { NoiseClass } from '../../vocabulary/contract/settings.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { addTo } from '../../vocabulary/lists.ts'
import { storableText } from '../../vocabulary/text.ts'
import { type Digest, digestOf } from './digest.ts'
import type { LineHasher } from './line-hash.ts'
import { type Migration, readMigration } from './migration.ts'
import { isNamed, isOn, type NoiseRules, noiseOfPath } from './noise.ts'
import { PatchError } from './patch.ts'

/** Where a changed file is known from: the activity's `scope.changes`, or its pull request or branch on GitHub. */
export type ChangeOrigin = 'declared' | 'pushed'

/** A changed file without its lines. */
export interface ChangedFile {
  path: string
  /** The former path of a renamed file; otherwise null. */
  previous_path: string | null
  status: ChangeStatus
  /** The git blob after the change, or before the change for a removed file; null if unknown. */
  blob_sha: string | null
  /** Set if the file adds a migration of Django or Alembic. */
  migration?: Migration
  /** Of a manifest, the hash of what it adds. */
  manifest?: string
}

/** What is known of a change from its lines, and is stored without them. */
export type Derived = Pick<ChangedFile, 'migration' | 'manifest'>

export interface FileChange extends ChangedFile {
  /** The number of added and removed lines; null if unknown. */
  changed_lines: number | null
  /** Null if there was no patch, or if it is too large or unreadable. */
  digest: Digest | null
}

export interface SideFile extends ChangedFile {
  origin: ChangeOrigin
  /** The commit that its patch starts from; null if unknown. */
  base_sha: string | null
}

export type DigestedFile = SideFile & FileChange

/** A draft may have declared and pushed a file of the same path. */
export function fileKey({ origin, path }: Pick<SideFile, 'origin' | 'path'>): string {
  return `${origin} ${path}`
}

/** The fields used from an entry of GitHub's `GET /repos/{owner}/{repo}/pulls/{number}/files`. */
export interface FileEntry {
  filename: string
  previous_filename?: string | undefined
  status?: string | undefined
  sha?: string | null | undefined
  additions?: number | undefined
  deletions?: number | undefined
  patch?: string | undefined
}

/** Those of GitHub that are not `modified`. */
const STATUSES: Record<string, ChangeStatus> = {
  added: 'added',
  copied: 'added',
  removed: 'removed',
  renamed: 'renamed',
}

/** The change that an entry describes; null for a file that is not changed. */
export function changeOf(entry: FileEntry, hash: LineHasher): FileChange | null {
  if (entry.status === 'unchanged') return null
  const status = STATUSES[entry.status ?? 'modified'] ?? 'modified'
  const { additions, deletions, patch, previous_filename: previous } = entry
  const path = storableText(entry.filename)
  const digest = patch === undefined ? null : digestIfReadable(patch, hash)
  return {
    path,
    previous_path: status === 'renamed' && previous !== undefined ? storableText(previous) : null,
    status,
    blob_sha: entry.sha ?? null,
    changed_lines: additions === undefined || deletions === undefined ? null : additions + deletions,
    digest,
    ...derivedFrom({ path, status, patch, digest }),
  }
}

export function derivedFrom({
  path,
  status,
  patch,
  digest,
}: Pick<FileChange, 'path' | 'status' | 'digest'> & { patch: string | undefined }): Derived {
  const migration =
    status === 'added' && patch !== undefined ? readMigration(path, storableText(patch)) : null
  const isHashed = digest !== null && digest.added.length > 0 && isNamed(path, 'manifest', { is_file: true })
  return {
    ...(isHashed && { manifest: createHash('sha256').update(digest.added).digest('base64url').slice(0, 16) }),
    ...(migration !== null && { migration }),
  }
}

/** GitHub may truncate a patch, which then counts as omitted. */
function digestIfReadable(patch: string, hash: LineHasher): Digest | null {
  try {
    return digestOf(patch, hash)
  } catch (error) {
    if (error instanceof PatchError) return null
    throw error
  }
}

/** The number of lines that a patch adds and removes; null without a digest. */
export function changedLinesOf(digest: Digest | null): number | null {
  if (digest === null) return null
  return digest.blocks.reduce((sum, block) => sum + block.end - block.start, digest.added.length)
}

export function namesOf({ path, previous_path }: Pick<ChangedFile, 'path' | 'previous_path'>): string[] {
  return previous_path === null || previous_path === path ? [path] : [path, previous_path]
}

/** The files of a side by each of their names. */
export type FileIndex<File> = ReadonlyMap<string, readonly File[]>

export function indexFiles<File extends ChangedFile>(files: readonly File[]): FileIndex<File> {
  const index = new Map<string, File[]>()
  for (const file of files) for (const name of namesOf(file)) addTo(index, name, file)
  return index
}

/**
 * The files that both sides change. A side that renames a file changes it under both names. `path`: a name that both sides
 * have.
 */
export function sharedFiles<Mine extends ChangedFile, Theirs extends ChangedFile>(
  yours: FileIndex<Mine>,
  theirs: readonly Theirs[],
): { path: string; yours: Mine; theirs: Theirs }[] {
  return theirs.flatMap((file) => {
    const found = new Map<Mine, string>()
    for (const name of namesOf(file))
      for (const other of yours.get(name) ?? []) if (!found.has(other)) found.set(other, name)
    return [...found].map(([other, path]) => ({ path, yours: other, theirs: file }))
  })
}

/** The git blob of an empty file. A change to it has no lines either, but it is not binary. */
export const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

export function isOnlyRenamed({ status, digest, changed_lines }: FileChange): boolean {
  return status === 'renamed' && digest === null && changed_lines === 0
}

/** A change without lines, such as that of an image. */
export function isBinary(change: FileChange): boolean {
  const { status, digest, changed_lines, blob_sha } = change
  return digest === null && changed_lines === 0 && status !== 'renamed' && blob_sha !== EMPTY_BLOB
}

export function noiseOf(change: FileChange, rules: NoiseRules): NoiseClass | null {
  const named = noiseOfPath(change.path, rules, true)
  return named ?? (isOn('binary', rules) && isBinary(change) ? 'binary' : null)
}

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
export function changedFileOf(file: ChangedFile): ChangedFile {
  const { path, previous_path, status, blob_sha, ...derived } = file
  return { path, status, blob_sha, ...derivedOf(derived), previous_path }
}

function derivedOf({ manifest, migration }: Derived): Derived {
  return { ...(manifest && { manifest }), ...(migration && { migration }) }
}

/** Files without a patch keep what is stored of the lines of the same blob: the digest, and what was derived from it. */
export function keepStored<Stored extends ChangedFile>(
  files: readonly FileChange[],
  stored: readonly Stored[],
): (FileChange | (Omit<FileChange, keyof Stored> & Stored))[] {
  const byPath = new Map(stored.map((file) => [file.path, file]))
  return files.map((file) => {
    const { status, previous_path, blob_sha } = file
    const before = file.digest === null && blob_sha !== null ? byPath.get(file.path) : undefined
    return before?.blob_sha === blob_sha ? { ...file, ...before, status, previous_path } : file
  })
}
