/** Queries of reserved numbers and of numbered files. Every statement starts with the repository id. */
import { and, asc, eq, inArray, isNull, notExists } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { lockName } from '../../platform/db/statements.ts'
import { isLiveAt } from '../activities/status-store.ts'
import { activities } from '../activities/table.ts'
import { type ReservedNumber, reserved_numbers } from './table.ts'

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

export async function deleteReserved(tx: Db, repo_id: number): Promise<void> {
  await tx.delete(reserved_numbers).where(eq(reserved_numbers.repo_id, repo_id))
}
