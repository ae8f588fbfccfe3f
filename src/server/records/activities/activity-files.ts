/** Inserts live activities, and keeps their changed files: those that were declared, and those that GitHub lists. */

import { isDeepStrictEqual } from 'node:util'
import { type ChangeOrigin, changedFileOf, type FileChange } from '../../../engine/lines/change.ts'
import { inTurns, type Steps } from '../../../vocabulary/deadline.ts'
import { insertLive } from '../changes/changes.ts'
import { listChangeSet, replaceFileChanges } from '../file-changes/store.ts'
import type { RepoContext } from '../repositories/repo.ts'
import * as store from './store.ts'
import { expireActivities } from './sweep-store.ts'
import type { ActivityRow } from './table.ts'

/** Inserts a live activity with its changed files in the transaction of `within`; undefined when the repository is at its limit. */
export function insertActivity(
  within: RepoContext,
  row: store.NewActivity,
  files: readonly FileChange[],
): Promise<ActivityRow | undefined> {
  return insertLive(within, {
    counted: 'activities',
    insert: (version) => store.insertActivity(within.db, { row, changes: files }, version),
    expire: expireActivities,
  })
}

/**
 * Stores the files of one origin of an activity, which the transaction of `within` has locked; false if they are stored already.
 * A file without a patch keeps the stored digest if its blob is the stored one.
 */
export async function saveFiles(
  { db, repo }: RepoContext,
  row: ActivityRow,
  { origin, files }: { origin: ChangeOrigin; files: readonly FileChange[] },
): Promise<boolean> {
  const before = origin === 'declared' ? row.changed_files : (row.pushed_files ?? [])
  if (before.length + files.length === 0) return false
  const set = { repo_id: repo.id, activity_id: row.id, origin }
  const stored = await listChangeSet(db, set)
  const byPath = new Map(stored.map((file) => [file.path, file]))
  const next = files.map((file) => {
    const known = byPath.get(file.path)
    const isKept = file.digest === null && file.blob_sha !== null && known?.blob_sha === file.blob_sha
    return isKept ? { ...file, digest: known.digest, changed_lines: known.changed_lines } : file
  })
  if (await inTurns(areSame(stored, next.map(withoutDerived)))) return false
  await replaceFileChanges(db, set, next)
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
 * Stores the files that GitHub lists for a live activity, which the transaction of `within` has locked. The declared scope is not
 * changed. Returns the fields that change with them; null if the activity has these files already.
 */
export async function savePushed(
  within: RepoContext,
  row: ActivityRow,
  changes: PushedChanges,
): Promise<store.ActivityChanges | null> {
  const { files, base_sha, is_complete } = changes
  const hasOthers = await saveFiles(within, row, { origin: 'pushed', files })
  const isKnown =
    row.pushed_files !== null && row.pushed_base_sha === base_sha && row.changes_complete === is_complete
  return hasOthers || !isKnown ? pushedFieldsOf(changes) : null
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
    conflicts_with_base: false,
    closes: null,
  }
}

/** The change as it is stored with its digest, from which the migration follows. */
function withoutDerived({ migration: _, manifest: __, ...file }: FileChange): FileChange {
  return file
}
