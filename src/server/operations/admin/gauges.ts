/** Collects the gauges that come from the database when `/metrics` is scraped (docs/observability.md). */
import { setTimeout as wait } from 'node:timers/promises'
import { OUTCOMES } from '../../../vocabulary/shown.ts'
import { countJobs, findOldestDue } from '../../jobs/store.ts'
import { faultOf } from '../../platform/db/errors.ts'
import { countLive } from '../../records/live-sets/store.ts'
import type { App } from '../../records/repositories/app.ts'
import { countShown } from '../../tell/store.ts'

/** The minimum time between two queries of the database, however often `/metrics` is scraped. */
const INTERVAL_MS = 15_000
/** How long a scrape waits for the database. The other metrics are shown in any case. */
const TIMEOUT_MS = 3000

/** Returns a function that updates the gauges. It never rejects: gauges that cannot be read are removed. */
export function gaugeCollector(app: App): () => Promise<void> {
  let started_at = Number.NEGATIVE_INFINITY
  let collection: Promise<void> | null = null
  return async () => {
    const now = app.clock()
    if (!collection && Math.abs(now.getTime() - started_at) >= INTERVAL_MS) {
      started_at = now.getTime()
      collection = collect(app, now).finally(() => {
        collection = null
      })
    }
    const isLate = await Promise.race([collection, wait(TIMEOUT_MS, true, { ref: false })])
    if (isLate) app.metrics.database_up.set(0)
  }
}

async function collect({ database, log, metrics }: App, now: Date): Promise<void> {
  const { jobs, oldest_due_job, live_records, pairs, database_up } = metrics
  try {
    const db = database.connection()
    const counts = await countJobs(db, now)
    const oldest = await findOldestDue(db, now)
    const { activities, notables } = await countLive(db)
    const { by_outcome } = await countShown(db)
    jobs.reset()
    for (const { kind, state, count } of counts) jobs.set({ kind, state }, count)
    oldest_due_job.set(oldest ? (now.getTime() - oldest.getTime()) / 1000 : 0)
    live_records.set({ kind: 'activity' }, activities)
    live_records.set({ kind: 'notable' }, notables)
    for (const outcome of OUTCOMES) pairs.set({ outcome }, by_outcome[outcome])
    database_up.set(1)
  } catch (error) {
    log.warn(faultOf(error), 'gauges not collected')
    jobs.reset()
    oldest_due_job.remove()
    live_records.reset()
    pairs.reset()
    database_up.set(0)
  }
}
