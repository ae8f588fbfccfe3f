/** Posts new conflicts, duplicates and high notables to `NOTIFY_WEBHOOK_URL` (docs/notifications.md). */

import { createHmac } from 'node:crypto'
import { lookup } from 'node:dns'
import { BlockList, isIPv4, type LookupFunction } from 'node:net'
import type { Agent } from 'undici'
import { outlineOf } from '../../engine/records/notable.ts'
import { later } from '../../vocabulary/clock.ts'
import type { JobHandler } from '../jobs/jobs.ts'
import type { Config } from '../platform/config.ts'
import type { NotifySubject, Receiver } from '../records/changes/changes.ts'
import { findNotable } from '../records/notables/store.ts'
import type { App } from '../records/repositories/app.ts'
import { openKnownRepo, type RepoContext } from '../records/repositories/repo.ts'
import { bodyFor, type Notification, notableNotification, pairNotification } from './notification.ts'
import { findPair } from './store.ts'

const TIMEOUT_MS = 5000
/** The maximum of `Retry-After`, with which a receiver limits the rate. */
const WAIT_MAX_S = 3600

/**
 * Posts one notification, unless its pair or notable has ended in the meantime. Throws if the receiver does not accept it;
 * the job retries.
 */
export function postNotification(app: App): JobHandler {
  return async ({ id, repo_id, payload }, now) => {
    const ctx = await openKnownRepo(app, repo_id, now)
    const subject = payload as NotifySubject & { to: Receiver }
    const notification = ctx?.repo.is_notified && (await readNotification(app, ctx, subject))
    const target = ctx && (await targetOf(app.config, ctx.settings.notify_url, subject.to))
    if (!target || !notification) return
    const response = await post(target, id, notification)
    if (response.ok) return
    const wait_s = response.status === 429 ? Number(response.headers.get('retry-after')) : 0
    const retry_at = wait_s > 0 ? later(now, Math.min(wait_s, WAIT_MAX_S) * 1000) : undefined
    throw Object.assign(new Error(`${target.name} answered ${response.status}`), { retry_at })
  }
}

/**
 * The address of a repository gets no signature, and is reached on the internet only: directly, or as a proxy allows. Errors
 * show its name, because the address itself is a secret.
 */
async function targetOf({ notify, proxy }: Config, notify_url: string | null, to: Receiver) {
  if (to === 'service') return notify && { name: 'NOTIFY_WEBHOOK_URL', ...notify, init: {} }
  if (notify_url === null) return null
  const init: object = proxy === null ? { dispatcher: await publicOnly() } : {}
  return { name: 'notify_url', url: notify_url, secret: null, init }
}

async function readNotification(
  { config }: App,
  { db, now, repo }: RepoContext,
  subject: NotifySubject,
): Promise<Notification | undefined> {
  const full_name = `${repo.owner}/${repo.name}`
  if ('pair' in subject) {
    const row = await findPair(db, repo.id, subject.pair)
    const web_url = repo.web_urls[0] as string
    return row?.outcome === 'open' ? pairNotification(row, { full_name, web_url }) : undefined
  }
  const row = await findNotable(db, repo.id, subject.notable_id)
  const page_url = config.public_url && `${config.public_url}/#/${full_name}`
  const applies = row?.status === 'active' && outlineOf(row).ends_at > now.getTime()
  return applies ? notableNotification(row, full_name, page_url) : undefined
}

/** Returns the response; its body is not read. Redirects are not followed, because the address is a secret. */
async function post(
  { url, secret, init }: NonNullable<Awaited<ReturnType<typeof targetOf>>>,
  id: string,
  notification: Notification,
): Promise<Response> {
  const body = JSON.stringify(bodyFor(url, notification))
  const signature = secret && `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const response = await fetch(url, {
    ...init,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'deconflict',
      'X-Deconflict-Event': notification.event,
      // A retry has the same id. It is encoded, because branch names can contain characters that a header cannot.
      'X-Deconflict-Delivery': encodeURIComponent(id),
      ...(signature && { 'X-Deconflict-Signature-256': signature }),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  await response.body?.cancel()
  return response
}

const PRIVATE = {
  ipv4: blockListOf('ipv4', [
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24',
    '192.168.0.0/16 198.18.0.0/15 224.0.0.0/3',
  ]),
  /** All but 2000::/3 is no internet, and neither are the tunnels to IPv4. */
  ipv6: blockListOf('ipv6', ['::/3 4000::/2 8000::/1 2001::/23 2002::/16']),
}

function blockListOf(family: 'ipv4' | 'ipv6', subnets: string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets.join(' ').split(' ')) {
    const [net = '', prefix] = subnet.split('/')
    list.addSubnet(net, Number(prefix), family)
  }
  return list
}

export function isPublic(address: string): boolean {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  return !PRIVATE[family].check(address, family)
}

/** Fails unless all addresses of the name are public. The connection is made to what was looked up. */
export const publicLookup: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, options, (error, found, family) => {
    const all = [found].flat().map((each) => (typeof each === 'string' ? each : each?.address))
    const isRefused = error === null && !all.every(isPublic)
    callback(isRefused ? new Error('the host of notify_url has a private address') : error, found, family)
  })

let only: Agent | undefined

/** For `fetch`. Loaded when it is first needed, because few repositories have an address, and its package is large. */
export async function publicOnly(): Promise<Agent> {
  const { Agent } = await import('undici')
  only ??= new Agent({ connect: { lookup: publicLookup } })
  return only
}
