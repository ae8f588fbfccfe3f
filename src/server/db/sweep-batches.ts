/** Queries of the sweep that activities and notables share: which records have expired, and which are old enough to delete. */
import { and, eq, inArray, lte, or, type SQL } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type Batch, isNoneOf } from './batch.ts'
import { hourAt } from './column.ts'
import type { Db } from './database.ts'

type Column = 'repo_id' | 'id' | 'status' | 'archived_at' | 'expires_hour' | 'expires_at'
type Records = PgTable & Record<Column, PgColumn>

/** The records of a repository that expired or were closed at or before `instant`. */
interface Until {
  repo_id: number
  instant: Date
}

/** `expires_at` is at or before `instant`. The index has the hour only. */
function expiresBy(table: Records, instant: Date): SQL | undefined {
  return and(lte(table.expires_hour, hourAt(instant)), lte(table.expires_at, instant))
}

/** Past `expires_at`, but not yet stored as closed; `canExpire` selects the stored statuses that can expire. */
export function hasExpired(
  table: Records,
  canExpire: SQL | undefined,
  { repo_id, instant }: Until,
): SQL | undefined {
  return and(eq(table.repo_id, repo_id), canExpire, expiresBy(table, instant))
}

function wasClosed(table: Records, { repo_id, instant }: Until): SQL | undefined {
  const archived = and(eq(table.status, 'archived'), lte(table.archived_at, instant))
  const expired = and(eq(table.status, 'expired'), expiresBy(table, instant))
  return and(eq(table.repo_id, repo_id), or(archived, expired))
}

/** The ids of a batch of the records that `condition` selects, in any order. */
export async function listIds(
  db: Db,
  table: Records,
  condition: SQL | undefined,
  { limit, except }: Batch<string>,
): Promise<string[]> {
  const rows = await db
    .select({ id: table.id })
    .from(table)
    .where(and(condition, isNoneOf(table.id, except)))
    .limit(limit)
  return rows.map(({ id }) => id as string)
}

/** The ids of a batch of the records that were archived or expired at or before `instant`. */
export function listClosed(db: Db, table: Records, until: Until, batch: Batch<string>): Promise<string[]> {
  return listIds(db, table, wasClosed(table, until), batch)
}

/** A subquery that locks the records among `ids` that `condition` still selects. It leaves out those that another transaction has locked. */
export function lockAmong(db: Db, table: Records, condition: SQL | undefined, ids: string[]) {
  return db
    .select({ id: table.id })
    .from(table)
    .where(and(condition, inArray(table.id, ids)))
    .for('update', { skipLocked: true })
}

/** Deletes the records among `ids` that were archived or expired at or before `instant`; returns how many. */
export async function deleteClosed(db: Db, table: Records, until: Until, ids: string[]): Promise<number> {
  const due = lockAmong(db, table, wasClosed(table, until), ids)
  const deleted = await db
    .delete(table)
    .where(and(eq(table.repo_id, until.repo_id), inArray(table.id, due)))
    .returning({ id: table.id })
  return deleted.length
}
