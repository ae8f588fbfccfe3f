/** The changed files of activities: what was declared, and what GitHub lists (contract §11). */
import { enqueueRechecks } from '../context/changes.ts'
import type { RepoContext } from '../context/repo.ts'
import type { ChangedFile, FileChange } from '../lines/change.ts'
import { replaceFileChanges } from '../lines/store.ts'
import { isLive } from './lifecycle.ts'
import * as store from './store.ts'
import type { ActivityRow } from './table.ts'

/** The changed files of a pull request or branch. */
export interface PushedChanges {
  files: readonly FileChange[]
  /** The commit that the patches start from; null if unknown. */
  base_sha: string | null
}

/**
 * Replaces the files that GitHub lists for a live activity, which the transaction of `within` has locked or inserted.
 * The declared scope stays as it is. An activity that is not live is returned unchanged.
 */
export async function replaceChanges(
  within: RepoContext,
  row: ActivityRow,
  { files, base_sha }: PushedChanges,
): Promise<ActivityRow> {
  if (!isLive(row.status)) return row
  const { db, repo, now } = within
  await replaceFileChanges(db, { repo_id: repo.id, activity_id: row.id, origin: 'pushed' }, files)
  await enqueueRechecks(within, [row.id])
  const pushed_files = files.map(changedFileOf)
  return store.updateActivity(db, row, { pushed_files, pushed_base_sha: base_sha, updated_at: now })
}

/** The change without its lines. */
function changedFileOf({ path, previous_path, status, blob_sha }: ChangedFile): ChangedFile {
  return { path, previous_path, status, blob_sha }
}
