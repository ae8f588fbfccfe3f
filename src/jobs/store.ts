/** The queries of the job queue. */
import {
  and,
  asc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  notExists,
  or,
  type Placeholder,
  sql,
} from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { COUNTED_MAX } from '../db/batch.ts'
import { laterBy } from '../db/column.ts'
import type { Db } from '../db/database.ts'
import { placeholdersOf, prepared, valuesOf } from '../db/prepared.ts'
import { currentCauses } from '../telemetry/execution.ts'
import { currentTraceparent } from '../telemetry/trace.ts'
import { type JobRow, type JobState, jobs } from './table.ts'

/** The key of the advisory lock under which jobs are leased: an arbitrary constant. */
const LEASE_LOCK = 7_046_031_416

const NOW = sql`${sql.placeholder('now')}::timestamptz`

/** The newest causes of a job that are stored with it. */
const CAUSES_MAX = 10

export interface NewJob {
  id: string
  kind: string
  repo_id: number
  payload?: unknown
  run_at: Date
}

const runEnqueueOnce = prepared('enqueue_once', (db) =>
  db.insert(jobs).values(placeholdersOf(jobs)).onConflictDoNothing().returning({ id: jobs.id }),
)

/** Enqueues a job unless its id was enqueued before, even if that job is done. Returns whether it is new. */
export async function enqueueOnce(db: Db, job: NewJob, now: Date): Promise<boolean> {
  const added = await runEnqueueOnce(db, valuesOf(jobs, rowOf(job, now)))
  return added.length > 0
}

/** With `isSpaced`, a waiting job keeps its time, and any other one gets a distance of `gap_ms` to its last run. */
const enqueueing = (isSpaced: boolean) =>
  prepared(isSpaced ? 'enqueue_spaced' : 'enqueue', (db) => {
    const isWaiting = sql`${jobs.state} = 'pending' and ${jobs.attempts} = 0`
    const soonest = sql`case when ${isWaiting} then least(${jobs.run_at}, excluded.run_at) else excluded.run_at end`
    const gap_ms = sql`${sql.placeholder('gap_ms')}::float8`
    // `updated_at` of a job that is done is the end of its last run.
    const afterGap = sql`case when ${isWaiting} then ${jobs.run_at}
      when ${jobs.state} = 'done' then greatest(excluded.run_at, ${laterBy(jobs.updated_at, gap_ms)})
      else ${laterBy(sql`excluded.run_at`, gap_ms)} end`
    const earlier = sql`array(select cause from unnest(${jobs.caused_by}) with ordinality as stored(cause, position)
      where cause <> all(excluded.caused_by) order by position)`
    const added = sql`json_to_recordset(${sql.placeholder('added')}::text::json)
      as added(id text, kind text, repo_id bigint, payload text, run_at timestamptz)`
    return db
      .insert(jobs)
      .select(
        // In the order of the columns of the table.
        sql`select id, kind, repo_id, payload::json, 'pending', run_at, null, 1, 0, 0, null,
          array(select json_array_elements_text(${sql.placeholder('caused_by')}::text::json)),
          ${sql.placeholder('traceparent')}::text, ${NOW}, ${NOW} from ${added}`,
      )
      .onConflictDoUpdate({
        target: jobs.id,
        set: {
          payload: sql`excluded.payload`,
          state: 'pending',
          run_at: isSpaced ? afterGap : soonest,
          enqueued: sql`${jobs.enqueued} + 1`,
          attempts: 0,
          caused_by: sql`case when ${jobs.state} = 'pending' then (excluded.caused_by || ${earlier})[1:${sql.raw(String(CAUSES_MAX))}] else excluded.caused_by end`,
          traceparent: sql`excluded.traceparent`,
          updated_at: NOW,
        },
      })
  })
const runEnqueue = enqueueing(false)
const runEnqueueSpaced = enqueueing(true)

/**
 * Enqueues jobs. A job whose id is stored already runs again; if it is still waiting, it runs once, at the earlier of the two
 * times. With `gap_ms`, a waiting job keeps its time, and any other stored job runs at least that long after its last run.
 */
export async function enqueue(
  db: Db,
  added: NewJob[],
  now: Date,
  { gap_ms = 0 }: { gap_ms?: number } = {},
): Promise<void> {
  if (added.length === 0) return
  const given = {
    // PostgreSQL rejects escaped characters that text cannot hold, but not inside of a text that it does not parse.
    added: JSON.stringify(
      added.map((job) => ({ ...job, id: job.id.toWellFormed(), payload: JSON.stringify(job.payload) })),
    ),
    caused_by: JSON.stringify(currentCauses()),
    traceparent: currentTraceparent(),
    now: now.toISOString(),
  }
  if (gap_ms === 0) await runEnqueue(db, given)
  else await runEnqueueSpaced(db, { ...given, gap_ms })
}

function rowOf(job: NewJob, now: Date): typeof jobs.$inferInsert {
  return {
    ...job,
    state: 'pending',
    enqueued: 1,
    attempts: 0,
    run: 0,
    caused_by: currentCauses(),
    traceparent: currentTraceparent(),
    created_at: now,
    updated_at: now,
  }
}

const tryLeaseLock = prepared('try_lease_lock', (db) =>
  db
    .select({ is_held: sql<boolean>`pg_try_advisory_xact_lock(${LEASE_LOCK}::bigint)` })
    .from(sql`(values (1)) as one`),
)

const runLease = prepared('lease_next_job', (db) => {
  const running = alias(jobs, 'running')
  const isFree = or(isNull(jobs.leased_until), lte(jobs.leased_until, NOW))
  const runningThere = db
    .select({ id: running.id })
    .from(running)
    .where(and(eq(running.repo_id, jobs.repo_id), ne(jobs.repo_id, 0), gt(running.leased_until, NOW)))
  const due = db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.state, 'pending'), lte(jobs.run_at, NOW), isFree, notExists(runningThere)))
    .orderBy(asc(jobs.run_at), asc(jobs.id))
    .limit(1)
    .for('update', { skipLocked: true })
  return (
    db
      .update(jobs)
      .set({
        leased_until: sql`${sql.placeholder('leased_until')}::timestamptz`,
        attempts: sql`${jobs.attempts} + 1`,
        run: sql`${jobs.run} + 1`,
        updated_at: NOW,
      })
      // With `in`, the planner may run the subquery once per row, and each run would lock another job.
      .where(eq(jobs.id, due))
      .returning()
  )
})

/** Leases the job that has been due longest, of a repository without a running job; undefined if there is none. */
export function leaseNext(db: Db, now: Date, leased_until: Date): Promise<JobRow | undefined> {
  return db.transaction(async (tx) => {
    // Two concurrent leases could take two jobs of one repository, because neither sees the other's lease. Without the
    // lock, the worker polls again, so that no connection waits for it.
    const [lock] = await tryLeaseLock(tx, {})
    if (!lock?.is_held) return undefined
    const [leased] = await runLease(tx, {
      now: now.toISOString(),
      leased_until: leased_until.toISOString(),
    })
    return leased
  })
}

/** A run of a leased job. */
type Run = Pick<JobRow, 'id' | 'run'>

function isRun({ id, run }: Run | Record<keyof Run, Placeholder>) {
  return and(eq(jobs.id, id), eq(jobs.run, run))
}

/** What to store when a run ends. Without `run_at` or `attempts`, the stored value stays. */
export interface RunEnd {
  state: JobState
  run_at?: Date
  attempts?: number
  last_error: string | null
  now: Date
}

const runEnd = prepared('end_job_run', (db) => {
  const isEnqueuedAgain = sql`${jobs.enqueued} <> ${sql.placeholder('enqueued')}::int`
  const state = sql`${sql.placeholder('state')}::text`
  const run_at = sql`coalesce(${sql.placeholder('run_at')}::timestamptz, ${jobs.run_at})`
  return db
    .update(jobs)
    .set({
      leased_until: null,
      state: sql`case when ${isEnqueuedAgain} then 'pending' else ${state} end`,
      run_at: sql`case when ${isEnqueuedAgain} then ${jobs.run_at} else ${run_at} end`,
      attempts: sql`coalesce(${sql.placeholder('attempts')}::int, ${jobs.attempts})`,
      payload: sql`case when ${isEnqueuedAgain} or ${state} <> 'done' then ${jobs.payload} end`,
      last_error: sql`${sql.placeholder('last_error')}::text`,
      updated_at: NOW,
    })
    .where(isRun({ id: sql.placeholder('id'), run: sql.placeholder('run') }))
})

/**
 * Ends a run. A job that was enqueued again during the run stays pending, whatever `end` says. The payload of a job that
 * is done is deleted. If the lease expired and another run has the job, nothing changes.
 */
export async function endRun(db: Db, job: Run & Pick<JobRow, 'enqueued'>, end: RunEnd): Promise<void> {
  const { id, run, enqueued } = job
  const { state, run_at, attempts = null, last_error, now } = end
  await runEnd(db, {
    ...{ id, run, enqueued, state, attempts, last_error },
    run_at: run_at?.toISOString() ?? null,
    now: now.toISOString(),
  })
}

/** Extends the lease of a run that has not ended. The renewal may reach the database after the end of the run. */
export async function renewLease(db: Db, job: Run, leased_until: Date): Promise<void> {
  await db
    .update(jobs)
    .set({ leased_until })
    .where(and(isRun(job), isNotNull(jobs.leased_until)))
}

/** The number of pending and dead jobs, by kind and state. */
export function countJobs(db: Db, now: Date): Promise<{ kind: string; state: string; count: number }[]> {
  const open = db
    .select({ kind: jobs.kind, state: jobs.state, run_at: jobs.run_at, leased_until: jobs.leased_until })
    .from(jobs)
    .where(inArray(jobs.state, ['pending', 'dead']))
    .limit(COUNTED_MAX)
    .as('open')
  const state = sql<string>`case when ${open.state} = 'dead' then 'dead' when ${gt(open.leased_until, now)} then 'running'
    when ${lte(open.run_at, now)} then 'due' else 'waiting' end`
  return db
    .select({ kind: open.kind, state, count: sql<number>`count(*)::int` })
    .from(open)
    .groupBy(sql`1`, sql`2`)
}

/** When the oldest job that is due and not running became due; undefined if there is none. */
export async function findOldestDue(db: Db, now: Date): Promise<Date | undefined> {
  const isFree = or(isNull(jobs.leased_until), lte(jobs.leased_until, now))
  const [oldest] = await db
    .select({ run_at: jobs.run_at })
    .from(jobs)
    .where(and(eq(jobs.state, 'pending'), lte(jobs.run_at, now), isFree))
    .orderBy(asc(jobs.run_at))
    .limit(1)
  return oldest?.run_at
}

/** Jobs in a state, oldest first. */
export function listJobs(db: Db, state: JobState, limit: number): Promise<Omit<JobRow, 'payload'>[]> {
  const { payload: _, ...columns } = getTableColumns(jobs)
  return db
    .select(columns)
    .from(jobs)
    .where(eq(jobs.state, state))
    .orderBy(asc(jobs.run_at), asc(jobs.id))
    .limit(limit)
}

/** Makes a dead job due now; false if there is no such dead job. */
export async function reviveJob(db: Db, id: string, now: Date): Promise<boolean> {
  const revived = await db
    .update(jobs)
    .set({ state: 'pending', run_at: now, attempts: 0, updated_at: now })
    .where(and(eq(jobs.id, id), eq(jobs.state, 'dead')))
    .returning({ id: jobs.id })
  return revived.length > 0
}

/** Must match the text of the partial index. */
const hasEnded = sql`state in ('done', 'dead')`

/** Deletes up to `limit` jobs that ended at `before` or earlier; returns how many. */
export async function deleteJobs(db: Db, before: Date, limit: number): Promise<number> {
  const old = db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(hasEnded, lte(jobs.updated_at, before)))
    .limit(limit)
    .for('update', { skipLocked: true })
  // With `in`, the planner may run the subquery once per row, and each run would lock `limit` further jobs.
  const deleted = await db.delete(jobs).where(sql`${jobs.id} = any(array${old})`).returning({ id: jobs.id })
  return deleted.length
}
