/** Webhooks from the smee channel of WEBHOOK_PROXY_URL, for a machine that GitHub cannot reach. */
import { createServer, type ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { startAppService, WEBHOOK_SECRET } from '../support/app-service.ts'
import { listen } from '../support/listen.ts'
import { useGithub } from '../support/service.ts'
import { useStarted } from '../support/use-started.ts'
import { pullRequestEvent, signedDelivery } from '../support/webhooks.ts'

const github = useGithub()
github.app.install({ repositories: ['acme/shop'] })
/** The open connections to the channel. */
const readers: ServerResponse[] = []
const server = createServer((_req, res) => {
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  // The library waits this long before it connects again.
  res.write('retry: 50\nevent: ready\ndata: {}\n\n')
  readers.push(res)
})
const smee = useStarted(
  () => listen(server),
  ({ close }) => close(),
)
const service = useStarted(
  () => startAppService(github, { config: { webhook_proxy_url: `${smee.url}/channel` } }),
  (started) => started.close(),
)

/** Sends a delivery as smee does: its headers and its parsed body in one object. */
async function send(title: string, secret = WEBHOOK_SECRET): Promise<void> {
  await expect.poll(() => readers.length).toBe(1)
  const { number } = github.at('acme/shop').open({ title, files: ['src/a.ts'] })
  const { headers, body } = signedDelivery({
    secret,
    ...pullRequestEvent(github, 'acme/shop', number, 'opened'),
  })
  const lowered = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const data = JSON.stringify({
    ...lowered,
    host: 'smee.io',
    body: JSON.parse(body),
    query: {},
    timestamp: 1,
  })
  readers[0]?.write(`id: 1\ndata: ${data}\n\n`)
}

const deliveries = async () => (await service.jobs('delivery')).length
const statuses = () =>
  service.log
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'webhook forwarded')
    .map(({ status }) => status)

test('webhooks from the channel are accepted, and verified like any other', async () => {
  await send('Ünïcode “title”')
  await expect.poll(statuses).toEqual([202])
  expect(await deliveries()).toBe(1)
  await send('forged', 'guess')
  await expect.poll(statuses).toEqual([202, 401])
  expect(await deliveries()).toBe(1)
})

test('webhooks arrive after the connection was lost', async () => {
  const before = statuses().length
  for (const reader of readers.splice(0)) reader.end()
  await send('later')
  await expect.poll(() => statuses().length).toBe(before + 1)
})

test('webhooks that are malformed are logged and skipped', async () => {
  readers[0]?.write('data: {"body": 1}\n\ndata: nonsense\n\n')
  const failed = () => service.log.filter((line) => line.includes('webhook not forwarded')).length
  await expect.poll(failed).toBe(2)
  const before = statuses().length
  await send('after it')
  await expect.poll(() => statuses().length).toBe(before + 1)
})
