/** Inserts live activities, and keeps their changed files: those that were declared, and those that GitHub lists. */

import { isDeepStrictEqual } from 'node:util'
import type { FileChange } from '../../../engine/lines/change.ts'
import { changedFileOf } from '../../../engine/records/digest-changes.ts'
import { isLive } from '../../../vocabulary/activity-status.ts'
import { inTurns, type Steps } from '../../../vocabulary/event-loop.ts'
import { enqueueRechecks } from '../changes/changes.ts'
import { listChangeSet, replaceFileChanges } from '../file-changes/store.ts'
import { insertIfRoom } from '../live-sets/store.ts'
import type { RepoContext } from '../repositories/repo.ts'
import * as store from './store.ts'
import { expireActivities } from './sweep-store.ts'
import type { ActivityRow } from './table.ts'

/** Inserts a live activity in the transaction of `within`; undefined when the repository is at its limit. */
export function insertLive(
  within: RepoContext,
  row: store.NewActivity,
  changes: readonly FileChange[] = [],
): Promise<ActivityRow | undefined> {
  const kind = {
    counted: 'activities',
    max: within.repo.max_live.activities,
    expire: async () => {
      const { db, repo, now } = within
      await enqueueRechecks(within, await expireActivities(db, repo.id, now))
    },
  } as const
  return insertIfRoom(within, kind, (version) => store.insertActivity(within.db, { row, changes }, version))
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
  if (await inTurns(areSame(stored, next.map(withoutDerived)))) return false
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
  if (isKnown && (await inTurns(areSame(await listChangeSet(db, set), files.map(withoutDerived)))))
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

/** The change as it is stored with its digest, from which the migration follows. */
function withoutDerived({ migration: _, manifest: __, ...file }: FileChange): FileChange {
  return file
}
