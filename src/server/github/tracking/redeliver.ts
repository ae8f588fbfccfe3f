/** Requests redelivery of failed webhook deliveries, which GitHub does not retry by itself. */
import { DAY_MS, later } from '../../../vocabulary/clock.ts'
import { enqueue, type NewJob } from '../../jobs/store.ts'
import { recordEffect } from '../../platform/telemetry/execution.ts'
import type { App } from '../../records/repositories/app.ts'
import type { Installation } from '../github-app.ts'
import {
  deleteRedeliveries,
  listRedeliveries,
  type Redelivery,
  recordRedelivery,
} from './redelivery-store.ts'

/** The kind of job that redelivers failed deliveries. */
export const REDELIVER = 'redeliver'

const EVERY_MS = 600_000
/** GitHub keeps deliveries for three days. */
const KEPT_MS = 3 * DAY_MS
const PAGE = 100
const PAGES_MAX = 50
/** The maximum number of redelivery requests of one run, for the oldest deliveries first. One call each. */
const REQUESTS_MAX = 100
/**
 * The maximum number of redelivery requests per delivery, with exponential backoff: the delivery may be the cause of the
 * failure.
 */
const ATTEMPTS_MAX = 5

/** The job enqueues its next run itself, so that there is one, whatever the number of instances. */
export function redeliverJob(run_at: Date): NewJob {
  return { id: REDELIVER, kind: REDELIVER, priority: 'live', repo_id: 0, owner: '', run_at }
}

/** Requests redelivery of deliveries that no instance accepted. */
export async function redeliverFailed(app: App, now: Date): Promise<void> {
  if (!app.github_app) return
  const db = app.database.connection()
  await enqueue(db, [redeliverJob(later(now, EVERY_MS))], now)
  await deleteRedeliveries(db, later(now, -KEPT_MS))
  const asApp = await app.github_app.probot.auth()
  const failed = await failedDeliveries(asApp, now)
  const guids = failed.map(({ guid }) => guid)
  const again = dueOf(failed, await listRedeliveries(db, guids), now)
  for (const { guid, id } of again) {
    await recordRedelivery(db, guid, now)
    await asApp.rest.apps.redeliverWebhookDelivery({ delivery_id: id })
  }
  recordEffect('redelivered', again.length)
  if (again.length > 0) app.log.info({ redelivered: again.length }, 'redelivery requested')
}

export interface FailedDelivery {
  guid: string
  /** The id of the latest failed attempt. */
  id: number
}

/** The deliveries without a successful attempt, oldest first. */
async function failedDeliveries(asApp: Installation, now: Date): Promise<FailedDelivery[]> {
  const oldest = later(now, -KEPT_MS)
  const delivered = new Set<string>()
  const failed = new Map<string, number>()
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { data, headers } = await asApp.rest.apps.listWebhookDeliveries({
      per_page: PAGE,
      ...(cursor && { cursor }),
    })
    for (const { id, guid, status_code } of data) {
      if (status_code >= 200 && status_code < 300) delivered.add(guid)
      else failed.set(guid, id)
    }
    cursor = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(headers.link ?? '')?.[1]
    const last = data.at(-1)
    if (!cursor || !last || new Date(last.delivered_at) < oldest) break
  }
  return [...failed]
    .filter(([guid]) => !delivered.has(guid))
    .map(([guid, id]) => ({ guid, id }))
    .reverse()
}

/** The failed deliveries that are due for a redelivery request, given the earlier requests. Pure. */
export function dueOf(failed: FailedDelivery[], requests: Redelivery[], now: Date): FailedDelivery[] {
  const before = new Map(requests.map((each) => [each.guid, each]))
  const due = failed.filter(({ guid }) => {
    const last = before.get(guid)
    if (!last) return true
    const wait = EVERY_MS * 2 ** (last.attempts - 1)
    return last.attempts < ATTEMPTS_MAX && later(last.requested_at, wait) <= now
  })
  return due.slice(0, REQUESTS_MAX)
}
