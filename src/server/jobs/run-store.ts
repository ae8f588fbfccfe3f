/** The queries of a worker: it leases jobs, renews the leases, and ends the runs. */
import { and, eq, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import { type Db, lockName } from '../platform/db/database.ts'
import { IMPORT_RANK, PRIORITIES } from './store.ts'
import { type JobRow, type JobState, jobs } from './table.ts'

/** So many more candidates than places, because a transaction that enqueues a job again may hold its lock. */
const SPARE = 4

interface Candidate {
  id: string
  priority: number
  repo_id: number
  has_lapsed: boolean
}

/** The jobs that may run: of the most urgent priority, of the owner with the fewest jobs before it, the one that has been due longest. */
function findRunnable(tx: Db, now: Date, { kinds, places }: LeaseRequest): Promise<Candidate[]> {
  const among = sql`array(select json_array_elements_text(${JSON.stringify(kinds)}::text::json))`
  const at = sql`${now.toISOString()}::timestamptz`
  const below = sql`${places.not_urgent > 0 ? PRIORITIES.length : IMPORT_RANK}::int`
  const runnable = sql`(
    with running as materialized (
      select repo_id, owner from jobs where state = 'pending' and leased_until > ${at}
    )
    select id, priority, repo_id, run_at, leased_until is not null as has_lapsed,
      row_number() over (partition by priority, owner order by run_at, id) + coalesce(held.count, 0) as place
    from jobs left join (select owner, count(*) from running group by owner) as held using (owner)
    where state = 'pending' and priority < ${below} and run_at <= ${at} and kind = any(${among})
      and (leased_until is null or leased_until <= ${at} and ${places.lapsed > 0}::boolean)
      and (repo_id = 0 or repo_id not in (select repo_id from running))
  ) as runnable`
  return tx
    .select({
      id: sql<string>`id`,
      priority: sql<number>`priority`,
      repo_id: sql<number>`repo_id`.mapWith(Number),
      has_lapsed: sql<boolean>`has_lapsed`,
    })
    .from(runnable)
    .orderBy(sql`priority, place, run_at, id`)
    .limit(places.all + SPARE)
}

function leaseFree(
  tx: Db,
  now: Date,
  ids: string[],
  { leased_until, places }: LeaseRequest,
): Promise<JobRow[]> {
  const among = sql`array(select json_array_elements_text(${JSON.stringify(ids)}::text::json))`
  const isFree = or(isNull(jobs.leased_until), lte(jobs.leased_until, now))
  const free = tx
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(sql`${jobs.id} = any(${among})`, eq(jobs.state, 'pending'), isFree))
    .orderBy(sql`array_position(${among}, ${jobs.id})`)
    .limit(places.all)
    .for('update', { skipLocked: true })
  const lapses = sql`case when ${jobs.leased_until} is null then 0 else ${jobs.lapses} + 1 end`
  const counts = { attempts: sql`${jobs.attempts} + 1`, run: sql`${jobs.run} + 1`, lapses }
  // With `in`, the planner may run the subquery once per row, and each run would lock other jobs.
  const isFirst = sql`${jobs.id} = any(array${free})`
  return tx
    .update(jobs)
    .set({ leased_until, ...counts, updated_at: now })
    .where(isFirst)
    .returning()
}

/** Which jobs are leased next. */
export interface LeaseRequest {
  leased_until: Date
  /** The kinds of jobs that this instance can run. */
  kinds: string[]
  /** At most so many, so many that are not urgent, and so many of which the last run outlived its lease: it may have held up those beside it. */
  places: { all: number; not_urgent: number; lapsed: number }
}

/**
 * Leases the next jobs, in the order in which they are to start. Leaves out repositories that have a running job. At least one
 * unless none may run, or all of them are just being enqueued again.
 */
export function leaseDue(db: Db, now: Date, request: LeaseRequest): Promise<JobRow[]> {
  return db.transaction(async (tx) => {
    // Two concurrent leases could take two jobs of one repository, because neither sees the other's lease.
    await lockName(tx, ['lease'])
    const found = await findRunnable(tx, now, request)
    const order = inTurn(found, request.places).map(({ id }) => id)
    if (order.length === 0) return []
    const leased = await leaseFree(tx, now, order, request)
    return leased.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
  })
}

/** Those that can run at the same time: one of each repository, for which there are places. */
function inTurn(found: Candidate[], places: LeaseRequest['places']): Candidate[] {
  const repositories = new Set<number>()
  let { not_urgent, lapsed } = places
  return found.filter(({ priority, repo_id, has_lapsed }) => {
    if (repositories.has(repo_id)) return false
    if (has_lapsed && lapsed-- <= 0) return false
    if (priority >= IMPORT_RANK && not_urgent-- <= 0) return false
    if (repo_id !== 0) repositories.add(repo_id)
    return true
  })
}

/** A run of a leased job. */
type Run = Pick<JobRow, 'id' | 'run'>

function isRun({ id, run }: Run) {
  return and(eq(jobs.id, id), eq(jobs.run, run))
}

/** What to store when a run ends. Without `run_at`, the stored value stays. */
export interface RunEnd {
  state: JobState
  run_at?: Date
  /** The time that is reserved for a write of the next run. */
  write_at?: Date
  /** It only waited, so that it counts as no attempt. */
  is_no_attempt?: boolean
  last_error: string | null
  now: Date
}

/**
 * Ends a run. A job that was enqueued again during the run stays pending, whatever `end` says. The payload of a job that
 * is done is deleted. If the lease expired and another run has the job, nothing changes.
 */
export async function endRun(db: Db, job: Run & Pick<JobRow, 'enqueued'>, end: RunEnd): Promise<void> {
  const { state, run_at = null, write_at = null, is_no_attempt = false, last_error, now } = end
  const isEnqueuedAgain = sql`${jobs.enqueued} <> ${job.enqueued}`
  const at = sql`coalesce(${run_at?.toISOString() ?? null}::timestamptz, ${jobs.run_at})`
  await db
    .update(jobs)
    .set({
      leased_until: null,
      state: sql`case when ${isEnqueuedAgain} then 'pending' else ${state}::text end`,
      run_at: sql`case when ${isEnqueuedAgain} then ${jobs.run_at} else ${at} end`,
      // None are left to take back if the job was enqueued again.
      attempts: sql`greatest(${jobs.attempts} - ${Number(is_no_attempt)}::int, 0)`,
      write_at,
      payload: sql`case when ${isEnqueuedAgain} or ${state}::text <> 'done' then ${jobs.payload} end`,
      last_error,
      updated_at: now,
    })
    .where(isRun(job))
}

/** Changes the lease of a run. Does nothing if the run has ended meanwhile. */
export async function changeLease(db: Db, job: Run, change: Partial<JobRow>): Promise<void> {
  await db
    .update(jobs)
    .set(change)
    .where(and(isRun(job), isNotNull(jobs.leased_until)))
}
