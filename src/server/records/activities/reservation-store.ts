/** Queries of the numbers that live activities have reserved. Every statement starts with the repository id. */
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { ReservedNumber } from '../../../engine/check/source.ts'
import type { Db } from '../../platform/db/database.ts'
import { lockName } from '../../platform/db/statements.ts'
import { isLiveAt } from './status-store.ts'
import { activities } from './table.ts'

/** Serializes reservations in a directory until the transaction `tx` ends. */
export async function lockDirectory(tx: Db, repo_id: number, directory: string): Promise<void> {
  await lockName(tx, ['numbers', repo_id, directory])
}

/** The numbers in a directory that live activities have reserved. */
export function listReserved(
  db: Db,
  repo_id: number,
  directory: string,
  now: Date,
): Promise<ReservedNumber[]> {
  const { id: activity_id, pr_number, reserved_numbers } = activities
  const number = sql<string>`${reserved_numbers} ->> ${directory}::text`
  return db
    .select({ number, activity_id, pr_number })
    .from(activities)
    .where(and(isLiveAt(repo_id, now), isNotNull(reserved_numbers), isNotNull(number)))
}

/** Stores the number of a directory, in place of an earlier one. */
export async function saveReserved(
  tx: Db,
  { repo_id, id }: { repo_id: number; id: string },
  { directory, number }: { directory: string; number: string },
): Promise<void> {
  await tx
    .update(activities)
    .set({
      reserved_numbers: sql`coalesce(${activities.reserved_numbers}, '{}') || jsonb_build_object(${directory}::text, ${number}::text)`,
    })
    .where(and(eq(activities.repo_id, repo_id), eq(activities.id, id)))
}
