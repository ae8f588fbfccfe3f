/** What an activity has a place on: issues, and numbers that it reserved. Every statement starts with the repository id. */

import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { ReservedNumber } from '../../../engine/check/source.ts'
import type { Db } from '../../platform/db/database.ts'
import { lockName, prepared, selectByIds } from '../../platform/db/statements.ts'
import { isLiveAt } from './status-store.ts'
import { type ActivityRow, activities, type IssuePlaces } from './table.ts'

/**
 * The places of an activity that is on the issues `numbers` now: those that it had, and the last one on the others. Positions are the
 * versions of transactions and so in the order of their commits: of two at once, the second one stands behind the first.
 */
export function placesOn(
  numbers: readonly number[],
  before: IssuePlaces | null,
  { version, at }: { version: number; at: Date },
): IssuePlaces | null {
  if (numbers.length === 0) return null
  const last = { position: version, since: at.toISOString() }
  return Object.fromEntries(numbers.map((number) => [number, before?.[number] ?? last]))
}

const { id, actor, agent, branch, pr_url, status, expires_at, issue_places } = activities
const placed = { id, actor, agent, branch, pr_url, status, expires_at, issue_places }
const readPlaced = prepared('activities_on_issues', (db) => selectByIds(db, activities, placed))

/** The activities `ids` that exist, in any order. */
export function listPlaced(
  db: Db,
  repo_id: number,
  ids: string[],
): Promise<Pick<ActivityRow, keyof typeof placed>[]> {
  return readPlaced(db, { repo_id, ids: JSON.stringify(ids) })
}

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
