/** The live sets of the repositories that were asked last, in the memory of this instance, and their versions in the database. Every statement starts with the repository id. */

import { and, eq, lt, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { LiveSet } from '../../../engine/live-set.ts'
import { Failure } from '../../../vocabulary/failure.ts'
import { type Db, prepared } from '../../platform/db/database.ts'
import { isAmong, lockBatch, type Records, type Until, wasClosed } from '../../platform/db/sweep-batches.ts'
import { type Counted, live_sets } from './table.ts'

/** What a change does besides: how many more records are live, and whether links between branches changed. */
export interface Change {
  activities?: number
  notables?: number
  links?: boolean
}

export type LiveSetRow = typeof live_sets.$inferSelect

/**
 * Raises the version of a live set in the transaction `tx` and returns the row. The changed records are stored with its
 * version. Lock the records before and jobs after it, in every transaction, so that none wait for each other.
 */
export async function raiseVersion(tx: Db, repo_id: number, change: Change = {}): Promise<LiveSetRow> {
  const { activities = 0, notables = 0, links = false } = change
  const [row] = await runRaise(tx, { repo_id, activities, notables, links })
  return row as LiveSetRow
}

const added = (counted: Counted): SQL => sql`${live_sets[counted]} + ${sql.placeholder(counted)}::int`

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
        links_version: sql`case when ${sql.placeholder('links')}::boolean then ${live_sets.version} + 1 else ${live_sets.links_version} end`,
        activities: added('activities'),
        notables: added('notables'),
      },
    })
    .returning(),
)

/** Lets live sets with an older version read all records again, in the transaction `tx` that deletes some. */
export async function noteDeleted(tx: Db, repo_id: number, version: number): Promise<void> {
  const isKnownOlder = and(eq(live_sets.repo_id, repo_id), lt(live_sets.deleted_version, version))
  await tx.update(live_sets).set({ deleted_version: version }).where(isKnownOlder)
}

/** Deletes a batch of the records that were archived or expired at or before `instant`, in the transaction `tx`; returns how many. */
export async function deleteClosed(tx: Db, table: Records, until: Until): Promise<number> {
  const batch = await lockBatch(tx, table, wasClosed(table, until))
  if (batch.length === 0) return 0
  await tx.delete(table).where(isAmong(table, until.repo_id, batch))
  // Who has not read yet that they were closed cannot read it any more.
  await noteDeleted(tx, until.repo_id, Math.max(...batch.map(({ version }) => version)))
  return batch.length
}

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

/** The approximate memory of all live sets. The repository that was asked longest ago leaves first. */
const BYTES_MAX = 200_000_000
/** The approximate size of an empty live set. */
const SET_BYTES = 2_000

interface Held {
  set: LiveSet
  running: Promise<void> | null
  /** A refresh that begins when the running one has ended. */
  next: Promise<void> | null
}

export class LiveSets {
  readonly #held = new LRUCache<number, Held>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ set }) => SET_BYTES + set.bytes,
  })

  /**
   * The live set of a repository, after a refresh that began after this call. Concurrent callers share refreshes. Throws what
   * `refresh` throws.
   */
  async upToDate(repo_id: number, refresh: (set: LiveSet) => Promise<void>): Promise<LiveSet> {
    const held = this.#held.get(repo_id) ?? { set: new LiveSet(), running: null, next: null }
    const start = (): Promise<void> => {
      held.next = null
      held.running = refresh(held.set).finally(() => {
        held.running = null
        // Again, because its size has changed.
        this.#held.set(repo_id, held)
      })
      return held.running
    }
    if (held.running === null) {
      this.#held.set(repo_id, held)
      await start()
    } else {
      held.next ??= held.running.then(start, start)
      await held.next
    }
    return held.set
  }
}
