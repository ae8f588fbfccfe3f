/** Forwards webhooks from a smee channel, for a machine that GitHub cannot reach (Probot's `WEBHOOK_PROXY_URL`). */
import { z } from 'zod'
import { faultOf } from '../../platform/db/errors.ts'
import type { App } from '../../records/repositories/app.ts'

const FORWARD_TIMEOUT_MS = 30_000

/** What a channel sends for each delivery: the headers, with names in lower case, and the JSON body. */
const Delivery = z.object({
  body: z.looseObject({}),
  'x-github-delivery': z.string(),
  'x-github-event': z.string(),
  'x-hub-signature-256': z.string(),
})

/**
 * Listens on the channel and posts what arrives to `target`, which verifies it like any delivery. The library reconnects when
 * the connection is lost; the reconciliation catches up with what was sent meanwhile. Returns a function that stops it.
 */
export async function forwardChannel(
  { log }: Pick<App, 'log'>,
  { channel, target }: { channel: string; target: string },
): Promise<() => void> {
  const { EventSource } = await import('eventsource')
  const source = new EventSource(channel)
  source.addEventListener('open', () => log.info('webhook channel connected'))
  source.addEventListener('error', ({ code }) => log.warn({ status: code }, 'webhook channel lost'))
  source.addEventListener('message', ({ data }) => {
    forward(data, target).then(
      (status) => log.info({ status }, 'webhook forwarded'),
      (error) => log.error(faultOf(error), 'webhook not forwarded'),
    )
  })
  return () => source.close()
}

/** Posts a delivery and returns the HTTP status. The signature stays valid, because GitHub signs compact JSON as `JSON.stringify` writes it. */
async function forward(data: string, target: string): Promise<number> {
  const { body, ...headers } = Delivery.parse(JSON.parse(data))
  const response = await fetch(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
  })
  await response.arrayBuffer()
  return response.status
}
