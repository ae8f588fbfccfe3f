/** What is being done, and for whom: the ids that join log lines, and what a job did (docs/observability.md). */
import { AsyncLocalStorage } from 'node:async_hooks'

/** What every line in the log carries that is written meanwhile. */
export interface WorkIds {
  request_id?: string
  /** Of the delivery that the request brings: GitHub's `X-GitHub-Delivery`. */
  delivery?: string
  job?: string
  /** The deliveries and requests that the job was asked for by. */
  caused_by?: string[]
}

/** What a job may do to records and at GitHub; the labels of a metric. */
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

export interface Work {
  ids: WorkIds
  effects: Partial<Record<Effect, number>>
}

const current = new AsyncLocalStorage<Work>()

export function newWork(ids: WorkIds): Work {
  return { ids, effects: {} }
}

/** Runs `act`; all that it sets in motion, however deep, counts as this work. */
export function during<Result>(work: Work, act: () => Result): Result {
  return current.run(work, act)
}

/** The ids of what is being done, in an object of the caller's own. */
export function idsNow(): WorkIds {
  return { ...current.getStore()?.ids }
}

/** Notes that the request being served brings this delivery. */
export function bringsDelivery(id: string): void {
  const work = current.getStore()
  if (work) work.ids.delivery = id
}

/** Why what is being done is done; it is stored with the jobs that are asked for meanwhile. */
export function causesNow(): string[] {
  const { request_id, delivery, caused_by } = current.getStore()?.ids ?? {}
  if (caused_by) return caused_by
  const cause = delivery ?? request_id
  return cause === undefined ? [] : [cause]
}

/** Notes an effect of what is being done: whoever runs it tells the log and the metrics. */
export function did(effect: Effect, times = 1): void {
  const work = current.getStore()
  if (work && times > 0) work.effects[effect] = (work.effects[effect] ?? 0) + times
}
