/** Runs jobs: leased, retried with backoff and jitter, given up in the end, and never lost (contract §5: deliveries). */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, later, stopwatch } from '../base/clock.ts'
import type { Database } from '../db/connect.ts'
import { faultOf } from '../db/errors.ts'
import { classifyError } from '../github/octokit.ts'
import { type Execution, newExecution, runInExecution } from '../telemetry/execution.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { inSpan, markFailed } from '../telemetry/trace.ts'
import { claim, renew, settle } from './store.ts'
import type { JobRow } from './table.ts'

/** A worker that dies holds its job, and the repository's others, for this long; one that lives renews it in time. */
const LEASE_MS = 30_000
const ATTEMPTS_MAX = 12
const FIRST_DELAY_MS = 2000
const DELAY_MAX_MS = 3_600_000
/** Jobs that one instance runs at the same time, each of another repository. */
const CONCURRENCY = 4
/** How long an idle worker waits before it asks for a job again. */
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
  metrics: Metrics
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

/** How a run ended: `failed` is tried again, `given_up` is not. */
interface Ended {
  outcome: 'done' | 'put_off' | 'failed' | 'given_up'
  fault?: ReturnType<typeof faultOf>
  /** What is to be stored; undefined when it is already. */
  left?: Parameters<typeof settle>[2]
}

/** Runs a claimed job, and tells the log, the metrics and the trace what it did and how it ended. */
function carryOut(runner: JobRunner, job: JobRow): Promise<void> {
  const { id, kind, caused_by, traceparent } = job
  const execution = newExecution({ job: id, caused_by })
  const attributes = { 'deconflict.job': id, 'deconflict.caused_by': caused_by }
  return runInExecution(execution, () =>
    inSpan(`job ${kind}`, { kind: 'consumer', attributes, caused_by: traceparent }, async (span) => {
      const elapsed = stopwatch()
      const renewing = keepLease(runner, job)
      try {
        const ended = await attempt(runner, job)
        if (ended.fault) markFailed(span, ended.fault.fault)
        tell(runner, job, { ...ended, did: execution.effects, ms: elapsed() })
        if (ended.left) await settle(runner.database.connection(), job, ended.left)
      } finally {
        clearInterval(renewing)
      }
    }),
  )
}

async function attempt({ database, clock, handlers }: JobRunner, job: JobRow): Promise<Ended> {
  const handler = handlers[job.kind]
  try {
    // Every attempt ended the process before it could be settled: the job may be what ends it.
    if (job.attempts > ATTEMPTS_MAX) throw new Error('no attempt came to an end')
    if (!handler) throw new Error(`no handler for jobs of kind ${job.kind}`)
    await handler(job, clock())
    await settle(database.connection(), job, { state: 'done', last_error: null, now: clock() })
    return { outcome: 'done' }
  } catch (thrown) {
    const now = clock()
    const error = rootOf(thrown)
    const run_at = waitOf(error, now)
    if (run_at)
      return { outcome: 'put_off', left: { state: 'pending', run_at, attempts: 0, last_error: null, now } }
    const fault = faultOf(error)
    const isLast = job.attempts >= ATTEMPTS_MAX
    const left = {
      state: isLast ? ('dead' as const) : ('pending' as const),
      run_at: later(now, delayOf(job.attempts)),
      last_error: fault.stack ?? `${fault.fault} ${fault.code}`,
      now,
    }
    return { outcome: isLast ? 'given_up' : 'failed', fault, left }
  }
}

/** One line for each run, and what it counts for. */
function tell(
  { log, metrics }: JobRunner,
  { kind, attempts }: JobRow,
  { outcome, fault, did, ms }: Ended & { did: Execution['effects']; ms: number },
): void {
  metrics.job_runs.observe({ kind, outcome }, ms / 1000)
  for (const [effect, times] of Object.entries(did)) metrics.effects.inc({ effect }, times)
  const fields = { kind, outcome, did, attempts, ms: Math.round(ms), ...fault }
  if (fault) log.error(fields, outcome === 'given_up' ? 'a job was given up' : 'a job failed')
  else log.info(fields, 'job')
}

/** Renews the lease of a job while it runs. */
function keepLease({ database, clock, log }: JobRunner, job: JobRow): NodeJS.Timeout {
  return setInterval(() => {
    renew(database.connection(), job, later(clock(), LEASE_MS)).catch((error) =>
      log.error({ job: job.id, ...faultOf(error) }, 'lease not renewed'),
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
  const refusal = classifyError(error, now)
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
      // What ends may free the next of its repository.
      await idle(running, signal)
      continue
    }
    const run = carryOut(runner, job)
      // The lease runs out, and the job is taken again.
      .catch((error: unknown) =>
        runner.log.error(
          { job: job.id, caused_by: job.caused_by, ...faultOf(error) },
          'a job could not be settled',
        ),
      )
      .finally(() => running.delete(run))
    running.add(run)
    if (running.size >= CONCURRENCY) await Promise.race(running)
  }
  await Promise.all(running)
}

/** Waits for the first to end, a while at most. Nothing of it stays on `signal`, which lives as long as the process. */
async function idle(running: Iterable<Promise<void>>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const pause = new AbortController()
  const stop = () => pause.abort()
  signal.addEventListener('abort', stop)
  await Promise.race([wait(IDLE_MS, undefined, { signal: pause.signal }).catch(() => {}), ...running])
  signal.removeEventListener('abort', stop)
  stop()
}
