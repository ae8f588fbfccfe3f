/** A burst of deliveries: how fast they are acknowledged and processed. */
import { setTimeout as wait } from 'node:timers/promises'
import { pullRequestEvent, signedDelivery } from '../../../test/support/webhooks.ts'
import { interleaved } from '../measure.ts'
import type { Rig } from '../rig.ts'
import { WEBHOOK_SECRET } from '../rig.ts'

const SENDERS = 16
const TIMEOUT_MS = 120_000
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
  rig.results.add('webhooks.done', `${label}, imported and rechecked`, 'requests/s', per_second('done_s'))
  await service.stop()
}

async function send(url: string, waiting: ReturnType<typeof signedDelivery>[]): Promise<void> {
  for (let delivery = waiting.pop(); delivery; delivery = waiting.pop()) {
    const response = await fetch(`${url}/api/github/webhooks`, { method: 'POST', ...delivery })
    await response.arrayBuffer()
    if (response.status !== 202) throw new Error(`a delivery got status ${response.status}`)
  }
}

/** Waits until no job is due. Jobs scheduled for later do not belong to the burst. */
async function untilDone(rig: Rig): Promise<void> {
  const sql = await rig.sql()
  const until = performance.now() + TIMEOUT_MS
  for (;;) {
    const [due] = await sql<{ count: number }[]>`
      select count(*)::int as count from jobs where state = 'pending' and run_at <= now()`
    if (due?.count === 0) return
    if (performance.now() > until) throw new Error(`${due?.count} jobs of the burst did not complete`)
    await wait(POLL_MS)
  }
}
