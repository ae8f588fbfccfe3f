/** Queries for notables: single ones and their list, as they are compared in memory, and of the sweep. Every statement starts with the repository id. */
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
import type { Change } from '../../../engine/record.ts'
import { outlineOf } from '../../../engine/records/notable.ts'
import type { ListNotables, NotableStatus } from '../../../vocabulary/contract/notable.ts'
import { type Db, prepared, preparedByIds } from '../../platform/db/database.ts'
import { hasExpired, isAmong, lockBatch } from '../../platform/db/sweep-batches.ts'
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

/** Updates a notable that the transaction `tx` has locked. */
export async function updateNotable(
  tx: Db,
  before: NotableRow,
  changes: NotableChanges,
): Promise<NotableRow> {
  const { repo_id, id } = before
  const ends = before.status === 'active' && (changes.status ?? 'active') !== 'active'
  const { version } = await raiseVersion(tx, repo_id, { notables: ends ? -1 : 0 })
  const [row] = await tx
    .update(notables)
    .set({ ...changes, version })
    .where(isRecord(repo_id, id))
    .returning()
  return row as NotableRow
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

/** The notables `ids` that exist, in any order. */
export const listNotablesWith = preparedByIds('notables_with', notables, getTableColumns(notables))

function hasStatus(status: NotableStatus, now: Date): SQL | undefined {
  const stored = eq(notables.status, status)
  if (status === 'active') return and(stored, gt(notables.expires_at, now))
  if (status === 'expired')
    return or(stored, and(eq(notables.status, 'active'), lte(notables.expires_at, now)))
  return stored
}

const { id, status, importance, blocking, scope, expires_at, applies_until, version } = notables
const outlined = { id, status, importance, blocking, scope, expires_at, applies_until, version }
type Outlined = Pick<NotableRow, Exclude<keyof typeof outlined, 'version'>> & { version: number }

function changedOf(row: Outlined): Change {
  return { id: row.id, version: row.version, outline: row.status === 'active' ? outlineOf(row) : null }
}

const readChanged = prepared('notables_changed', (db) =>
  db
    .select(outlined)
    .from(notables)
    .where(
      and(
        eq(notables.repo_id, sql.placeholder('repo_id')),
        sql`${notables.version} > ${sql.placeholder('version')}::bigint`,
      ),
    )
    .orderBy(asc(notables.repo_id), asc(notables.version)),
)

/** The notables that changed after `version`, in the order of their changes. */
export async function listChangedNotables(db: Db, repo_id: number, version: number): Promise<Change[]> {
  return (await readChanged(db, { repo_id, version })).map(changedOf)
}

/** Stores the expiry of a batch of notables past `expires_at`, in the transaction `tx`; returns them. */
export async function expireNotables(tx: Db, repo_id: number, now: Date): Promise<{ id: string }[]> {
  const isDue = hasExpired(notables, eq(notables.status, 'active'), { repo_id, instant: now })
  const due = await lockBatch(tx, notables, isDue)
  if (due.length === 0) return []
  const { version } = await raiseVersion(tx, repo_id, { notables: -due.length })
  const expired = { status: 'expired', updated_at: sql`${notables.expires_at}`, version } as const
  await tx
    .update(notables)
    .set(expired)
    .where(isAmong(notables, repo_id, due))
  return due
}
