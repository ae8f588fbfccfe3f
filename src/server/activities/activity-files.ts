/** The changed files of activities: those that were declared, and those that GitHub lists. */
import { isDeepStrictEqual } from 'node:util'
import { type ChangedFile, changedLinesOf, type FileChange, migrationIn } from '../../engine/lines/change.ts'
import { type Digest, digestOf } from '../../engine/lines/digest.ts'
import type { LineHasher } from '../../engine/lines/line-hash.ts'
import { PatchError } from '../../engine/lines/patch.ts'
import { isLive } from '../../vocabulary/activity-status.ts'
import type { ScopeChange } from '../../vocabulary/contract/scope-changes.ts'
import { Failure } from '../../vocabulary/failure.ts'
import type { Steps } from '../../vocabulary/steps.ts'
import { inTurns, periodicYield } from '../base/event-loop.ts'
import { listChangeSet, replaceFileChanges } from '../file-changes/store.ts'
import { readLineHasher } from '../repositories/line-key.ts'
import type { RepoContext } from '../repositories/repo.ts'
import * as store from './store.ts'
import type { ActivityRow } from './table.ts'

/** The work budget for digesting patches, in units of about 50 ns, one per character. */
const UNITS_MAX = 1_000_000

/**
 * Reduces patches to digests, with the key of the repository that `readHasher` finds. Throws `validation_error` (`scope.changes[i].patch`) for a patch
 * that cannot be read.
 */
export async function digestChanges(
  ctx: RepoContext,
  changes: readonly ScopeChange[],
  readHasher = readLineHasher,
): Promise<FileChange[]> {
  const budget = ctx.caller.meter.budget(UNITS_MAX)
  const yieldPeriodically = periodicYield()
  const hasPatch = changes.some(({ patch }) => patch !== undefined)
  const hash = hasPatch ? await readHasher(ctx) : null
  const files: FileChange[] = []
  for (const [index, { patch, ...change }] of changes.entries()) {
    const digest = patch === undefined || hash === null ? null : readDigest(patch, hash, index)
    budget.remaining -= patch?.length ?? 0
    files.push({
      ...changedFileOf(change),
      ...migrationIn({ ...change, patch }),
      changed_lines: changedLinesOf(digest),
      digest,
    })
    await yieldPeriodically()
  }
  return files
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
 * Stores the declared files of an activity, which the transaction of `within` has locked; false if they are stored already.
 * A file without a patch keeps the stored digest if its blob is the stored one.
 */
export async function declareChanges(
  within: RepoContext,
  row: ActivityRow,
  files: readonly FileChange[],
): Promise<boolean> {
  if (row.changed_files.length + files.length === 0) return false
  const set = { repo_id: within.repo.id, activity_id: row.id, origin: 'declared' } as const
  const stored = await listChangeSet(within.db, set)
  const byPath = new Map(stored.map((file) => [file.path, file]))
  const next = files.map((file) => {
    const before = byPath.get(file.path)
    const isKept = file.digest === null && file.blob_sha !== null && before?.blob_sha === file.blob_sha
    return isKept ? { ...file, digest: before.digest, changed_lines: before.changed_lines } : file
  })
  if (await inTurns(areSame(stored, next.map(withoutMigration)))) return false
  await replaceFileChanges(within.db, set, next)
  return true
}

function* areSame(stored: readonly FileChange[], next: readonly FileChange[]): Steps<boolean> {
  if (stored.length !== next.length) return false
  for (const [index, file] of stored.entries()) {
    if (!isDeepStrictEqual(file, next[index])) return false
    yield
  }
  return true
}

/** The changed files of a pull request or branch. */
export interface PushedChanges {
  files: readonly FileChange[]
  /** The commit that the patches start from; null if unknown. */
  base_sha: string | null
  /** False if GitHub cut the list of files. */
  is_complete: boolean
}

/**
 * Replaces the files that GitHub lists for a live activity, which the transaction of `within` has locked. The declared
 * scope is not changed. False if the activity is not live or already has these files.
 */
export async function replacePushedChanges(
  { db, repo, now }: RepoContext,
  row: ActivityRow,
  changes: PushedChanges,
): Promise<boolean> {
  if (!isLive(row.status)) return false
  const { files, base_sha, is_complete } = changes
  const set = { repo_id: repo.id, activity_id: row.id, origin: 'pushed' } as const
  const isKnown =
    row.pushed_files !== null && row.pushed_base_sha === base_sha && row.changes_complete === is_complete
  if (isKnown && (await inTurns(areSame(await listChangeSet(db, set), files.map(withoutMigration)))))
    return false
  await replaceFileChanges(db, set, files)
  await store.updateActivity(db, row, { ...pushedFieldsOf(changes), updated_at: now })
  return true
}

/** The fields of an activity with these files. */
export function pushedFieldsOf({ files, base_sha, is_complete }: PushedChanges): store.ActivityChanges {
  return {
    pushed_files: files.map(changedFileOf),
    pushed_base_sha: base_sha,
    changes_complete: is_complete,
  }
}

/** Deletes what GitHub says about the pull request, because the activity has another one now, or none. */
export async function deletePushed(
  { db, repo }: RepoContext,
  { id: activity_id }: ActivityRow,
): Promise<store.ActivityChanges> {
  await replaceFileChanges(db, { repo_id: repo.id, activity_id, origin: 'pushed' }, [])
  return {
    pushed_files: null,
    pushed_base_sha: null,
    changes_complete: true,
    assignee: null,
    is_by_newcomer: false,
    closes: null,
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
  migration,
}: ChangedFile): ChangedFile {
  return { path, status, blob_sha, ...(migration && { migration }), previous_path }
}

/** Files without a patch keep the migrations of `stored`, if their blobs are the same. */
export function keepMigrations(files: readonly FileChange[], stored: readonly ChangedFile[]): FileChange[] {
  const byPath = new Map(stored.map((file) => [file.path, file]))
  return files.map((file) => {
    const before = byPath.get(file.path)
    const isKept = file.digest === null && file.blob_sha !== null && before?.blob_sha === file.blob_sha
    return isKept && before.migration ? { ...file, migration: before.migration } : file
  })
}

/** The change as it is stored with its digest, from which the migration follows. */
function withoutMigration({ migration: _, ...file }: FileChange): FileChange {
  return file
}
