/** The SQL of jobs. */
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
  sql,
} from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '../db/connect.ts'
import { currentCauses } from '../telemetry/execution.ts'
import { currentTraceparent } from '../telemetry/trace.ts'
import { type JobRow, type JobState, jobs } from './table.ts'

/** Any number, as long as it is always the same: the key of the lock that claims queue at. */
const CLAIM_LOCK = 7_046_031_416

/** Causes that a job remembers. */
const CAUSES_MAX = 10

export interface NewJob {
  id: string
  kind: string
  repo_id: number
  payload?: unknown
  run_at: Date
}

/** Asks for a job once: an id that is known already, done or not, changes nothing. Answers whether it is new. */
export async function addOnce(db: Db, job: NewJob, now: Date): Promise<boolean> {
  const added = await db.insert(jobs).values(rowOf(job, now)).onConflictDoNothing().returning({ id: jobs.id })
  return added.length > 0
}

/** Asks for jobs, or for them to run again: those that wait run at the earlier of the two instants. */
export async function ask(db: Db, wanted: NewJob[], now: Date): Promise<void> {
  if (wanted.length === 0) return
  const earlier = currentCauses().reduce(
    (left, cause) => sql`array_remove(${left}, ${cause})`,
    sql`${jobs.caused_by}`,
  )
  const isWaiting = sql`${jobs.state} = 'pending' and ${jobs.attempts} = 0`
  await db
    .insert(jobs)
    .values(wanted.map((job) => rowOf(job, now)))
    .onConflictDoUpdate({
      target: jobs.id,
      set: {
        payload: sql`excluded.payload`,
        state: 'pending',
        run_at: sql`case when ${isWaiting} then least(${jobs.run_at}, excluded.run_at) else excluded.run_at end`,
        asked: sql`${jobs.asked} + 1`,
        attempts: 0,
        caused_by: sql`case when ${jobs.state} = 'pending' then (excluded.caused_by || ${earlier})[1:${sql.raw(String(CAUSES_MAX))}] else excluded.caused_by end`,
        traceparent: sql`excluded.traceparent`,
        updated_at: now,
      },
    })
}

function rowOf(job: NewJob, now: Date): typeof jobs.$inferInsert {
  return {
    ...job,
    state: 'pending',
    asked: 1,
    attempts: 0,
    caused_by: currentCauses(),
    traceparent: currentTraceparent(),
    created_at: now,
    updated_at: now,
  }
}

/** Takes the job that is due longest, of a repository in which none is running; undefined when there is none. */
export function claim(db: Db, now: Date, leased_until: Date): Promise<JobRow | undefined> {
  return db.transaction(async (tx) => {
    // Two claims at once could each take a job of the same repository, because neither sees the other's lease.
    // Who does not get the lock tries again in a moment, so that no connection waits for it.
    const [turn] = await tx
      .select({ isOurs: sql<boolean>`pg_try_advisory_xact_lock(${CLAIM_LOCK}::bigint)` })
      .from(sql`(values (1)) as one`)
    if (!turn?.isOurs) return undefined
    const running = alias(jobs, 'running')
    const isFree = or(isNull(jobs.leased_until), lte(jobs.leased_until, now))
    const runningThere = tx
      .select({ id: running.id })
      .from(running)
      .where(and(eq(running.repo_id, jobs.repo_id), ne(jobs.repo_id, 0), gt(running.leased_until, now)))
    const due = tx
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(eq(jobs.state, 'pending'), lte(jobs.run_at, now), isFree, notExists(runningThere)))
      .orderBy(asc(jobs.run_at), asc(jobs.id))
      .limit(1)
      .for('update', { skipLocked: true })
    const [claimed] = await tx
      .update(jobs)
      .set({ leased_until, attempts: sql`${jobs.attempts} + 1`, run: sql`${jobs.run} + 1`, updated_at: now })
      .where(inArray(jobs.id, due))
      .returning()
    return claimed
  })
}

/** A run of a claimed job. */
type Run = Pick<JobRow, 'id' | 'run'>

function isRun({ id, run }: Run) {
  return and(eq(jobs.id, id), eq(jobs.run, run))
}

/**
 * Ends a run of a claimed job. A job that was requested again meanwhile stays pending, whatever `outcome` says; the
 * payload of a job that is done is dropped. A run that outlasted its lease changes nothing once another run has the job.
 */
export async function settle(
  db: Db,
  job: Run & Pick<JobRow, 'asked'>,
  outcome: { state: JobState; run_at?: Date; attempts?: number; last_error: string | null; now: Date },
): Promise<void> {
  const isAsked = sql`${jobs.asked} <> ${job.asked}`
  const payload = outcome.state === 'done' ? sql`case when ${isAsked} then ${jobs.payload} end` : jobs.payload
  const run_at = outcome.run_at ? sql`${outcome.run_at.toISOString()}::timestamptz` : sql`${jobs.run_at}`
  await db
    .update(jobs)
    .set({
      leased_until: null,
      state: sql`case when ${isAsked} then 'pending' else ${outcome.state} end`,
      run_at: sql`case when ${isAsked} then ${jobs.run_at} else ${run_at} end`,
      attempts: outcome.attempts ?? sql`${jobs.attempts}`,
      payload: sql`${payload}`,
      last_error: outcome.last_error,
      updated_at: outcome.now,
    })
    .where(isRun(job))
}

/** Extends the lease of a run that was not settled; the renewal may reach the database after the end of the run. */
export async function renew(db: Db, job: Run, leased_until: Date): Promise<void> {
  await db
    .update(jobs)
    .set({ leased_until })
    .where(and(isRun(job), isNotNull(jobs.leased_until)))
}

/** Jobs that are counted at most; one count is a few tens of milliseconds then. */
const COUNTED_MAX = 100_000

/** How many jobs there are that have not ended well, by kind and state. */
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

/** Since when the job is due that is due longest, of those that nobody runs; undefined when none is. */
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

/** Jobs of a state, the oldest first. */
export function listJobs(db: Db, state: JobState, limit: number): Promise<Omit<JobRow, 'payload'>[]> {
  const { payload: _, ...columns } = getTableColumns(jobs)
  return db
    .select(columns)
    .from(jobs)
    .where(eq(jobs.state, state))
    .orderBy(asc(jobs.run_at), asc(jobs.id))
    .limit(limit)
}

/** Makes a dead job due again; false when there is no such dead job. */
export async function reviveJob(db: Db, id: string, now: Date): Promise<boolean> {
  const revived = await db
    .update(jobs)
    .set({ state: 'pending', run_at: now, attempts: 0, updated_at: now })
    .where(and(eq(jobs.id, id), eq(jobs.state, 'dead')))
    .returning({ id: jobs.id })
  return revived.length > 0
}

/** As the index spells it. */
const hasEnded = sql`state in ('done', 'dead')`

/** Deletes up to `limit` jobs that were done, or given up, at `before` or earlier; answers how many. */
export async function deleteJobs(db: Db, before: Date, limit: number): Promise<number> {
  const old = db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(hasEnded, lte(jobs.updated_at, before)))
    .limit(limit)
    .for('update', { skipLocked: true })
  const deleted = await db.delete(jobs).where(inArray(jobs.id, old)).returning({ id: jobs.id })
  return deleted.length
}
