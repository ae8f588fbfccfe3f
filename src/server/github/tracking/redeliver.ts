/** Requests redelivery of failed webhook deliveries, which GitHub does not retry by itself. */
import { DAY_MS, later } from '../../../vocabulary/clock.ts'
import { enqueue, periodicJob } from '../../jobs/store.ts'
import { recordEffect } from '../../platform/telemetry/execution.ts'
import type { App } from '../../records/repositories/app.ts'
import { statusOf } from '../client.ts'
import type { Installation } from '../github-app.ts'

/** The kind of job that redelivers failed deliveries. */
export const REDELIVER = 'redeliver'

const EVERY_MS = 600_000
/** GitHub keeps deliveries for three days. */
const KEPT_MS = 3 * DAY_MS
const PAGE = 100
/** The maximum number of attempts that one run reads. */
const READ_MAX = 5000
/** The maximum number of redelivery requests of one run, for the oldest deliveries first. One call each. */
const REQUESTS_MAX = 100
/** The maximum number of requests per delivery, with exponential backoff: it may be the cause of the failure. */
const REQUESTED_MAX = 5

/** Requests redelivery of deliveries that no instance accepted. */
export async function redeliverFailed(app: App, now: Date): Promise<void> {
  if (!app.github_app) return
  const db = app.database.connection()
  await enqueue(db, [periodicJob(REDELIVER, later(now, EVERY_MS))], now)
  const asApp = await app.github_app.probot.auth()
  let redelivered = 0
  for (const delivery_id of dueOf(await recentAttempts(asApp, now), now)) {
    const asked = asApp.rest.apps.redeliverWebhookDelivery({ delivery_id })
    if (await asked.catch(undefinedIfRefused)) redelivered += 1
  }
  recordEffect('redelivered', redelivered)
  if (redelivered > 0) app.log.info({ redelivered }, 'redelivery requested')
}

/** GitHub refuses what it cannot deliver again, such as a delivery that it keeps no more. The others are requested all the same. */
function undefinedIfRefused(error: unknown): undefined {
  if (![400, 404, 422].includes(statusOf(error) ?? 0)) throw error
}

/** An attempt at a delivery. Those of one delivery have the same guid. */
export interface Attempt {
  id: number
  guid: string
  status_code: number
  delivered_at: string
}

/** What GitHub lists, the newest first: also the attempts that were requested here. */
async function recentAttempts(asApp: Installation, now: Date): Promise<Attempt[]> {
  const oldest = later(now, -KEPT_MS)
  const attempts: Attempt[] = []
  const pages = asApp.paginate.iterator(asApp.rest.apps.listWebhookDeliveries, { per_page: PAGE })
  for await (const { data } of pages) {
    attempts.push(...data)
    const last = data.at(-1)
    if (!last || new Date(last.delivered_at) < oldest || attempts.length >= READ_MAX) break
  }
  return attempts
}

/** The ids of the deliveries that are due for a redelivery request, the oldest first. `attempts`: the newest first. Pure. */
export function dueOf(attempts: Attempt[], now: Date): number[] {
  const isDelivered = ({ status_code }: Attempt) => status_code >= 200 && status_code < 300
  const delivered = new Set(attempts.filter(isDelivered).map(({ guid }) => guid))
  const failed = new Map<string, { id: number; last_at: Date; made: number }>()
  for (const { id, guid, delivered_at } of attempts) {
    if (delivered.has(guid)) continue
    const known = failed.get(guid)
    failed.set(guid, { last_at: new Date(delivered_at), ...known, id, made: (known?.made ?? 0) + 1 })
  }
  const due = [...failed.values()].reverse().filter(({ last_at, made }) => {
    if (made === 1) return true
    return made <= REQUESTED_MAX && later(last_at, EVERY_MS * 2 ** (made - 2)) <= now
  })
  return due.slice(0, REQUESTS_MAX).map(({ id }) => id)
}
