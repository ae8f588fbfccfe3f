/** Runs jobs: leased, retried with backoff and jitter, given up in the end, and never lost (contract §5: deliveries). */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, later } from '../base/clock.ts'
import type { Database } from '../db/connect.ts'
import { faultOf } from '../db/errors.ts'
import { refusalOf } from '../github/octokit.ts'
import { claim, renew, settle } from './store.ts'
import type { JobRow } from './table.ts'

/** A worker that dies holds its job for this long. */
const LEASE_MS = 120_000
const ATTEMPTS_MAX = 12
const FIRST_DELAY_MS = 2000
const DELAY_MAX_MS = 3_600_000
/** Jobs that one instance runs at the same time, each of another repository. */
const CONCURRENCY = 4
/** How often an idle worker looks. */
const IDLE_MS = 500

/** Carries out one job of a kind. It may run more than once, and has to bear that. */
export type JobHandler = (job: JobRow, now: Date) => Promise<void>

/** Thrown by a handler to be run again at `at`: a wait that somebody asked for is no failed attempt. */
export class NotBefore extends Error {
  readonly at: Date

  constructor(at: Date) {
    super('not before a given instant')
    this.at = at
  }
}

export interface JobRunner {
  database: Database
  clock: Clock
  log: Logger
  handlers: Record<string, JobHandler>
}

/** Runs one job that is due, if there is one, to its end. Answers whether there was. */
export async function runNext(runner: JobRunner): Promise<boolean> {
  const job = await take(runner)
  if (job) await carryOut(runner, job)
  return job !== undefined
}

function take({ database, clock }: JobRunner): Promise<JobRow | undefined> {
  const now = clock()
  return claim(database.connection(), now, later(now, LEASE_MS))
}

async function carryOut(runner: JobRunner, job: JobRow): Promise<void> {
  const { database, clock, log, handlers } = runner
  const db = database.connection()
  const handler = handlers[job.kind]
  const renewing = keepLease(runner, job)
  try {
    // Every attempt ended the process before it could be settled: the job may be what ends it.
    if (job.attempts > ATTEMPTS_MAX) throw new Error('no attempt came to an end')
    if (!handler) throw new Error(`no handler for jobs of kind ${job.kind}`)
    await handler(job, clock())
    await settle(db, job, { state: 'done', last_error: null, now: clock() })
  } catch (thrown) {
    const now = clock()
    const error = rootOf(thrown)
    const run_at = waitOf(error, now)
    if (run_at) {
      await settle(db, job, { state: 'pending', run_at, attempts: 0, last_error: null, now })
      return
    }
    const fault = faultOf(error)
    const isLast = job.attempts >= ATTEMPTS_MAX
    log.error(
      { job: job.id, attempts: job.attempts, ...fault },
      isLast ? 'a job was given up' : 'a job failed',
    )
    await settle(db, job, {
      state: isLast ? 'dead' : 'pending',
      run_at: later(now, delayOf(job.attempts)),
      last_error: fault.stack ?? `${fault.fault} ${fault.code}`,
      now,
    })
  } finally {
    clearInterval(renewing)
  }
}

/** Renews the lease of a job while it runs; a run that lost it all the same settles nothing. */
function keepLease({ database, clock, log }: JobRunner, job: JobRow): NodeJS.Timeout {
  return setInterval(() => {
    const until = later(clock(), LEASE_MS)
    renew(database.connection(), job, until).then(
      (isOurs) => {
        if (isOurs) job.leased_until = until
      },
      (error) => log.error({ job: job.id, ...faultOf(error) }, 'a lease could not be renewed'),
    )
  }, LEASE_MS / 3)
}

/** Milliseconds before the next attempt: doubled each time, a random half of it left out so that failures do not march in step. */
function delayOf(attempts: number): number {
  const full = Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** (attempts - 1))
  return full / 2 + (Math.random() * full) / 2
}

/** Until when somebody asked to wait: a handler, or GitHub, whichever of its limits was met. Undefined for a failure. */
function waitOf(error: unknown, now: Date): Date | undefined {
  if (error instanceof NotBefore) return error.at
  const refusal = refusalOf(error, now)
  return refusal.kind === 'rate_limited' ? later(now, refusal.retry_after * 1000) : undefined
}

/** Webhook handlers throw their errors in a bundle. */
function rootOf(error: unknown): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error
}

/** Runs jobs until `signal` is aborted; what runs then is finished first. */
export async function runUntil(runner: JobRunner, signal: AbortSignal): Promise<void> {
  const running = new Set<Promise<void>>()
  while (!signal.aborted) {
    const job = await take(runner).catch((error: unknown) => {
      runner.log.error(faultOf(error), 'jobs cannot be read')
      return undefined
    })
    if (!job) {
      await wait(IDLE_MS, undefined, { signal }).catch(() => {})
      continue
    }
    const run = carryOut(runner, job)
      // The lease runs out, and the job is taken again.
      .catch((error: unknown) =>
        runner.log.error({ job: job.id, ...faultOf(error) }, 'a job could not be settled'),
      )
      .finally(() => running.delete(run))
    running.add(run)
    if (running.size >= CONCURRENCY) await Promise.race(running)
  }
  await Promise.all(running)
}
