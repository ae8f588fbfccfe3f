/** The queries of a worker: it leases jobs, renews the leases, and ends the runs. */
import {
  and,
  asc,
  eq,
  gt,
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
import type { Db } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import { type JobRow, type JobState, jobs } from './table.ts'

/** The key of the advisory lock under which jobs are leased: an arbitrary constant. */
const LEASE_LOCK = 7_046_031_416

const NOW = sql`${sql.placeholder('now')}::timestamptz`

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

/** Leases the job that has been due longest, of those whose repository has no running job; undefined if there is none. */
export function leaseNext(db: Db, now: Date, leased_until: Date): Promise<JobRow | undefined> {
  return db.transaction(async (tx) => {
    // Two concurrent leases could take two jobs of one repository, because neither sees the other's lease. A worker that
    // does not get the lock polls again later, so that no connection waits.
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

const updateEnded = prepared('end_job_run', (db) => {
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
  await updateEnded(db, {
    ...{ id, run, enqueued, state, attempts, last_error },
    run_at: run_at?.toISOString() ?? null,
    now: now.toISOString(),
  })
}

/** Extends the lease of a run. Does nothing if the run has ended meanwhile. */
export async function renewLease(db: Db, job: Run, leased_until: Date): Promise<void> {
  await db
    .update(jobs)
    .set({ leased_until })
    .where(and(isRun(job), isNotNull(jobs.leased_until)))
}
