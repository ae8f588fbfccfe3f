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
import type { ListNotables, NotableStatus } from '../../vocabulary/contract/notable.ts'
import { notableWeight } from '../../vocabulary/weight.ts'
import { claimsOf, REPOSITORY_CLAIM } from '../claims-index/claim.ts'
import {
  adjustLiveCount,
  type IndexedRecord,
  insertClaimsFromParameters,
  replaceClaims,
  unindexRecords,
} from '../claims-index/store.ts'
import { COUNTED_MAX } from '../db/batch.ts'
import type { Db } from '../db/database.ts'
import { selectByIds } from '../db/lookup.ts'
import { placeholdersOf, prepared, valuesOf } from '../db/prepared.ts'
import { type NotableRow, notables } from './table.ts'

export type NewNotable = typeof notables.$inferInsert
export type NotableChanges = Partial<Omit<NewNotable, 'repo_id' | 'id'>>

function isRecord(repo_id: number, id: string) {
  return and(eq(notables.repo_id, repo_id), eq(notables.id, id))
}

const runInsert = prepared('insert_notable', (db) =>
  db
    .with(
      db.$with('claimed', {}).as(insertClaimsFromParameters()),
      db.$with('counted', {}).as(adjustLiveCount(sql.placeholder('repo_id'), 'ntb', 1)),
    )
    .insert(notables)
    .values(placeholdersOf(notables))
    .returning(),
)

/** Inserts an active notable and its claims in one statement. */
export async function insertNotable(db: Db, row: NewNotable): Promise<NotableRow> {
  const { weight, claims } = await indexedNotable(row)
  const [inserted] = await runInsert(db, {
    ...valuesOf(notables, row),
    weight,
    claims: JSON.stringify(claims),
  })
  return inserted as NotableRow
}

type IndexedFields = 'repo_id' | 'id' | 'importance' | 'blocking' | 'scope'

/** The claims index entry of an active notable. One without a scope applies to the whole repository. */
export async function indexedNotable(row: Pick<NewNotable, IndexedFields>): Promise<IndexedRecord> {
  const { repo_id, id, scope } = row
  const claims = await claimsOf({ ...scope, is_literal: false, files: [], taken: [] })
  return {
    repo_id,
    id,
    weight: notableWeight(row),
    claims: claims.length === 0 ? [REPOSITORY_CLAIM] : claims,
  }
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

/** Updates an active notable that the transaction `tx` has locked, and its claims. */
export async function updateNotable(
  tx: Db,
  before: NotableRow,
  changes: NotableChanges,
): Promise<NotableRow> {
  const { repo_id, id } = before
  const [row] = await tx.update(notables).set(changes).where(isRecord(repo_id, id)).returning()
  const after = row as NotableRow
  await replaceClaims(tx, await indexedNotable(after))
  return after
}

/** Archives a notable that the transaction `tx` has locked. */
export async function archiveNotable(
  tx: Db,
  { repo_id, id, status }: NotableRow,
  now: Date,
): Promise<NotableRow> {
  const [row] = await tx
    .update(notables)
    .set({ status: 'archived', archived_at: now, updated_at: now })
    .where(isRecord(repo_id, id))
    .returning()
  if (status === 'active') await unindexRecords(tx, repo_id, 'ntb', [id])
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
  const wereActive = replaced.filter(({ status }) => status === 'active').map(({ id }) => id)
  await unindexRecords(tx, repo_id, 'ntb', wereActive)
  await tx
    .update(notables)
    .set({
      status: 'archived',
      superseded_by: by.successor,
      updated_at: by.now,
      archived_at: sql`coalesce(${notables.archived_at}, ${by.now.toISOString()}::timestamptz)`,
    })
    .where(and(eq(notables.repo_id, repo_id), inArray(notables.id, ids)))
}

/** Up to `limit` notables older than the id `after`, newest first. `area` is a `labelKey`. */
export function listNotables(
  db: Db,
  repo_id: number,
  filter: Omit<ListNotables, 'cursor' | 'limit'>,
  page: { now: Date; after: string | null; limit: number },
): Promise<NotableRow[]> {
  const { status, importance, category, area } = filter
  const conditions: (SQL | undefined)[] = [
    eq(notables.repo_id, repo_id),
    hasStatus(status, page.now),
    page.after === null ? undefined : lt(notables.id, page.after),
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
const readScopes = prepared('notables_scopes', (db) =>
  selectByIds(db, notables, { id: notables.id, scope: notables.scope }),
)

/** The notables `ids` that exist, in any order. */
export function listNotablesWith(db: Db, repo_id: number, ids: string[]): Promise<NotableRow[]> {
  return readWith(db, { repo_id, ids: JSON.stringify(ids) })
}

export function listNotableScopes(
  db: Db,
  repo_id: number,
  ids: string[],
): Promise<Pick<NotableRow, 'id' | 'scope'>[]> {
  return readScopes(db, { repo_id, ids: JSON.stringify(ids) })
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
