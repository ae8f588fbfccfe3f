/** Queries of changed files and their digests. Every statement starts with the repository id. */
import { createHash } from 'node:crypto'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { type ChangeOrigin, type FileChange, namesOf } from '../../../engine/lines/change.ts'
import type { Digest } from '../../../engine/lines/digest.ts'
import { decodeDigest, encodeDigest } from '../../../engine/lines/digest.ts'
import { inTurns, mapped } from '../../../vocabulary/event-loop.ts'
import type { Db } from '../../platform/db/database.ts'
import { prepared } from '../../platform/db/statements.ts'
import { file_changes } from './table.ts'

/** Identifies a set of changed files: those of one activity and one origin. */
export interface ChangeSet {
  repo_id: number
  activity_id: string
  origin: ChangeOrigin
}

/** More rows than there can be for one name in one activity. */
const ROWS_MAX = 10_000

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
  const rows = files.flatMap(({ digest, ...file }, index) => {
    const encoded = digest && Buffer.from(encodeDigest(digest)).toString('base64')
    const position = from + index
    return namesOf(file).map((name) => ({ ...file, name, name_key: keyOf(name), position, digest: encoded }))
  })
  await db.execute(sql`insert into file_changes (repo_id, activity_id, origin, name_key, position, name, path,
      previous_path, status, blob_sha, changed_lines, digest)
    select ${set.repo_id}::bigint, ${set.activity_id}::text, ${set.origin}::text, name_key, position, name, path,
      previous_path, status, blob_sha, changed_lines, decode(digest, 'base64')
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as file(name_key text, position int, name text,
      path text, previous_path text, status text, blob_sha text, changed_lines int, digest text)`)
}

function keyOf(name: string): string {
  return createHash('sha256').update(name).digest('base64url').slice(0, 22)
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

/** The files of a set, in their order. */
export async function listChangeSet(db: Db, set: ChangeSet): Promise<FileChange[]> {
  const { path, previous_path, status, blob_sha, changed_lines, digest, name } = file_changes
  const rows = await db
    .select({ path, previous_path, status, blob_sha, changed_lines, digest })
    .from(file_changes)
    .where(and(isOf(set), eq(name, path)))
    .orderBy(asc(file_changes.position))
  return withDecodedDigests(rows)
}

/** A changed file of an activity under one of its names: `path` or `previous_path`. */
export interface WantedChange {
  activity_id: string
  origin: ChangeOrigin
  name: string
}

export type FoundChange = WantedChange & FileChange

const IS_WANTED = sql`${file_changes.repo_id} = ${sql.placeholder('repo_id')} and ${file_changes.activity_id} = wanted.wanted_id`
const BY_KEY = [asc(file_changes.repo_id), asc(file_changes.activity_id), asc(file_changes.name_key)]

const readFileChanges = prepared('file_changes', (db) => {
  const found = db
    .select()
    .from(file_changes)
    .where(
      sql`${IS_WANTED} and ${file_changes.name_key} = wanted.wanted_key and ${file_changes.origin} = wanted.wanted_origin`,
    )
    .orderBy(...BY_KEY)
    .limit(ROWS_MAX)
    .as('found')
  const { activity_id, origin, name, path, previous_path, status, blob_sha, changed_lines, digest } = found
  return db
    .select({ activity_id, origin, name, path, previous_path, status, blob_sha, changed_lines, digest })
    .from(
      sql`json_to_recordset(${sql.placeholder('wanted')}::text::json) as wanted(wanted_id text, wanted_key text, wanted_origin text)`,
    )
    .crossJoinLateral(found)
})

/**
 * The changed files that are stored under these names, with their digests, in one query and in any order.
 */
export async function listFileChanges(
  db: Db,
  repo_id: number,
  wanted: readonly WantedChange[],
): Promise<FoundChange[]> {
  if (wanted.length === 0) return []
  const names = wanted.map(({ activity_id, origin, name }) => ({
    wanted_id: activity_id,
    wanted_key: keyOf(name),
    wanted_origin: origin,
  }))
  const rows = await readFileChanges(db, { repo_id, wanted: JSON.stringify(names) })
  return withDecodedDigests(rows)
}

/** A changed file of an activity, under its present name. Its digest is not decoded, see `withDecodedDigests`. */
export type StoredChange = Omit<WantedChange, 'name'> &
  Omit<FileChange, 'digest'> & { digest: Uint8Array | null }

const readChangesOf = prepared('file_changes_of', (db) => {
  const found = db
    .select()
    .from(file_changes)
    .where(sql`${IS_WANTED} and ${file_changes.name} = ${file_changes.path}`)
    .orderBy(...BY_KEY)
    .limit(sql.placeholder('limit'))
    .as('found')
  const { activity_id, origin, path, previous_path, status, blob_sha, changed_lines, digest } = found
  return db
    .select({ activity_id, origin, path, previous_path, status, blob_sha, changed_lines, digest })
    .from(sql`json_array_elements_text(${sql.placeholder('ids')}::text::json) as wanted(wanted_id)`)
    .crossJoinLateral(found)
})

/**
 * The changed files of the activities `ids`, in one query. Of an activity with more than `limit` files, it returns those
 * whose names have the lowest hashes. For two activities with the same files, these are the same ones.
 */
export function listChangesOf(
  db: Db,
  repo_id: number,
  { ids, limit }: { ids: readonly string[]; limit: number },
): Promise<StoredChange[]> {
  return readChangesOf(db, { repo_id, ids: JSON.stringify(ids), limit })
}

/** The rows with their digests decoded. Yields even in a transaction: those of a large pull request take longer than its statements. */
function withDecodedDigests<Row extends { digest: Uint8Array | null }>(rows: readonly Row[]) {
  return inTurns(mapped(rows, withDigest<Row>))
}

function withDigest<Row extends { digest: Uint8Array | null }>(
  row: Row,
): Omit<Row, 'digest'> & { digest: Digest | null } {
  return { ...row, digest: row.digest && decodeDigest(row.digest) }
}
