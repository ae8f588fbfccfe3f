/** Makes up for deliveries that never came: GitHub does not send failed ones again by itself (issue: reconciliation). */
import { later } from '../base/clock.ts'
import type { App } from '../context/app.ts'
import type { Installation } from '../github/app.ts'
import { ask, type NewJob } from '../jobs/store.ts'
import { recordEffect } from '../telemetry/execution.ts'
import { deleteRedeliveries, listRedeliveries, noteRedelivery, type Redelivery } from './redelivery-store.ts'

/** The kind of job that looks for failed deliveries. */
export const REDELIVER = 'redeliver'

const EVERY_MS = 600_000
/** GitHub keeps deliveries for three days. */
const KEPT_MS = 3 * 86_400_000
const PAGE = 100
const PAGES_MAX = 50
/** Deliveries that one run asks for at most, each one call; the oldest first. */
const ASKED_MAX = 100
/** One delivery is asked for this often at most, with twice the wait each time: it may be what cannot be taken. */
const ATTEMPTS_MAX = 5

/** The job asks for itself again, so that there is one however many instances run. */
export function redeliverJob(run_at: Date): NewJob {
  return { id: REDELIVER, kind: REDELIVER, repo_id: 0, run_at }
}

/** Has GitHub send again what no instance has taken. Answers how many deliveries that were. */
export async function redeliverFailed(app: App, now: Date): Promise<number> {
  if (!app.github_app) return 0
  const db = app.database.connection()
  await ask(db, [redeliverJob(later(now, EVERY_MS))], now)
  await deleteRedeliveries(db, later(now, -KEPT_MS))
  const asApp = await app.github_app.probot.auth()
  const failed = await failedDeliveries(asApp, now)
  const guids = failed.map(({ guid }) => guid)
  const again = dueOf(failed, await listRedeliveries(db, guids), now)
  for (const { guid, id } of again) {
    await noteRedelivery(db, guid, now)
    await asApp.rest.apps.redeliverWebhookDelivery({ delivery_id: id })
  }
  recordEffect('redelivered', again.length)
  return again.length
}

export interface Failed {
  guid: string
  /** Of the attempt that is asked to be repeated. */
  id: number
}

/** The deliveries of which no attempt got through, the oldest first. */
async function failedDeliveries(asApp: Installation, now: Date): Promise<Failed[]> {
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

/** Those of `failed` that may be asked for at `now`, as often as they were `asked` for before. Pure. */
export function dueOf(failed: Failed[], asked: Redelivery[], now: Date): Failed[] {
  const before = new Map(asked.map((each) => [each.guid, each]))
  const due = failed.filter(({ guid }) => {
    const last = before.get(guid)
    if (!last) return true
    const wait = EVERY_MS * 2 ** (last.attempts - 1)
    return last.attempts < ATTEMPTS_MAX && later(last.asked_at, wait) <= now
  })
  return due.slice(0, ASKED_MAX)
}
