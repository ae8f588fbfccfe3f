/** Raises and reads the version of a live set. Every statement starts with the repository id. */
import { eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { Failure } from '../../../vocabulary/failure.ts'
import type { Db } from '../../platform/db/database.ts'
import { prepared } from '../../platform/db/statements.ts'
import { type Counted, live_sets } from './table.ts'

/** What a change does besides: how many more records are live, and whether links between branches changed, or live records were deleted. */
export interface Change {
  activities?: number
  notables?: number
  links?: boolean
  deleted?: boolean
}

export type LiveSetRow = typeof live_sets.$inferSelect

/**
 * Raises the version of a live set in the transaction `tx` and returns the row. The changed records are stored with its
 * version. Lock the records before and jobs after it, in every transaction, so that none wait for each other.
 */
export async function raiseVersion(tx: Db, repo_id: number, change: Change = {}): Promise<LiveSetRow> {
  const { activities = 0, notables = 0, links = false, deleted = false } = change
  const [row] = await runRaise(tx, { repo_id, activities, notables, links, deleted })
  return row as LiveSetRow
}

const added = (counted: Counted): SQL => sql`${live_sets[counted]} + ${sql.placeholder(counted)}::int`

const raisedIf = (
  changed: 'links' | 'deleted',
  before: typeof live_sets.links_version | typeof live_sets.deleted_version,
): SQL => sql`case when ${sql.placeholder(changed)}::boolean then ${live_sets.version} + 1 else ${before} end`

const runRaise = prepared('raise_version', (db) =>
  db
    .insert(live_sets)
    .values({
      repo_id: sql`${sql.placeholder('repo_id')}`,
      activities: sql`${sql.placeholder('activities')}::int`,
      notables: sql`${sql.placeholder('notables')}::int`,
    } as never)
    .onConflictDoUpdate({
      target: live_sets.repo_id,
      set: {
        version: sql`${live_sets.version} + 1`,
        links_version: raisedIf('links', live_sets.links_version),
        deleted_version: raisedIf('deleted', live_sets.deleted_version),
        activities: added('activities'),
        notables: added('notables'),
      },
    })
    .returning(),
)

/** Lets creates wait until the transaction `tx` ends. */
export async function lockLiveSet(tx: Db, repo_id: number): Promise<void> {
  await tx.select().from(live_sets).where(eq(live_sets.repo_id, repo_id)).for('update')
}

const readVersion = prepared('live_set', (db) =>
  db
    .select()
    .from(live_sets)
    .where(eq(live_sets.repo_id, sql.placeholder('repo_id'))),
)

/** Undefined if the repository has had no live record. */
export async function findLiveSet(db: Db, repo_id: number): Promise<LiveSetRow | undefined> {
  const [row] = await readVersion(db, { repo_id })
  return row
}

/** The numbers of live records of all repositories, as they are stored: the sweep stores an expiry. */
export async function countLive(db: Db): Promise<Record<Counted, number>> {
  const total = (column: SQLWrapper) => sql<number>`coalesce(sum(${column}), 0)::float8`
  const counts = { activities: total(live_sets.activities), notables: total(live_sets.notables) }
  const [row] = await db.select(counts).from(live_sets)
  return row as Record<Counted, number>
}

/** The failure of a create at the limit. `Retry-After` is an estimate, because nobody knows when a record ends. */
export function tooManyLive(max: number, what: string): Failure {
  const most = max.toLocaleString('en')
  return new Failure(
    'rate_limited',
    `this repository has reached its limit of ${most} ${what}; archive some, or wait until some expire`,
    { headers: { 'Retry-After': '60' } },
  )
}
