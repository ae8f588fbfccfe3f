/** GitHub slow, down, rate-limiting, cut off or sending nonsense: never a 500, never access granted, and jobs wait for it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, apiAt } from '../support/api.ts'
import { type Listening, listen } from '../support/listen.ts'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { countRequests } from '../support/request-counts.ts'
import { useDatabase, useDeployment } from '../support/use-deployment.ts'
import { pullRequestEvent } from '../support/webhooks.ts'

type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => void

const database = useDatabase()
const fixture = useDeployment()
/** A proxy between the service and the fake GitHub, which forwards requests until a fault is set. */
const front = createServer({ keepAliveTimeout: 0 }, (request, response) => void answer(request, response))
let misbehave: Misbehaviour | undefined
/** A host that the fault redirects to, and the headers of the requests that it received. */
let elsewhere: Listening
const askedElsewhere: IncomingMessage['headers'][] = []
let service: ServiceProcess

const aYes = JSON.stringify({ id: 1, name: 'shop', owner: { login: 'acme' }, permissions: { push: true } })

beforeAll(async () => {
  elsewhere = await listen(
    createServer(({ headers }, response) => {
      askedElsewhere.push(headers)
      response.setHeader('content-type', 'application/json').end(aYes)
    }),
  )
  service = await startProcess({
    ...fixture.app_env,
    DATABASE_URL: database.database_url,
    GITHUB_API_URL: (await listen(front)).url,
    PERMISSION_TTL_MS: '0',
  })
})
afterAll(async () => {
  await service.kill('SIGTERM')
  front.close()
  front.closeAllConnections()
  await elsewhere.close()
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (misbehave) return misbehave(request, response)
  const { method = 'GET', url = '/' } = request
  const { host: _, connection: __, ...headers } = request.headers as Record<string, string>
  const body = await text(request)
  const passed = await fetch(fixture.url + url, {
    method,
    headers,
    redirect: 'manual',
    ...(body && { body }),
  })
  const { 'transfer-encoding': ___, ...given } = Object.fromEntries(passed.headers)
  response.writeHead(passed.status, given).end(Buffer.from(await passed.arrayBuffer()))
}

const says =
  (status: number, headers: Record<string, string>, body = ''): Misbehaviour =>
  (_request, response) =>
    response.writeHead(status, headers).end(body)
const json = { 'content-type': 'application/json' }
const limited = { ...json, 'retry-after': '1', 'x-ratelimit-remaining': '0' }

/** Recently admitted callers are served, others are not. */
const AWAY: Record<string, Misbehaviour> = {
  'does not answer for longer than 5 s': () => {},
  'resets connections': (request) => request.socket.resetAndDestroy(),
  'cuts off its responses': (_, response) =>
    response.writeHead(200, { ...json, 'content-length': '9999' }).write('{'),
  'answers 500': says(500, json, '{"message":"Server Error"}'),
  'answers 502 with a page': says(502, { 'content-type': 'text/html' }, '<h1>Whoa there!</h1>'),
  'answers 200 with a page': says(200, { 'content-type': 'text/html' }, '<h1>Maintenance</h1>'),
  'answers 200 with half a JSON text': says(200, json, '{"id": 1, "permi'),
  'answers 200 with wrong types': says(200, json, aYes.replace('1', '"1"')),
  'answers 200 with a list': says(200, json, `[${aYes}]`),
  'answers 200 with nothing': says(200, json),
  'answers 300 without a Location': says(300, json, aYes),
  'redirects to another host that grants access': (_, response) =>
    says(302, { location: `${elsewhere.url}/` })(_, response),
  'redirects in a loop': (request, response) =>
    says(302, { location: request.url ?? '/' })(request, response),
  'sends an endless response': (_, response) => endless(response.writeHead(200, json)),
}
/** Nobody is served. */
const LIMITS: Record<string, Misbehaviour> = {
  'limits the rate with 429': says(429, limited, '{}'),
  'limits the rate with 403': says(403, limited, '{}'),
}
const MISBEHAVIOURS = Object.entries({ ...AWAY, ...LIMITS })

function endless(response: ServerResponse): void {
  const spaces = Buffer.alloc(256 * 1024, ' ')
  const more = () => {
    while (!response.destroyed && response.write(spaces));
  }
  response.on('drain', more)
  more()
}

test('with GitHub failing in any way, recently accepted callers are served, others rejected, and nothing is lost', async () => {
  const counts = countRequests(`GitHub unavailable in ${MISBEHAVIOURS.length} ways`, '2 callers for each')
  const permissions = { 'acme/shop': 'write' as const }
  const apis = MISBEHAVIOURS.map((_, index) => {
    for (const who of ['known', 'unknown'])
      fixture.github.token(`${who}-${index}`, { login: who, id: 50 + index, permissions })
    return [apiAt(service.url, `known-${index}`), apiAt(service.url, `unknown-${index}`)] as [Api, Api]
  })
  const create = async (api: Api, title: string) => {
    const body = { title, summary: 'Retries twice.', actor: 'Ada' }
    const { status } = await api('POST', '/activity', { body })
    counts.record(status, title)
    return status
  }
  for (const [index, [known]] of apis.entries()) expect(await create(known, `before-${index}`)).toBe(201)
  const outcomes: Record<string, number[]> = {}
  for (const [index, [name, how]] of MISBEHAVIOURS.entries()) {
    misbehave = how
    const callers = apis[index] as [Api, Api]
    outcomes[name] = await Promise.all(callers.map((api, who) => create(api, `during-${index}-${who}`)))
    front.closeAllConnections()
  }
  misbehave = undefined
  const expected = MISBEHAVIOURS.map(([name]) => [name, name in AWAY ? [201, 503] : [429, 429]])
  expect(outcomes).toEqual(Object.fromEntries(expected))
  for (const { authorization } of askedElsewhere) expect(authorization).toBeUndefined()
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  for (const [index, [, unknown]] of apis.entries())
    await expect.poll(() => create(unknown, `after-${index}`), { interval: 300 }).toBe(201)

  const { body } = await apiAt(service.url, 'ada')('GET', '/activity?limit=100')
  const titles = body.items.map(({ title }: { title: string }) => title)
  counts.report(titles, ['503', '429'])
})

test('jobs wait while GitHub is unavailable, deliveries are acknowledged, and all take effect once when it returns', async () => {
  const counts = countRequests('GitHub unavailable while webhooks arrive', '30 deliveries, each twice')
  misbehave = (request) => request.socket.resetAndDestroy()
  const urls: string[] = []
  for (let index = 0; index < 30; index += 1) {
    const { number } = fixture.github.at('acme/shop').open({ files: [`src/${index}.ts`], draft: true })
    urls.push(`${fixture.url}/acme/shop/pull/${number}`)
    const event = pullRequestEvent(fixture.github, 'acme/shop', number, 'opened')
    for (let copy = 0; copy < 2; copy += 1)
      counts.record(await fixture.deliver(service.url, event, `down-${index}`), urls.at(-1))
  }
  await expect.poll(() => service.output()).toContain('job failed')
  misbehave = undefined
  const tracked = async (): Promise<string[]> => {
    const { body } = await apiAt(service.url, 'ada')('GET', '/activity?limit=100')
    return body.items.flatMap(({ pr_url }: { pr_url: string | null }) => pr_url ?? [])
  }
  await expect.poll(async () => (await tracked()).length, { interval: 200 }).toBe(urls.length)
  expect(counts.report(await tracked()).acknowledged).toBe(60)
})
