/** What is owed and what is alive, read from the database when somebody asks for the metrics (docs/observability.md). */
import { setTimeout as wait } from 'node:timers/promises'
import { countLive } from '../activities/status-store.ts'
import type { App } from '../context/app.ts'
import { faultOf } from '../db/errors.ts'
import { countJobs, findOldestDue } from '../jobs/store.ts'
import { countActive } from '../notables/store.ts'

/** However many ask, the database is asked at most this often. */
const FRESH_MS = 15_000
/** How long those who ask wait for it; the rest of the metrics is theirs in any case. */
const PATIENCE_MS = 3000

/** Answers a function that brings the gauges up to date. It never fails: what cannot be read is left out. */
export function stockReader(app: App): () => Promise<void> {
  let begun_at = Number.NEGATIVE_INFINITY
  let reading: Promise<void> = Promise.resolve()
  let isReading = false
  return async () => {
    const { database_up } = app.metrics
    const now = app.clock()
    if (!isReading && now.getTime() - begun_at >= FRESH_MS) {
      begun_at = now.getTime()
      isReading = true
      reading = readStock(app, now).finally(() => {
        isReading = false
      })
    }
    const isLate = await Promise.race([reading, wait(PATIENCE_MS, true, { ref: false })])
    if (isLate) database_up.set(0)
  }
}

async function readStock({ database, log, metrics }: App, now: Date): Promise<void> {
  const { jobs, oldest_due_job, live_records, database_up } = metrics
  try {
    const db = database.connection()
    const counted = await countJobs(db, now)
    const oldest = await findOldestDue(db, now)
    const activities = await countLive(db, now)
    const notables = await countActive(db, now)
    jobs.reset()
    for (const { kind, state, count } of counted) jobs.set({ kind, state }, count)
    oldest_due_job.set(oldest ? (now.getTime() - oldest.getTime()) / 1000 : 0)
    live_records.set({ kind: 'activity' }, activities)
    live_records.set({ kind: 'notable' }, notables)
    database_up.set(1)
  } catch (error) {
    log.warn(faultOf(error), 'the database could not be asked for metrics')
    jobs.reset()
    oldest_due_job.remove()
    live_records.reset()
    database_up.set(0)
  }
}
