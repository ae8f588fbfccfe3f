/** Queries for notables. Every statement starts with the repository id; none reads the database clock. */
import {
  and,
  arrayContains,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  lt,
  lte,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { ListNotables, NotableStatus } from '../../../vocabulary/contract/notable.ts'
import { COUNTED_MAX, type Db } from '../../platform/db/database.ts'
import { selectByIds } from '../../platform/db/lookup.ts'
import { prepared } from '../../platform/db/prepared.ts'
import { raiseVersion } from '../live-sets/store.ts'
import { type NotableRow, notables } from './table.ts'

export type NewNotable = Omit<typeof notables.$inferInsert, 'version'>
export type NotableChanges = Partial<Omit<NewNotable, 'repo_id' | 'id'>>

function isRecord(repo_id: number, id: string) {
  return and(eq(notables.repo_id, repo_id), eq(notables.id, id))
}

/** Inserts an active notable in the transaction `tx` that raised the version. */
export async function insertNotable(tx: Db, row: NewNotable, version: number): Promise<NotableRow> {
  const [inserted] = await tx
    .insert(notables)
    .values({ ...row, version })
    .returning()
  return inserted as NotableRow
}

export async function findNotable(db: Db, repo_id: number, id: string): Promise<NotableRow | undefined> {
  const [row] = await db.select().from(notables).where(isRecord(repo_id, id))
  return row
}

/** Locks notables until the transaction `tx` ends, in the order of their ids, so that concurrent calls cannot deadlock. */
export function lockNotables(tx: Db, repo_id: number, ids: string[]): Promise<NotableRow[]> {
  return tx
    .select()
    .from(notables)
    .where(and(eq(notables.repo_id, repo_id), inArray(notables.id, ids)))
    .orderBy(asc(notables.id))
    .for('update')
}

/** Updates an active notable that the transaction `tx` has locked. */
export async function updateNotable(
  tx: Db,
  before: NotableRow,
  changes: NotableChanges,
): Promise<NotableRow> {
  const { repo_id, id } = before
  const { version } = await raiseVersion(tx, repo_id)
  const [row] = await tx
    .update(notables)
    .set({ ...changes, version })
    .where(isRecord(repo_id, id))
    .returning()
  return row as NotableRow
}

/** Archives a notable that the transaction `tx` has locked. */
export async function archiveNotable(
  tx: Db,
  { repo_id, id, status }: NotableRow,
  now: Date,
): Promise<NotableRow> {
  const { version } = await raiseVersion(tx, repo_id, { notables: status === 'active' ? -1 : 0 })
  const [row] = await tx
    .update(notables)
    .set({ status: 'archived', archived_at: now, updated_at: now, version })
    .where(isRecord(repo_id, id))
    .returning()
  return row as NotableRow
}

/**
 * Archives the notables that `successor` replaces, which the transaction `tx` has locked. Archived ones keep their
 * `archived_at`.
 */
export async function supersedeNotables(
  tx: Db,
  repo_id: number,
  replaced: NotableRow[],
  by: { successor: string; now: Date },
): Promise<void> {
  const ids = replaced.map(({ id }) => id)
  const wereActive = replaced.filter(({ status }) => status === 'active').length
  const { version } = await raiseVersion(tx, repo_id, { notables: -wereActive })
  await tx
    .update(notables)
    .set({
      status: 'archived',
      superseded_by: by.successor,
      updated_at: by.now,
      version,
      archived_at: sql`coalesce(${notables.archived_at}, ${by.now.toISOString()}::timestamptz)`,
    })
    .where(and(eq(notables.repo_id, repo_id), inArray(notables.id, ids)))
}

/** Up to `limit` notables older than the id `after`, newest first. `area` is a `labelKey`. */
export function listNotables(
  db: Db,
  repo_id: number,
  filter: Omit<ListNotables, 'cursor' | 'limit'>,
  page: { now: Date; after: string; limit: number },
): Promise<NotableRow[]> {
  const { status, importance, category, area } = filter
  const conditions: (SQL | undefined)[] = [
    eq(notables.repo_id, repo_id),
    hasStatus(status, page.now),
    lt(notables.id, page.after),
    importance && eq(notables.importance, importance),
    category && eq(notables.category, category),
    area === undefined ? undefined : arrayContains(notables.area_keys, [area]),
  ]
  return db
    .select()
    .from(notables)
    .where(and(...conditions))
    .orderBy(desc(notables.id))
    .limit(page.limit)
}

const readWith = prepared('notables_with', (db) => selectByIds(db, notables, getTableColumns(notables)))

/** The notables `ids` that exist, in any order. */
export function listNotablesWith(db: Db, repo_id: number, ids: string[]): Promise<NotableRow[]> {
  return readWith(db, { repo_id, ids: JSON.stringify(ids) })
}

function hasStatus(status: NotableStatus, now: Date): SQL | undefined {
  const stored = eq(notables.status, status)
  if (status === 'active') return and(stored, gt(notables.expires_at, now))
  if (status === 'expired')
    return or(stored, and(eq(notables.status, 'active'), lte(notables.expires_at, now)))
  return stored
}

/** The number of active notables in all repositories. */
export async function countActive(db: Db, now: Date): Promise<number> {
  const active = db
    .select({ one: sql`1`.as('one') })
    .from(notables)
    .where(and(sql`status = 'active'`, gt(notables.expires_at, now)))
    .limit(COUNTED_MAX)
    .as('active')
  return db.$count(active)
}
