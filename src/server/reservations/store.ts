/** Queries of reserved numbers and of numbered files. Every statement starts with the repository id. */
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, notExists, sql } from 'drizzle-orm'
import { isLiveAt } from '../activities/status-store.ts'
import { activities } from '../activities/table.ts'
import { FILE, prefixEnd, prefixOf } from '../claims-index/claim.ts'
import { claims } from '../claims-index/table.ts'
import type { Db } from '../db/database.ts'
import { lockName } from '../db/statements.ts'
import { listed_directories, type ReservedNumber, reserved_numbers } from './table.ts'

/** More files than pull requests add to one directory at a time. */
const FILES_MAX = 5_000

/** A file that a live activity changes. */
export interface LiveFile {
  name: string
  activity_id: string
  pr_number: number | null
}

/** The files directly in a directory that live activities change. At most 5,000. */
export async function listLiveFiles(
  db: Db,
  repo_id: number,
  directory: string,
  now: Date,
): Promise<LiveFile[]> {
  const prefix = prefixOf(directory)
  const rest = sql<string>`substr(${claims.place}, ${prefix.length + 1})`
  const rows = await db
    .select({ rest, activity_id: activities.id, pr_number: activities.pr_number })
    .from(claims)
    .innerJoin(activities, and(eq(activities.repo_id, claims.repo_id), eq(activities.id, claims.record_id)))
    .where(
      and(
        eq(claims.repo_id, repo_id),
        gt(claims.place, prefix),
        lt(claims.place, prefixEnd(prefix)),
        eq(claims.kind, FILE),
        sql`position('/' in ${rest}) = char_length(${rest})`,
        isLiveAt(repo_id, now),
      ),
    )
    .limit(FILES_MAX)
  return rows.map(({ rest, ...row }) => ({ ...row, name: rest.slice(0, -1) }))
}

/** Serializes reservations in a directory until the transaction `tx` ends. */
export async function lockDirectory(tx: Db, repo_id: number, directory: string): Promise<void> {
  await lockName(tx, ['numbers', repo_id, directory])
}

/** The numbers in a directory that live activities have reserved. */
export async function listReserved(
  db: Db,
  repo_id: number,
  directory: string,
  now: Date,
): Promise<(ReservedNumber & { pr_number: number | null })[]> {
  const rows = await db
    .select({ reserved: reserved_numbers, pr_number: activities.pr_number })
    .from(reserved_numbers)
    .innerJoin(
      activities,
      and(eq(activities.repo_id, reserved_numbers.repo_id), eq(activities.id, reserved_numbers.activity_id)),
    )
    .where(
      and(
        eq(reserved_numbers.repo_id, repo_id),
        eq(reserved_numbers.directory, directory),
        isLiveAt(repo_id, now),
      ),
    )
    .orderBy(asc(reserved_numbers.number))
  return rows.map(({ reserved, pr_number }) => ({ ...reserved, pr_number }))
}

export async function insertReserved(tx: Db, row: ReservedNumber): Promise<void> {
  await tx.insert(reserved_numbers).values(row)
}

/** Deletes the reservations in a directory of activities that are no longer live, and that of `activity_id`. */
export async function deleteEnded(
  tx: Db,
  { repo_id, directory, activity_id }: Pick<ReservedNumber, 'repo_id' | 'directory' | 'activity_id'>,
  now: Date,
): Promise<void> {
  const live = tx
    .select({ id: activities.id })
    .from(activities)
    .where(and(isLiveAt(repo_id, now), eq(activities.id, reserved_numbers.activity_id)))
  const here = and(eq(reserved_numbers.repo_id, repo_id), eq(reserved_numbers.directory, directory))
  await tx.delete(reserved_numbers).where(and(here, notExists(live)))
  await tx.delete(reserved_numbers).where(and(here, eq(reserved_numbers.activity_id, activity_id)))
}

/** Deletes up to `limit` reservations of activities that do not exist any more; returns how many. */
export async function deleteOrphans(db: Db, repo_id: number, limit: number): Promise<number> {
  const orphans = await db
    .select({ activity_id: reserved_numbers.activity_id })
    .from(reserved_numbers)
    .leftJoin(
      activities,
      and(eq(activities.repo_id, reserved_numbers.repo_id), eq(activities.id, reserved_numbers.activity_id)),
    )
    .where(and(eq(reserved_numbers.repo_id, repo_id), isNull(activities.id)))
    .limit(limit)
  if (orphans.length === 0) return 0
  const ids = orphans.map(({ activity_id }) => activity_id)
  const deleted = await db
    .delete(reserved_numbers)
    .where(and(eq(reserved_numbers.repo_id, repo_id), inArray(reserved_numbers.activity_id, ids)))
    .returning({ activity_id: reserved_numbers.activity_id })
  return deleted.length
}

/** Identifies a directory of a branch; `branch` is empty for the default branch. */
interface BranchDirectory {
  repo_id: number
  directory: string
  branch: string
}

function isDirectory({ repo_id, directory, branch }: BranchDirectory) {
  return and(
    eq(listed_directories.repo_id, repo_id),
    eq(listed_directories.directory, directory),
    eq(listed_directories.branch, branch),
  )
}

/** The highest number that GitHub listed last; undefined if the directory was not listed. */
export async function findListed(
  db: Db,
  at: BranchDirectory,
): Promise<{ highest: string | null; listed_at: Date } | undefined> {
  const { highest, listed_at } = listed_directories
  const [row] = await db.select({ highest, listed_at }).from(listed_directories).where(isDirectory(at))
  return row
}

/** When work of the repository was merged last; null if none was. */
export async function findLastMerge(db: Db, repo_id: number): Promise<Date | null> {
  const [row] = await db
    .select({ merged_at: activities.merged_at })
    .from(activities)
    .where(and(eq(activities.repo_id, repo_id), isNotNull(activities.merged_at)))
    .orderBy(desc(activities.merged_at))
    .limit(1)
  return row?.merged_at ?? null
}

export async function saveListed(
  db: Db,
  at: BranchDirectory,
  highest: string | null,
  now: Date,
): Promise<void> {
  await db
    .insert(listed_directories)
    .values({ ...at, highest, listed_at: now })
    .onConflictDoUpdate({
      target: [listed_directories.repo_id, listed_directories.directory, listed_directories.branch],
      set: { highest, listed_at: now },
    })
}

/** Deletes what GitHub listed before `before`. Returns how many directories. */
export async function deleteListed(db: Db, repo_id: number, before: Date): Promise<number> {
  const deleted = await db
    .delete(listed_directories)
    .where(and(eq(listed_directories.repo_id, repo_id), lt(listed_directories.listed_at, before)))
    .returning({ directory: listed_directories.directory })
  return deleted.length
}

/** Deletes what is stored about the numbers of a repository. */
export async function deleteNumbers(tx: Db, repo_id: number): Promise<void> {
  await tx.delete(reserved_numbers).where(eq(reserved_numbers.repo_id, repo_id))
  await tx.delete(listed_directories).where(eq(listed_directories.repo_id, repo_id))
}
