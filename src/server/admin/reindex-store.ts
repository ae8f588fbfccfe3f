/** SQL of `reindex`: compares the claims index and the tallies with the records, and corrects them (docs/operations.md: the claims index). */
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import { Scope, ShownScope } from '../../vocabulary/contract/scope.ts'
import { isStoredLive } from '../activities/status-store.ts'
import { indexedActivity } from '../activities/store.ts'
import { type ActivityRow, activities } from '../activities/table.ts'
import {
  adjustLiveCount,
  type IndexedRecord,
  listClaims,
  liveCountOf,
  replaceClaims,
} from '../claims-index/store.ts'
import { type Counted, claims } from '../claims-index/table.ts'
import type { Db } from '../db/database.ts'
import { lockName } from '../db/statements.ts'
import { indexedNotable } from '../notables/store.ts'
import { type NotableRow, notables } from '../notables/table.ts'

export const COUNTED: Counted[] = ['act', 'ntb']

/** Records that are locked at once with their claims; a record can have thousands. */
const BATCH = 20

const isActive = sql`${notables.status} = 'active'`

/** A record that is stored as live. */
type LiveRecord = { counted: 'act'; row: ActivityRow } | { counted: 'ntb'; row: NotableRow }

export interface Batch {
  records: number
  /** How many of them had other claims than their scope. */
  corrected: number
  /** The records whose scope is not valid. */
  invalid: string[]
  /** The last record of the batch; undefined if no records are left. */
  last: string | undefined
}

/** Locks the next live records after `after`, by id, and replaces the claims that do not match. */
export function reindexBatch(db: Db, repo_id: number, counted: Counted, after: string): Promise<Batch> {
  return db.transaction(async (tx) => {
    const records = await lockLive(tx, repo_id, counted, after)
    const ids = records.map(({ row }) => row.id)
    const stored = await listClaims(tx, repo_id, ids)
    const invalid: string[] = []
    let corrected = 0
    for (const record of records) {
      const { id } = record.row
      if (!hasValidScope(record)) {
        invalid.push(id)
        continue
      }
      const indexed = await indexedRecord(record)
      const keys = stored.filter((claim) => claim.record_id === id).map(keyOf)
      const wanted = new Set(indexed.claims.map((claim) => keyOf({ ...claim, weight: indexed.weight })))
      if (keys.length === wanted.size && keys.every((key) => wanted.has(key))) continue
      await replaceClaims(tx, indexed)
      corrected += 1
    }
    return { records: records.length, corrected, invalid, last: ids.length < BATCH ? undefined : ids.at(-1) }
  })
}

async function lockLive(tx: Db, repo_id: number, counted: Counted, after: string): Promise<LiveRecord[]> {
  if (counted === 'act') {
    const rows = await tx
      .select()
      .from(activities)
      .where(and(eq(activities.repo_id, repo_id), isStoredLive, gt(activities.id, after)))
      .orderBy(asc(activities.id))
      .limit(BATCH)
      .for('update')
    return rows.map((row) => ({ counted, row }))
  }
  const rows = await tx
    .select()
    .from(notables)
    .where(and(eq(notables.repo_id, repo_id), isActive, gt(notables.id, after)))
    .orderBy(asc(notables.id))
    .limit(BATCH)
    .for('update')
  return rows.map((row) => ({ counted, row }))
}

/** A scope that somebody changed with SQL may be invalid. */
function hasValidScope({ counted, row }: LiveRecord): boolean {
  const isLiteral = counted === 'act' && row.scope_is_literal
  return (isLiteral ? ShownScope : Scope).safeParse(row.scope).success
}

function indexedRecord(record: LiveRecord): Promise<IndexedRecord> {
  return record.counted === 'act' ? indexedActivity(record.row) : indexedNotable(record.row)
}

function keyOf({ place, kind, glob, weight }: Record<'place' | 'kind' | 'glob' | 'weight', unknown>): string {
  return JSON.stringify([place, kind, glob, weight])
}

/** Deletes the claims of records that are not live. A record never becomes live again, so this deletes none of a live one. */
export async function deleteStrayClaims(db: Db, repo_id: number): Promise<number> {
  const deleted = db.$with('deleted', {}).as(
    sql`delete from ${claims} where ${claims.repo_id} = ${repo_id}
      and not exists (select 1 from ${activities}
        where ${activities.repo_id} = ${repo_id} and ${activities.id} = ${claims.record_id} and ${isStoredLive})
      and not exists (select 1 from ${notables}
        where ${notables.repo_id} = ${repo_id} and ${notables.id} = ${claims.record_id} and ${isActive})
      returning 1`,
  )
  const [row] = await db.with(deleted).select({ count: sql<number>`count(*)::int` }).from(sql`deleted`)
  return row?.count ?? 0
}

/**
 * Adds the difference between the stored live records and their tally to the tally, and returns it. Records that change
 * meanwhile change both numbers alike, so the difference stays valid. Concurrent corrections would add it twice; a lock
 * prevents that.
 */
export async function correctTally(tx: Db, repo_id: number, counted: Counted): Promise<number> {
  await lockTallies(tx, repo_id)
  const [row] = await tx
    .select({ missing: sql<number>`${storedLive(repo_id, counted)} - ${liveCountOf(repo_id, counted)}` })
    .from(sql`(values (1)) as one`)
  const missing = row?.missing ?? 0
  if (missing !== 0) await tx.execute(adjustLiveCount(repo_id, counted, missing))
  return missing
}

function storedLive(repo_id: number, counted: Counted): SQL {
  const live =
    counted === 'act'
      ? sql`${activities} where ${activities.repo_id} = ${repo_id} and ${isStoredLive}`
      : sql`${notables} where ${notables.repo_id} = ${repo_id} and ${isActive}`
  return sql`(select count(*)::int from ${live})`
}

/** Lets one transaction at a time correct the tallies of a repository. Take this lock before you change a tally; other writers are not blocked. */
export async function lockTallies(tx: Db, repo_id: number): Promise<void> {
  await lockName(tx, ['tallies', repo_id])
}
