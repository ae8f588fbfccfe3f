/** A burst of deliveries: how fast they are acknowledged, and how long until all is done. */
import { setTimeout as wait } from 'node:timers/promises'
import { pullRequestEvent, signedDelivery } from '../../../test/support/webhooks.ts'
import { interleaved } from '../measure.ts'
import type { Rig } from '../rig.ts'
import { WEBHOOK_SECRET } from '../rig.ts'

const SENDERS = 16
const DONE_MS = 120_000
const POLL_MS = 50

export async function webhooksPart(rig: Rig): Promise<void> {
  const { github } = await rig.github()
  const service = await rig.startService({
    DATABASE_URL: await rig.database(),
    APP_ID: String(github.app.id),
    PRIVATE_KEY: github.app.key().replaceAll('\n', '\\n'),
    WEBHOOK_SECRET,
  })
  const { deliveries, rounds } = rig.options.sizes
  let number = 0
  const burst = async () => {
    const waiting = Array.from({ length: deliveries }, (_, at) => {
      const repository = `acme/${rig.names.webhooks[at % rig.names.webhooks.length]}`
      const head = `pull-${++number}`
      const files = [`src/part-${number}.ts`]
      const opened = github.at(repository).open({ title: `Change ${number}`, head, files })
      return signedDelivery({
        secret: WEBHOOK_SECRET,
        ...pullRequestEvent(github, repository, opened.number, 'opened'),
      })
    })
    const started = performance.now()
    await Promise.all(Array.from({ length: SENDERS }, () => send(service.url, waiting)))
    const acknowledged_s = (performance.now() - started) / 1000
    await untilDone(rig)
    return { acknowledged_s, done_s: (performance.now() - started) / 1000 }
  }
  const { burst: all } = await interleaved(Math.min(rounds, 3), { burst })
  const per_second = (what: 'acknowledged_s' | 'done_s') => all.map((figure) => deliveries / figure[what])
  const label = `burst of ${deliveries} opened pull requests`
  rig.results.add(
    'webhooks.acknowledged',
    `${label}, acknowledged`,
    'requests/s',
    per_second('acknowledged_s'),
  )
  rig.results.add('webhooks.done', `${label}, taken in and looked at`, 'requests/s', per_second('done_s'))
  await service.stop()
}

async function send(url: string, waiting: ReturnType<typeof signedDelivery>[]): Promise<void> {
  for (let delivery = waiting.pop(); delivery; delivery = waiting.pop()) {
    const response = await fetch(`${url}/api/github/webhooks`, { method: 'POST', ...delivery })
    await response.arrayBuffer()
    if (response.status !== 202) throw new Error(`a delivery was answered with ${response.status}`)
  }
}

/** Until no job is due any more; those that wait for their hour are none of the burst's. */
async function untilDone(rig: Rig): Promise<void> {
  const sql = await rig.sql()
  const until = performance.now() + DONE_MS
  for (;;) {
    const [due] = await sql<{ count: number }[]>`
      select count(*)::int as count from jobs where state = 'pending' and run_at <= now()`
    if (due?.count === 0) return
    if (performance.now() > until) throw new Error(`${due?.count} jobs of the burst are not done`)
    await wait(POLL_MS)
  }
}
