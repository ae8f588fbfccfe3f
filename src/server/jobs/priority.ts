/** Which jobs run first (docs/contract/organisations.md#queue). Pure. */

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

/**
 * The steps of the import of a repository: its pull requests, the records that they changed, the rechecks of all that these
 * affect. A job with a step waits for jobs of its repository with an earlier one. 0: the job is not part of an import.
 */
const STEPS: Record<Priority, number> = { import: 1, live: 2, recheck: 3, reconcile: 0 }

/** The place of a job in the queue. */
export interface Place {
  priority: number
  step: number
  run_at: Date
}

/**
 * The place of a job that is enqueued at `now`, while the job `cause` runs. It is due since its cause is: so what a delivery or an import
 * causes is completed before what came later. What an import causes is also no more urgent than the import. A job for later
 * keeps its own place.
 */
export function placeOf(
  { priority, run_at }: { priority: Priority; run_at: Date },
  cause: Pick<Place, 'priority' | 'run_at'> | undefined,
  now: Date,
): Place {
  const own = rankOf(priority)
  const isForLater = run_at > now || cause === undefined
  const rank = isForLater || cause.priority < IMPORT_RANK ? own : Math.max(own, cause.priority)
  return {
    priority: rank,
    step: rank >= IMPORT_RANK ? STEPS[priority] : 0,
    run_at: isForLater ? run_at : new Date(cause.run_at.getTime() - (now.getTime() - run_at.getTime())),
  }
}
