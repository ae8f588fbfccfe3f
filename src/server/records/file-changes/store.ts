/** Queries of changed files and their digests. Every statement starts with the repository id. */
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { ChangeOrigin, FileChange } from '../../../engine/lines/change.ts'
import { decodeDigest, encodeDigest } from '../../../engine/lines/digest.ts'
import { inTurns, mapped } from '../../../vocabulary/clock.ts'
import { type Db, prepared } from '../../platform/db/database.ts'
import { file_changes } from './table.ts'

/** Identifies a set of changed files: those of one activity and one origin. */
export interface ChangeSet {
  repo_id: number
  activity_id: string
  origin: ChangeOrigin
}

/** Replaces the files of a set in the transaction `tx`. */
export async function replaceFileChanges(
  tx: Db,
  set: ChangeSet,
  files: readonly FileChange[],
): Promise<void> {
  await tx.delete(file_changes).where(isOf(set))
  await insertFileChanges(tx, set, files)
}

/** Inserts the files of a set that is empty so far. */
export async function insertFileChanges(db: Db, set: ChangeSet, files: readonly FileChange[]): Promise<void> {
  for (let from = 0; from < files.length; from += INSERTED_AT_ONCE)
    await insertPage(db, set, { files: files.slice(from, from + INSERTED_AT_ONCE), from })
}

/** Encoding this many takes some milliseconds. */
const INSERTED_AT_ONCE = 100

async function insertPage(
  db: Db,
  set: ChangeSet,
  { files, from }: { files: readonly FileChange[]; from: number },
): Promise<void> {
  const rows = files.map(({ digest, ...file }, index) => {
    const encoded = digest && Buffer.from(encodeDigest(digest)).toString('base64')
    return { ...file, position: from + index, digest: encoded }
  })
  await db.execute(sql`insert into file_changes (repo_id, activity_id, origin, position, path, previous_path, status,
      blob_sha, changed_lines, digest)
    select ${set.repo_id}::bigint, ${set.activity_id}::text, ${set.origin}::text, position, path, previous_path, status,
      blob_sha, changed_lines, decode(digest, 'base64')
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as file(position int, path text, previous_path text,
      status text, blob_sha text, changed_lines int, digest text)`)
}

/** Deletes all changed files of the activities `ids`, which are no longer live. */
export async function deleteFileChanges(tx: Db, repo_id: number, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .delete(file_changes)
    .where(and(eq(file_changes.repo_id, repo_id), inArray(file_changes.activity_id, ids)))
}

function isOf({ repo_id, activity_id, origin }: ChangeSet) {
  return and(
    eq(file_changes.repo_id, repo_id),
    eq(file_changes.activity_id, activity_id),
    eq(file_changes.origin, origin),
  )
}

/** A changed file of an activity. Its digest is not decoded, because that takes longer than reading it. */
export type StoredChange = Omit<ChangeSet, 'repo_id'> &
  Omit<FileChange, 'digest'> & { digest: Uint8Array | null }

/** More files than an activity can have. The limit makes the planner read them by the key, whatever the statistics say. */
const FILES_MAX = 10_000

const readChangesOf = prepared('file_changes_of', (db) => {
  const found = db
    .select()
    .from(file_changes)
    .where(
      sql`${file_changes.repo_id} = ${sql.placeholder('repo_id')} and ${file_changes.activity_id} = wanted.wanted_id`,
    )
    .orderBy(
      asc(file_changes.repo_id),
      asc(file_changes.activity_id),
      asc(file_changes.origin),
      asc(file_changes.position),
    )
    .limit(FILES_MAX)
    .as('found')
  const { activity_id, origin, path, previous_path, status, blob_sha, changed_lines, digest } = found
  return db
    .select({ activity_id, origin, path, previous_path, status, blob_sha, changed_lines, digest })
    .from(sql`json_array_elements_text(${sql.placeholder('ids')}::text::json) as wanted(wanted_id)`)
    .crossJoinLateral(found)
})

/** The changed files of the activities `ids`, those of each set in their order. */
export function listChangesOf(db: Db, repo_id: number, ids: readonly string[]): Promise<StoredChange[]> {
  return readChangesOf(db, { repo_id, ids: JSON.stringify(ids) })
}

/** The files of a set, in their order. Yields even in a transaction: decoding those of a large pull request takes longer than its statements. */
export async function listChangeSet(db: Db, set: ChangeSet): Promise<FileChange[]> {
  const rows = await listChangesOf(db, set.repo_id, [set.activity_id])
  return inTurns(
    mapped(
      rows.filter(({ origin }) => origin === set.origin),
      ({ activity_id: _, origin: __, digest, ...file }) => ({
        ...file,
        digest: digest && decodeDigest(digest),
      }),
    ),
  )
}
