/** Traces of the built service: one per request with everything that it does, one per job, and none if tracing is off (docs/observability.md). */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeGithubServer, startFakeGithubServer } from '../../scripts/fake-github-server.ts'
import { apiAt } from '../support/api.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { type CollectedSpan, type OtlpCollector, startOtlpCollector } from '../support/otlp-collector.ts'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { pullRequestEvent, signedDelivery } from '../support/webhooks.ts'

const SHOP = 'acme/shop'
const WEBHOOK_SECRET = 'hush'
/** Also enough on a slow machine. */
const WAIT_OPTIONS = { timeout: 60_000, interval: 20 }
/** Makes the process print, at exit, whether it loaded the OpenTelemetry SDK. */
const LOADED = `data:text/javascript,${encodeURIComponent(
  `import { createRequire } from 'node:module'
   const { cache } = createRequire('/')
   process.on('exit', () => {
     const sdk = Object.keys(cache).filter((file) => file.includes('/@opentelemetry/sdk-'))
     process.stderr.write('loaded ' + (sdk.length > 0) + '\\n')
   })`,
)}`

let githubServer: FakeGithubServer
let collector: OtlpCollector
let database: FreshDatabase
let service: ServiceProcess | undefined

beforeEach(async () => {
  githubServer = await startFakeGithubServer({
    repositories: [{ id: 7, full_name: SHOP }],
    users: [{ token: 'TokenSecret', login: 'ada', id: 1, permissions: { [SHOP]: 'write' } }],
  })
  githubServer.github.app.install({ account: 'acme' })
  collector = await startOtlpCollector()
  database = await freshDatabase()
})
afterEach(async () => {
  await service?.kill('SIGTERM')
  await database.drop()
  await collector.close()
  await githubServer.close()
})

async function start(env: Record<string, string>): Promise<ServiceProcess> {
  const { app } = githubServer.github
  service = await startProcess({
    DATABASE_URL: database.database_url,
    GITHUB_API_URL: githubServer.url,
    GITHUB_WEB_URL: githubServer.url,
    APP_ID: String(app.id),
    PRIVATE_KEY: app.key().replaceAll('\n', '\\n'),
    WEBHOOK_SECRET,
    NODE_OPTIONS: `--import=${LOADED}`,
    ...env,
  })
  return service
}

const one = (name: string, matches: (span: CollectedSpan) => boolean = () => true): CollectedSpan => {
  const found = collector.spans.filter((span) => span.name === name && matches(span))
  expect(found, name).toHaveLength(1)
  return found[0] as CollectedSpan
}

test('a request is one trace with its caller’s id, and a job is linked to the delivery that caused it', async () => {
  const { url, kill } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  const trace_id = randomUUID().replaceAll('-', '')
  const traceparent = `00-${trace_id}-00f067aa0ba902b7-01`
  const body = { branch: 'BodySecret', scope: { paths: ['src/pay.ts'] } }
  const answer = await apiAt(url, 'TokenSecret')('POST', '/activity/check', {
    body,
    headers: { traceparent },
  })
  expect(answer.status).toBe(200)

  githubServer.github.at(SHOP).open({ number: 1, head: 'retries', files: ['src/pay.ts'] })
  const id = randomUUID()
  const event = pullRequestEvent(githubServer.github, SHOP, 1, 'opened')
  const delivery = signedDelivery({ secret: WEBHOOK_SECRET, ...event, id })
  expect((await fetch(`${url}/api/github/webhooks`, { method: 'POST', ...delivery })).status).toBe(202)
  await expect.poll(() => collector.spans.map(({ name }) => name), WAIT_OPTIONS).toContain('job recheck')

  const { code, errors } = await kill('SIGTERM')
  expect({ code, errors }).toEqual({ code: 0, errors: ['loaded true'] })
  const server = one('checkOverlap')
  expect(server).toMatchObject({
    traceId: trace_id,
    parentSpanId: '00f067aa0ba902b7',
    kind: 2,
    service: 'deconflict',
  })
  expect(server.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/repos/:owner/:repo/activity/check',
    'url.path': '/api/v1/repos/acme/shop/activity/check',
    'deconflict.request_id': answer.headers.get('x-request-id'),
  })
  const call = one('GET /repos/{owner}/{repo}', ({ traceId }) => traceId === trace_id)
  expect(call).toMatchObject({ parentSpanId: server.spanId, kind: 3 })
  const work = one('run operation', ({ traceId }) => traceId === trace_id)
  expect(work).toMatchObject({ parentSpanId: server.spanId, kind: 1 })

  const accepted = one('webhook')
  const job = one('job delivery')
  expect(job).toMatchObject({ kind: 5, links: [{ traceId: accepted.traceId, spanId: accepted.spanId }] })
  expect(one('GET /repos/{owner}/{repo}/pulls/{pull_number}/files').traceId).toBe(job.traceId)
  expect(JSON.stringify(collector.spans)).not.toMatch(/Secret/)
})

test('the last spans are sent before the process ends', async () => {
  const { url, kill } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    OTEL_SERVICE_NAME: 'deconflict-eu',
  })
  expect((await apiAt(url, 'TokenSecret')('GET', '/notables')).status).toBe(200)
  expect(collector.requests).toEqual([])
  await kill('SIGTERM')
  expect(one('listNotables').service).toBe('deconflict-eu')
})

test('an unavailable collector delays neither requests nor the end', async () => {
  const { url, kill } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
  expect((await apiAt(url, 'TokenSecret')('GET', '/notables')).status).toBe(200)
  expect(await kill('SIGTERM')).toEqual({ code: 0, errors: ['loaded true'] })
})

test('without OTEL_EXPORTER_OTLP_ENDPOINT nothing is sent, and the SDK is not loaded', async () => {
  const { url, kill } = await start({
    // A variable that the SDK reads for spans only, which does not turn tracing on.
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_BSP_SCHEDULE_DELAY: '1',
  })
  expect((await apiAt(url, 'TokenSecret')('GET', '/notables')).status).toBe(200)
  expect(await kill('SIGTERM')).toEqual({ code: 0, errors: ['loaded false'] })
  expect(collector.requests).toEqual([])
})
