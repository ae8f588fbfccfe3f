/** Enqueues jobs, each at its place in the queue, and lists them (docs/contract/organisations.md#queue). */
import { and, asc, eq, getTableColumns, gt, inArray, isNull, lte, notInArray, or, sql } from 'drizzle-orm'
import { COUNTED_MAX, type Db, laterBy } from '../platform/db/database.ts'
import { currentCauses, runningJob } from '../platform/telemetry/execution.ts'
import { type JobRow, type JobState, jobs } from './table.ts'

/** How many causes are stored with a job, the newest. */
const CAUSES_MAX = 10

export interface NewJob {
  id: string
  kind: string
  priority: Priority
  repo_id: number
  /** The login whose work it is; empty if it is nobody's. */
  owner: string
  payload?: unknown
  run_at: Date
}

/** A job about a repository. `about`: what in it, if that identifies the work too. */
export function jobOn(
  { id: repo_id, owner }: { id: number; owner: string },
  kind: string,
  { about, ...given }: Pick<NewJob, 'priority' | 'payload' | 'run_at'> & { about?: string | number },
): NewJob {
  const id = about === undefined ? `${kind}:${repo_id}` : `${kind}:${repo_id}:${about}`
  return { id, kind, repo_id, owner, ...given }
}

/** A job that enqueues its next run itself, so that there is one, whatever the number of instances. */
export function periodicJob(kind: string, run_at: Date): NewJob {
  return { id: kind, kind, priority: 'live', repo_id: 0, owner: '', run_at }
}

/** Enqueues a job unless its id was enqueued before, even if that job is done. Returns whether it is new. */
export async function enqueueOnce(db: Db, job: NewJob, now: Date): Promise<boolean> {
  const added = await insert(db, [job], now).onConflictDoNothing().returning({ id: jobs.id })
  return added.length > 0
}

/**
 * Enqueues jobs. A job whose id is stored already runs again, with the more urgent of the two priorities. If it is still waiting, it runs only once, at the earlier of
 * the two times. With `gap_ms`, a waiting job keeps its time, and a job that ran before runs at least `gap_ms` after its last
 * run.
 */
export async function enqueue(
  db: Db,
  added: NewJob[],
  now: Date,
  { gap_ms = 0 }: { gap_ms?: number } = {},
): Promise<void> {
  if (added.length === 0) return
  const isWaiting = sql`${jobs.state} = 'pending' and ${jobs.attempts} = 0`
  const soonest = sql`case when ${isWaiting} then least(${jobs.run_at}, excluded.run_at) else excluded.run_at end`
  // Citus takes no parameter in the `on conflict` of rows that a query selects: it would answer that it does not exist.
  const gap = sql.raw(String(gap_ms))
  // `updated_at` of a job that is done is the end of its last run, which is later than now once a clock was corrected.
  const afterGap = sql`case when ${isWaiting} then ${jobs.run_at}
    when ${jobs.state} = 'done' then greatest(excluded.run_at, ${laterBy(sql`least(${jobs.updated_at}, excluded.updated_at)`, gap)})
    else ${laterBy(sql`excluded.run_at`, gap)} end`
  const isMoreUrgent = sql`${jobs.state} = 'pending' and ${jobs.priority} < excluded.priority`
  const earlier = sql`array(select cause from unnest(${jobs.caused_by}) with ordinality as stored(cause, position)
    where cause <> all(excluded.caused_by) order by position)`
  await insert(db, added, now).onConflictDoUpdate({
    target: jobs.id,
    set: {
      payload: sql`excluded.payload`,
      state: sql`excluded.state`,
      run_at: gap_ms > 0 ? afterGap : soonest,
      enqueued: sql`${jobs.enqueued} + 1`,
      attempts: sql`excluded.attempts`,
      caused_by: sql`case when ${jobs.state} = 'pending' then (excluded.caused_by || ${earlier})[1:${sql.raw(String(CAUSES_MAX))}] else excluded.caused_by end`,
      updated_at: sql`excluded.updated_at`,
      priority: sql`case when ${isMoreUrgent} then ${jobs.priority} else excluded.priority end`,
      owner: sql`excluded.owner`,
    },
  })
}

function insert(db: Db, added: NewJob[], now: Date) {
  // The payload is a string within this JSON: PostgreSQL parses nested objects, and rejects escapes such as \u0000 in them.
  const rows = added.map((job) => ({ ...placed(job, now), payload: JSON.stringify(job.payload) }))
  const causes = JSON.stringify(currentCauses())
  const at = sql`${now.toISOString()}::timestamptz`
  return db.insert(jobs).select(
    // In the order of the columns of the table.
    sql`select id, kind, repo_id, payload::json, 'pending', run_at, null, 1, 0, 0, null,
      array(select json_array_elements_text(${causes}::text::json)), ${at}, ${at}, priority, owner, null, 0
      from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as added(id text, kind text, priority smallint, repo_id bigint, owner text, payload text, run_at timestamptz)`,
  )
}

/** Whether one of these jobs waits for its first run. */
export async function isAnyWaiting(db: Db, given: readonly NewJob[]): Promise<boolean> {
  const ids = given.map(({ id }) => id)
  const isWaiting = and(inArray(jobs.id, ids), eq(jobs.state, 'pending'), eq(jobs.attempts, 0))
  return (await db.$count(jobs, isWaiting)) > 0
}

/** The job with its place in the queue. */
function placed(job: NewJob, now: Date) {
  const owner = job.owner.toLowerCase()
  return { ...job, id: job.id.toWellFormed(), owner, ...placeOf(job, runningJob(), now) }
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

/** The ids of up to `limit` jobs of these kinds that import the repository, or it and others. Many jobs of it may be done, so the index of pending ones is used. */
export async function listImporting(
  db: Db,
  { id: repo_id, owner }: { id: number; owner: string },
  { kinds, limit }: { kinds: readonly string[]; limit: number },
): Promise<string[]> {
  const hasPlace = and(eq(jobs.priority, IMPORT_RANK), eq(jobs.owner, owner.toLowerCase()))
  const isNamed = sql`${jobs.repo_id} = 0 and ${jobs.id} ~ ${`[:,]${repo_id}(,|$)`}`
  const isAbout = or(eq(jobs.repo_id, repo_id), isNamed)
  const isOne = and(isAbout, sql`state = 'pending'`, hasPlace, inArray(jobs.kind, kinds))
  return (await db.select({ id: jobs.id }).from(jobs).where(isOne).limit(limit)).map(({ id }) => id)
}

/** The kinds of jobs that apply a delivery and post a notification. Somebody else sent or gets it, so a dead one waits for a person. */
export const DELIVERY = 'delivery'
export const NOTIFY = 'notify'

/** Gives the other dead jobs about the repository one more attempt now, but none that may have ended the processes. */
export async function retryDead(db: Db, repo_id: number, now: Date): Promise<void> {
  const isDead = and(eq(jobs.repo_id, repo_id), eq(jobs.state, 'dead'), eq(jobs.lapses, 0))
  await db
    .update(jobs)
    .set({ state: 'pending', run_at: now, updated_at: now })
    .where(and(isDead, notInArray(jobs.kind, [DELIVERY, NOTIFY])))
}

/** Makes a dead job due now. Returns false if no dead job has this id. */
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

/**
 * The priorities, the most urgent first. Stored as the position in this list. `live`: a delivery, and what it causes.
 */
export const PRIORITIES = ['live', 'recheck', 'import', 'reconcile'] as const
export type Priority = (typeof PRIORITIES)[number]

/** The position of a priority: 0 is the most urgent. */
export function rankOf(priority: Priority): number {
  return PRIORITIES.indexOf(priority)
}

/** Jobs from this rank on fetch what is not urgent. */
export const IMPORT_RANK = rankOf('import')

/** The place of a job in the queue. */
export interface Place {
  priority: number
  run_at: Date
}

/**
 * The place of a job that is enqueued at `now`, while the job `cause` runs. It is due since its cause is: so what a delivery or an import
 * causes is completed before what came later. What an import causes is also no more urgent than the import. A job for later
 * keeps its own place.
 */
export function placeOf(
  { priority, run_at }: { priority: Priority; run_at: Date },
  cause: Place | undefined,
  now: Date,
): Place {
  const own = rankOf(priority)
  const isForLater = run_at > now || cause === undefined
  return {
    priority: isForLater || cause.priority < IMPORT_RANK ? own : Math.max(own, cause.priority),
    run_at: isForLater ? run_at : new Date(cause.run_at.getTime() - (now.getTime() - run_at.getTime())),
  }
}
