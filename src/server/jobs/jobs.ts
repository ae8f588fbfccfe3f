/** The worker of the job queue: leases jobs, runs them, retries them with backoff and dead-letters those that keep failing. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, later, stopwatch } from '../../vocabulary/clock.ts'
import type { Database } from '../platform/db/database.ts'
import { faultOf } from '../platform/db/errors.ts'
import { type Execution, runInExecution } from '../platform/telemetry/execution.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import { changeLease, endRun, type LeaseRequest, leaseDue, type RunEnd } from './run-store.ts'
import { IMPORT_RANK } from './store.ts'
import type { JobRow } from './table.ts'

/** If a worker dies, its job and the other jobs of the repository wait this long. A running worker renews its lease. */
const LEASE_MS = 30_000
export const ATTEMPTS_MAX = 12
/** After so many runs in a row that outlived their lease, the job itself may be what holds up or ends the processes. */
const LAPSES_MAX = 2
const FIRST_DELAY_MS = 2000
const DELAY_MAX_MS = 3_600_000
/** Jobs that one instance runs at the same time, each of a different repository. Most of the time, they wait for GitHub. */
const CONCURRENCY = 8
/** Of these, how many may import or reconcile: a delivery finds a place. */
const NOT_URGENT_MAX = CONCURRENCY / 2
/** How long an idle worker waits before it polls again for jobs that became due or that another instance enqueued. */
const POLL_MS = 500

/** Thrown by a job that has to wait for a rate limit. It runs again at `retry_at`, and this does not count as a failed attempt. */
export class RateLimited extends Error {
  readonly retry_at: Date
  /** The time is reserved for a write of the job to GitHub. */
  readonly is_reserved: boolean

  /** `cause`: the error of GitHub's client, if a call was made. */
  constructor(
    retry_at: Date,
    { is_reserved = false, cause }: { is_reserved?: boolean; cause?: unknown } = {},
  ) {
    super('the rate of calls is limited', { cause })
    this.retry_at = retry_at
    this.is_reserved = is_reserved
  }
}

/** Runs one job of a kind. The same job may run more than once, so it must be idempotent. Throws if the attempt failed; `retry_at` of the error is when to try again. */
export type JobHandler = (job: JobRow, now: Date) => Promise<void>

export interface JobRunner {
  database: Database
  clock: Clock
  log: Logger
  metrics: Metrics
  /** By kind. Jobs of other kinds are left to other instances. */
  handlers: Record<string, JobHandler>
}

/** Runs the next due job to its end. Returns whether there was one. `runUntil` repeats the same steps. */
export async function runNext(runner: JobRunner): Promise<boolean> {
  const [job] = await lease(runner, { all: 1, not_urgent: 1, lapsed: 1 })
  if (job) await run(runner, job)
  return job !== undefined
}

function lease({ database, clock, handlers }: JobRunner, places: LeaseRequest['places']): Promise<JobRow[]> {
  const now = clock()
  const kinds = Object.keys(handlers)
  return leaseDue(database.connection(), now, { leased_until: later(now, LEASE_MS), kinds, places })
}

/** How a run ended. A `failed` job is retried, a `dead` one is not. */
interface Attempt {
  outcome: 'done' | 'rescheduled' | 'failed' | 'dead'
  end: RunEnd
  fault?: ReturnType<typeof faultOf> | undefined
}

/** Runs a leased job, and reports the run to the log and the metrics. */
function run(runner: JobRunner, job: JobRow): Promise<void> {
  const { database, clock, log } = runner
  const { id, caused_by, priority, run_at, write_at, attempts } = job
  const execution: Execution = {
    ids: { job: id, caused_by },
    effects: {},
    job: { priority, run_at, attempts, write_at },
  }
  return runInExecution(execution, async () => {
    const elapsed = stopwatch()
    const renewal = setInterval(() => {
      changeLease(database.connection(), job, { leased_until: later(clock(), LEASE_MS) }).catch((error) =>
        log.error({ job: id, ...faultOf(error) }, 'lease not renewed'),
      )
    }, LEASE_MS / 3)
    try {
      const { outcome, end, fault } = await attempt(runner, job)
      const store = () => endRun(database.connection(), job, end)
      // Once more, because the connection may have broken, even after the database stored the result.
      await store()
        .catch(store)
        .finally(() => report(runner, job, { outcome, fault, did: execution.effects, ms: elapsed() }))
    } finally {
      clearInterval(renewal)
    }
  })
}

async function attempt({ clock, handlers }: JobRunner, job: JobRow): Promise<Attempt> {
  try {
    if (job.lapses >= LAPSES_MAX) throw new Error(`${job.lapses} runs outlived their lease`)
    await (handlers[job.kind] as JobHandler)(job, clock())
    return { outcome: 'done', end: { state: 'done', last_error: null, now: clock() } }
  } catch (error) {
    const now = clock()
    if (error instanceof RateLimited) {
      const { retry_at: run_at, is_reserved } = error
      const end = { run_at, ...(is_reserved && { write_at: run_at }), is_no_attempt: true, now }
      return { outcome: 'rescheduled', end: { state: 'pending', last_error: null, ...end } }
    }
    const fault = faultOf(error)
    const isLast = job.attempts >= ATTEMPTS_MAX || job.lapses >= LAPSES_MAX
    const end = {
      state: isLast ? ('dead' as const) : ('pending' as const),
      run_at: (error as { retry_at?: Date }).retry_at ?? later(now, delayOf(job.attempts)),
      last_error: fault.stack ?? `${fault.fault} ${fault.code}`,
      now,
    }
    return { outcome: isLast ? 'dead' : 'failed', end, fault }
  }
}

/** Writes one log line per run, and updates the metrics. */
function report(
  { log, metrics }: JobRunner,
  { kind, attempts }: JobRow,
  { outcome, fault, did, ms }: Omit<Attempt, 'end'> & { did: Execution['effects']; ms: number },
): void {
  metrics.job_runs.observe({ kind, outcome }, ms / 1000)
  for (const [effect, times] of Object.entries(did)) metrics.effects.inc({ effect }, times)
  const fields = { kind, outcome, did, attempts, ms: Math.round(ms), ...fault }
  if (fault) log.error(fields, outcome === 'dead' ? 'job dead-lettered' : 'job failed')
  else log.info(fields, 'job')
}

/** Milliseconds before the next attempt: exponential backoff with jitter. */
function delayOf(attempts: number): number {
  const full = Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** (attempts - 1))
  return full / 2 + (Math.random() * full) / 2
}

/** Runs jobs until `stopped` is aborted, and then waits for the running ones. */
export async function runUntil(
  runner: JobRunner & { wakeup: Wakeup },
  stopped: AbortSignal,
  poll_ms = POLL_MS,
): Promise<void> {
  const running = new Map<Promise<void>, JobRow>()
  const { wakeup } = runner
  const wake = () => wakeup.wake()
  stopped.addEventListener('abort', wake, { once: true })
  const start = (job: JobRow) => {
    const active = run(runner, job)
      // If the result cannot be stored, the lease expires and the job runs again.
      .catch((error: unknown) =>
        runner.log.error(
          { job: job.id, caused_by: job.caused_by, ...faultOf(error) },
          'job result not stored',
        ),
      )
      .finally(() => {
        running.delete(active)
        // There is a place for another one, and the next job of the repository may be due.
        wake()
      })
    running.set(active, job)
  }
  while (!stopped.aborted) {
    const woken = wakeup.arm()
    const notUrgent = [...running.values()].filter(({ priority }) => priority >= IMPORT_RANK)
    const lapsed = [...running.values()].filter(({ lapses }) => lapses > 0)
    const places = {
      all: CONCURRENCY - running.size,
      not_urgent: NOT_URGENT_MAX - notUrgent.length,
      lapsed: 1 - lapsed.length,
    }
    const leasing = places.all > 0 ? lease(runner, places) : Promise.resolve([])
    const leased = await leasing.catch((error: unknown) => {
      runner.log.error(faultOf(error), 'job queue not readable')
      return []
    })
    for (const job of leased) start(job)
    if (leased.length === 0) await wait(poll_ms, undefined, { signal: woken }).catch(() => {})
  }
  // If the process ends before its job, the lease expires, but that is no fault of the job.
  const db = runner.database.connection()
  const pardons = [...running.values()].map((job) => changeLease(db, job, { lapses: job.lapses - 1 }))
  await Promise.allSettled([...running.keys(), ...pardons])
}

export class Wakeup {
  #next = new AbortController()

  /** Ends the worker's pause. If the worker is busy, it skips its next pause. */
  wake(): void {
    this.#next.abort()
  }

  /** Aborted by the next `wake`. The worker gets it before it polls, because a job may become runnable during the poll. */
  arm(): AbortSignal {
    this.#next = new AbortController()
    return this.#next.signal
  }
}
