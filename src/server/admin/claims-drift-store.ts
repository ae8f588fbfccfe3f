/** SQL that compares the claims index and the changed files with the records, and repairs them (docs/operations.md: the claims index). */
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import { isStoredLive } from '../activities/status-store.ts'
import { indexedActivity } from '../activities/store.ts'
import { type ActivityRow, activities } from '../activities/table.ts'
import {
  adjustLiveCount,
  deleteClaims,
  type IndexedRecord,
  listClaims,
  liveCountOf,
  replaceClaims,
  type StoredClaim,
} from '../claims-index/store.ts'
import { type Counted, claims } from '../claims-index/table.ts'
import type { Db } from '../db/database.ts'
import { lockName } from '../db/statements.ts'
import { deleteFileChanges } from '../line-verdicts/store.ts'
import { file_changes } from '../line-verdicts/table.ts'
import { indexedNotable } from '../notables/store.ts'
import { type NotableRow, notables } from '../notables/table.ts'

export const COUNTED: Counted[] = ['act', 'ntb']

const isActive = sql`${notables.status} = 'active'`

/** A record that is stored as live. */
export type LiveRecord = { counted: 'act'; row: ActivityRow } | { counted: 'ntb'; row: NotableRow }

/** The claims that the index should hold for a record, whose scope must be valid. */
export function expectedClaims(record: LiveRecord): Promise<IndexedRecord> {
  return record.counted === 'act' ? indexedActivity(record.row) : indexedNotable(record.row)
}

interface Page {
  after: string
  limit: number
}

/** Up to `limit` records after `after` that are stored as live, ordered by id, with their stored claims, from one snapshot. */
export function listIndexed(
  db: Db,
  repo_id: number,
  counted: Counted,
  page: Page,
): Promise<{ records: LiveRecord[]; claims: StoredClaim[] }> {
  return db.transaction(
    async (tx) => {
      const records = await listLive(tx, repo_id, counted, page)
      const ids = records.map(({ row }) => row.id)
      return { records, claims: await listClaims(tx, repo_id, ids) }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

async function listLive(tx: Db, repo_id: number, counted: Counted, page: Page): Promise<LiveRecord[]> {
  const { after, limit } = page
  if (counted === 'act') {
    const rows = await tx
      .select()
      .from(activities)
      .where(and(eq(activities.repo_id, repo_id), isStoredLive, gt(activities.id, after)))
      .orderBy(asc(activities.id))
      .limit(limit)
    return rows.map((row) => ({ counted, row }))
  }
  const rows = await tx
    .select()
    .from(notables)
    .where(and(eq(notables.repo_id, repo_id), isActive, gt(notables.id, after)))
    .orderBy(asc(notables.id))
    .limit(limit)
  return rows.map((row) => ({ counted, row }))
}

/** Up to `limit` record ids after `after` that have claims, in order. `is_live`: the record is stored as live. */
export function listIndexedIds(
  db: Db,
  repo_id: number,
  { after, limit }: Page,
): Promise<{ id: string; is_live: boolean }[]> {
  const indexed = db
    .selectDistinct({ id: claims.record_id })
    .from(claims)
    .where(and(eq(claims.repo_id, repo_id), gt(claims.record_id, after)))
    .orderBy(asc(claims.record_id))
    .limit(limit)
    .as('indexed')
  const isLive = sql<boolean>`exists (select 1 from ${activities}
      where ${activities.repo_id} = ${repo_id} and ${activities.id} = ${indexed.id} and ${isStoredLive})
    or exists (select 1 from ${notables}
      where ${notables.repo_id} = ${repo_id} and ${notables.id} = ${indexed.id} and ${isActive})`
  return db.select({ id: indexed.id, is_live: isLive }).from(indexed).orderBy(asc(indexed.id))
}

/** Up to `limit` activity ids after `after` that have changed files, in order. `is_live`: the activity is stored as live. */
export function listChangedIds(
  db: Db,
  repo_id: number,
  { after, limit }: Page,
): Promise<{ id: string; is_live: boolean }[]> {
  const changed = db
    .selectDistinct({ id: file_changes.activity_id })
    .from(file_changes)
    .where(and(eq(file_changes.repo_id, repo_id), gt(file_changes.activity_id, after)))
    .orderBy(asc(file_changes.activity_id))
    .limit(limit)
    .as('changed')
  const isLive = sql<boolean>`exists (select 1 from ${activities}
    where ${activities.repo_id} = ${repo_id} and ${activities.id} = ${changed.id} and ${isStoredLive})`
  return db.select({ id: changed.id, is_live: isLive }).from(changed).orderBy(asc(changed.id))
}

export interface Tally {
  stored: number
  tallied: number
}

/** How many records are stored as live, and how many the tallies count, from one snapshot. */
export async function readTally(db: Db, repo_id: number, counted: Counted): Promise<Tally> {
  const [row] = await db
    .select({ stored: storedLive(repo_id, counted), tallied: liveCountOf(repo_id, counted) })
    .from(sql`(values (1)) as one`)
  return row as Tally
}

function storedLive(repo_id: number, counted: Counted): SQL<number> {
  const live =
    counted === 'act'
      ? sql`${activities} where ${activities.repo_id} = ${repo_id} and ${isStoredLive}`
      : sql`${notables} where ${notables.repo_id} = ${repo_id} and ${isActive}`
  return sql<number>`(select count(*)::int from ${live})`
}

/** Locks a record and rebuilds its claims from its scope, or deletes them if the record is not stored as live. */
export async function repairClaims(db: Db, repo_id: number, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const record = await lockLiveRecord(tx, repo_id, id)
    if (record) await replaceClaims(tx, await expectedClaims(record))
    else await deleteClaims(tx, repo_id, [id])
  })
}

/** Deletes the changed files of an activity unless it is stored as live. */
export async function deleteStrayChanges(db: Db, repo_id: number, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockLiveRecord(tx, repo_id, id))) await deleteFileChanges(tx, repo_id, [id])
  })
}

/** The record if it is stored as live, locked until the transaction `tx` ends. */
async function lockLiveRecord(tx: Db, repo_id: number, id: string): Promise<LiveRecord | undefined> {
  const [activity] = await tx
    .select()
    .from(activities)
    .where(and(eq(activities.repo_id, repo_id), eq(activities.id, id), isStoredLive))
    .for('update')
  if (activity) return { counted: 'act', row: activity }
  const [notable] = await tx
    .select()
    .from(notables)
    .where(and(eq(notables.repo_id, repo_id), eq(notables.id, id), isActive))
    .for('update')
  return notable && { counted: 'ntb', row: notable }
}

/**
 * Adds the difference between the stored live records and their tally to the tally. Records that change meanwhile change both
 * numbers alike, so the difference stays valid. Concurrent corrections would add it twice; a lock prevents that.
 */
export async function correctTally(tx: Db, repo_id: number, counted: Counted): Promise<void> {
  await lockTallies(tx, repo_id)
  const { stored, tallied } = await readTally(tx, repo_id, counted)
  if (stored !== tallied) await tx.execute(adjustLiveCount(repo_id, counted, stored - tallied))
}

/** Lets one transaction at a time correct the tallies of a repository. Take this lock before you change a tally; other writers are not blocked. */
export async function lockTallies(tx: Db, repo_id: number): Promise<void> {
  await lockName(tx, ['tallies', repo_id])
}
