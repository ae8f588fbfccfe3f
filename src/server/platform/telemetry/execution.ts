/** The execution context of a request or job: correlation ids for its log lines, and counts of its effects (docs/observability.md). */
import { AsyncLocalStorage } from 'node:async_hooks'

/** Fields of every log line that is written during the execution. */
export interface CorrelationIds {
  request_id?: string
  /** `X-GitHub-Delivery`, when the request is a webhook delivery. */
  delivery?: string
  job?: string
  /** The deliveries and requests that enqueued the job. */
  caused_by?: string[]
}

/** Labels of the metric `deconflict_effects_total`. */
export const EFFECTS = [
  'tracked',
  'over_limit',
  'linked',
  'refreshed',
  'kept_alive',
  'archived',
  'commented',
  'comment_edited',
  'check_run_reported',
  'repository_left',
  'redelivered',
] as const

export type Effect = (typeof EFFECTS)[number]

/** The job that runs. What it enqueues inherits its place in the queue. */
export interface RunningJob {
  priority: number
  run_at: Date
  /** Counted from 1. */
  attempts: number
  /** The time that is reserved for its next write to GitHub, or for the calls of an import; null if none is. */
  write_at: Date | null
  /** Its calls to GitHub are booked as those of an import. */
  has_booked?: boolean
}

export interface Execution {
  ids: CorrelationIds
  effects: Partial<Record<Effect, number>>
  job?: RunningJob
}

const current = new AsyncLocalStorage<Execution>()

/** Calls `run`. Everything that it calls or starts belongs to the execution. */
export function runInExecution<Result>(execution: Execution, run: () => Result): Result {
  return current.run(execution, run)
}

/** Undefined outside of jobs. */
export function runningJob(): RunningJob | undefined {
  return current.getStore()?.job
}

/** A copy of the ids of the current execution. */
export function correlationIds(): CorrelationIds {
  return { ...current.getStore()?.ids }
}

/** Marks the current request as the webhook delivery `id`. */
export function setDeliveryId(id: string): void {
  const execution = current.getStore()
  if (execution) execution.ids.delivery = id
}

/** What caused the current execution. Stored with the jobs that it enqueues. */
export function currentCauses(): string[] {
  const { request_id, delivery, caused_by } = current.getStore()?.ids ?? {}
  if (caused_by) return caused_by
  const cause = delivery ?? request_id
  return cause === undefined ? [] : [cause]
}

/** Counts an effect of the current execution. The worker adds the counts to the log line and the metrics of the job. */
export function recordEffect(effect: Effect, times = 1): void {
  const execution = current.getStore()
  if (execution && times > 0) execution.effects[effect] = (execution.effects[effect] ?? 0) + times
}
