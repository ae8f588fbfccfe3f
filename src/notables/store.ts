/** The SQL of notables. Every statement begins with the repository's id; none reads the database's clock. */
import {
  and,
  arrayContains,
  asc,
  desc,
  eq,
  gt,
  inArray,
  isNull,
  lt,
  lte,
  ne,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { hourAt } from '../db/column.ts'
import type { Db } from '../db/connect.ts'
import type { ListNotables, NotableStatus } from './notable.ts'
import { type NotableRow, notables } from './table.ts'

export type NewNotable = typeof notables.$inferInsert
export type NotableChanges = Partial<Omit<NewNotable, 'repo_id' | 'id'>>

/** Records that are counted at most. */
const COUNTED_MAX = 100_000

function isRecord(repo_id: number, id: string) {
  return and(eq(notables.repo_id, repo_id), eq(notables.id, id))
}

export async function insertNotable(db: Db, row: NewNotable): Promise<NotableRow> {
  const [inserted] = await db.insert(notables).values(row).returning()
  return inserted as NotableRow
}

export async function findNotable(db: Db, repo_id: number, id: string): Promise<NotableRow | undefined> {
  const [row] = await db.select().from(notables).where(isRecord(repo_id, id))
  return row
}

/** Reads records and keeps others from changing them until the transaction `tx` ends; in the order of ids, so that two do not wait for each other. */
export function lockNotables(tx: Db, repo_id: number, ids: string[]): Promise<NotableRow[]> {
  return tx
    .select()
    .from(notables)
    .where(and(eq(notables.repo_id, repo_id), inArray(notables.id, ids)))
    .orderBy(asc(notables.id))
    .for('update')
}

export async function updateNotable(
  db: Db,
  repo_id: number,
  id: string,
  changes: NotableChanges,
): Promise<NotableRow> {
  const [row] = await db.update(notables).set(changes).where(isRecord(repo_id, id)).returning()
  return row as NotableRow
}

/** Archives a notable that is not archived yet; undefined when it is, or is not there. */
export async function archiveNotable(
  db: Db,
  repo_id: number,
  id: string,
  now: Date,
): Promise<NotableRow | undefined> {
  const [row] = await db
    .update(notables)
    .set({ status: 'archived', archived_at: now, updated_at: now })
    .where(and(isRecord(repo_id, id), ne(notables.status, 'archived')))
    .returning()
  return row
}

/** Archives what the notable `successor` replaces; what was archived before keeps its instant. */
export async function supersedeNotables(
  db: Db,
  repo_id: number,
  ids: string[],
  by: { successor: string; now: Date },
): Promise<void> {
  await db
    .update(notables)
    .set({
      status: 'archived',
      superseded_by: by.successor,
      updated_at: by.now,
      archived_at: sql`coalesce(${notables.archived_at}, ${by.now.toISOString()}::timestamptz)`,
    })
    .where(and(eq(notables.repo_id, repo_id), inArray(notables.id, ids)))
}

/** Up to `limit` notables, newest first, that are older than the id `after`. `area` is a label's compared form. */
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

/** Up to `limit` notables that apply at `now`, of one half, the grave (blocking, of high or critical importance) or the others; newest first, older than the id `after`. */
export function listApplying(
  db: Db,
  repo_id: number,
  options: { now: Date; grave: boolean; after: string | null; limit: number },
): Promise<NotableRow[]> {
  const grave = sql`(${notables.blocking} or ${notables.importance} in ('high', 'critical'))`
  return db
    .select()
    .from(notables)
    .where(
      and(
        eq(notables.repo_id, repo_id),
        hasStatus('active', options.now),
        or(isNull(notables.applies_until), gt(notables.applies_until, options.now)),
        options.grave ? grave : not(grave),
        options.after === null ? undefined : lt(notables.id, options.after),
      ),
    )
    .orderBy(desc(notables.id))
    .limit(options.limit)
}

/** Stores the expiry of up to `limit` notables that reached it; answers their ids. */
export async function expireNotables(db: Db, repo_id: number, now: Date, limit: number): Promise<string[]> {
  const due = db
    .select({ id: notables.id })
    .from(notables)
    .where(
      and(
        eq(notables.repo_id, repo_id),
        eq(notables.status, 'active'),
        lte(notables.expires_hour, hourAt(now)),
        lte(notables.expires_at, now),
      ),
    )
    .limit(limit)
    .for('update', { skipLocked: true })
  const expired = await db
    .update(notables)
    .set({ status: 'expired', updated_at: sql`${notables.expires_at}` })
    .where(and(eq(notables.repo_id, repo_id), inArray(notables.id, due)))
    .returning({ id: notables.id })
  return expired.map(({ id }) => id)
}

/** Deletes up to `limit` notables that were archived, or expired, at `before` or earlier; answers how many. */
export async function purgeNotables(db: Db, repo_id: number, before: Date, limit: number): Promise<number> {
  const archived = and(eq(notables.status, 'archived'), lte(notables.archived_at, before))
  const expired = and(
    eq(notables.status, 'expired'),
    lte(notables.expires_hour, hourAt(before)),
    lte(notables.expires_at, before),
  )
  const due = db
    .select({ id: notables.id })
    .from(notables)
    .where(and(eq(notables.repo_id, repo_id), or(archived, expired)))
    .limit(limit)
    .for('update', { skipLocked: true })
  const purged = await db
    .delete(notables)
    .where(and(eq(notables.repo_id, repo_id), inArray(notables.id, due)))
    .returning({ id: notables.id })
  return purged.length
}

function hasStatus(status: NotableStatus, now: Date): SQL | undefined {
  const stored = eq(notables.status, status)
  if (status === 'active') return and(stored, gt(notables.expires_at, now))
  if (status === 'expired')
    return or(stored, and(eq(notables.status, 'active'), lte(notables.expires_at, now)))
  return stored
}

/** How many active notables there are in all repositories. */
export async function countActive(db: Db, now: Date): Promise<number> {
  const active = db
    .select({ one: sql`1`.as('one') })
    .from(notables)
    .where(and(sql`status = 'active'`, gt(notables.expires_at, now)))
    .limit(COUNTED_MAX)
    .as('active')
  return db.$count(active)
}
