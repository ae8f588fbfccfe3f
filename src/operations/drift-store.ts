/** The SQL that compares the index of the overlap check with the records it stands for, and mends it (docs/operations.md: the index). */
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
} from '../claims/store.ts'
import { type Counted, claims } from '../claims/table.ts'
import type { Db } from '../db/connect.ts'
import { indexedNotable } from '../notables/store.ts'
import { type NotableRow, notables } from '../notables/table.ts'

export const COUNTED: Counted[] = ['act', 'ntb']

const isActive = sql`${notables.status} = 'active'`

/** A record that is stored as live, of either kind. */
export type LiveRecord = { counted: 'act'; row: ActivityRow } | { counted: 'ntb'; row: NotableRow }

/** What the index has to hold of it. Its scope has to be one. */
export function claimingOf(record: LiveRecord): Promise<IndexedRecord> {
  return record.counted === 'act' ? indexedActivity(record.row) : indexedNotable(record.row)
}

interface Page {
  after: string
  limit: number
}

/** Up to `limit` records after `after` that are stored as live, in the order of their ids, and what the index holds of them; as of one instant. */
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

/** Up to `limit` ids after `after` that the index holds claims of, in their order, with whether such a record is stored as live. */
export function listClaimants(
  db: Db,
  repo_id: number,
  { after, limit }: Page,
): Promise<{ id: string; is_live: boolean }[]> {
  const claimants = db
    .selectDistinct({ id: claims.record_id })
    .from(claims)
    .where(and(eq(claims.repo_id, repo_id), gt(claims.record_id, after)))
    .orderBy(asc(claims.record_id))
    .limit(limit)
    .as('claimants')
  const isThere = sql<boolean>`exists (select 1 from ${activities}
      where ${activities.repo_id} = ${repo_id} and ${activities.id} = ${claimants.id} and ${isStoredLive})
    or exists (select 1 from ${notables}
      where ${notables.repo_id} = ${repo_id} and ${notables.id} = ${claimants.id} and ${isActive})`
  return db.select({ id: claimants.id, is_live: isThere }).from(claimants).orderBy(asc(claimants.id))
}

export interface Tally {
  stored: number
  tallied: number
}

/** How many records are stored as live, and how many are tallied, as of one instant. */
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

/** Gives a record the claims that it has to have: its own when it is stored as live, else none. Nobody changes it meanwhile. */
export async function mendClaims(db: Db, repo_id: number, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const record = await lockLiveCount(tx, repo_id, id)
    if (record) await replaceClaims(tx, await claimingOf(record))
    else await deleteClaims(tx, repo_id, [id])
  })
}

/** The record, if it is stored as live, kept from others until the transaction `tx` ends. */
async function lockLiveCount(tx: Db, repo_id: number, id: string): Promise<LiveRecord | undefined> {
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
 * Makes the tally say how many records are stored as live. What comes or goes meanwhile changes both alike, so the
 * difference stays as it was read; only two corrections at a time would make it good twice.
 */
export async function correctTally(tx: Db, repo_id: number, counted: Counted): Promise<void> {
  await lockTallies(tx, repo_id)
  const { stored, tallied } = await readTally(tx, repo_id, counted)
  if (stored !== tallied) await tx.execute(adjustLiveCount(repo_id, counted, stored - tallied))
}

/** Lets one transaction at a time correct the tallies of a repository; those who count go on. Taken before any of them is changed. */
export async function lockTallies(tx: Db, repo_id: number): Promise<void> {
  const name = JSON.stringify(['tallies', repo_id])
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`)
}
