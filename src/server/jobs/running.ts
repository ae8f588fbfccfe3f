/** The job that runs. What it enqueues inherits its place in the queue. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { JobRow } from './table.ts'

/** `write_at`: the time that is reserved for its next write to GitHub, or for the calls of an import; null if none is. */
export type RunningJob = Pick<JobRow, 'priority' | 'run_at' | 'write_at'>

const current = new AsyncLocalStorage<RunningJob>()

/** Calls `run`. Everything that it calls or starts belongs to the job. */
export function runAsJob<Result>(job: JobRow, run: () => Result): Result {
  const { priority, run_at, write_at } = job
  return current.run({ priority, run_at, write_at }, run)
}

/** The job that runs; undefined outside of jobs. */
export function runningJob(): RunningJob | undefined {
  return current.getStore()
}
