/** Queries of the sweep that activities and notables share: which records have expired, and which are old enough to delete. */
import { and, eq, inArray, lte, or, type SQL } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { ActivityStatus } from '../../../vocabulary/contract/activity.ts'
import { type Db, hourAt } from './database.ts'

/** How many records one transaction of the sweep changes. */
export const BATCH = 500

type Column = 'repo_id' | 'id' | 'status' | 'archived_at' | 'expires_hour' | 'expires_at' | 'version'
export type Records = PgTable & Record<Column, PgColumn>

/** The records of a repository that expired or were closed at or before `instant`. */
export interface Until {
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

/** Archived or expired, and stored as that. */
export function wasClosed(table: Records, { repo_id, instant }: Until): SQL | undefined {
  const archived = and(eq(table.status, 'archived'), lte(table.archived_at, instant))
  const expired = and(eq(table.status, 'expired'), expiresBy(table, instant))
  return and(eq(table.repo_id, repo_id), or(archived, expired))
}

/** A record of a batch. */
interface Locked {
  id: string
  status: ActivityStatus
  version: number
}

/** A batch of the records that `condition` selects, locked until the transaction `tx` ends. It leaves out those that another transaction has locked. */
export async function lockBatch(tx: Db, table: Records, condition: SQL | undefined): Promise<Locked[]> {
  const { id, status, version } = table
  const batch = tx.select({ id, status, version }).from(table).where(condition).limit(BATCH)
  return (await batch.for('update', { skipLocked: true })) as Locked[]
}

/** The records of a batch. */
export function isAmong(table: Records, repo_id: number, batch: readonly { id: string }[]): SQL | undefined {
  const ids = batch.map(({ id }) => id)
  return and(eq(table.repo_id, repo_id), inArray(table.id, ids))
}
