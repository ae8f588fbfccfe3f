/** The number of bytes of unverified deliveries that are buffered. */
import { createHmac } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { startAppService, WEBHOOK_SECRET } from '../support/app-service.ts'
import { openRawConnection, type RawConnection } from '../support/raw-connection.ts'
import { useGithub } from '../support/service.ts'
import { useStarted } from '../support/use-started.ts'

const KIB = 1024
const MAX = 1024 * KIB
/** Longer than any test takes. */
const NEVER_MS = 600_000
/** Short for a test. */
const SHORT_MS = 2000

const github = useGithub()
const connections: RawConnection[] = []

const start = (ms: number) =>
  useStarted(
    () =>
      startAppService(github, { connection_limits: { unsigned_bytes: MAX, headers_ms: ms, request_ms: ms } }),
    (started) => started.close(),
  )

const service = start(NEVER_MS)
/** A service with a short request timeout. */
const shortTimeouts = start(SHORT_MS)
afterEach(() => {
  for (const { socket } of connections.splice(0)) socket.destroy()
})

function headOf(length: number, signature = '0'.repeat(64)): string {
  return [
    'POST /api/github/webhooks HTTP/1.1',
    'Host: x',
    'X-GitHub-Event: ping',
    'X-GitHub-Delivery: some-delivery',
    `X-Hub-Signature-256: sha256=${signature}`,
    `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n')
}

/** Sends part of an unsigned body and keeps the connection open. */
async function hoard(bytes: number, to = service): Promise<RawConnection> {
  const connection = await openRawConnection(to.url)
  connections.push(connection)
  connection.write(headOf(25 * MAX))
  connection.write('x'.repeat(bytes))
  return connection
}

/** Sends a signed delivery of that size; returns the status. */
async function deliver(bytes: number, to = service): Promise<number> {
  const body = JSON.stringify({ zen: 'x'.repeat(bytes) })
  const connection = await openRawConnection(to.url)
  connection.write(headOf(body.length, createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')))
  connection.write(body)
  const { status } = await connection.answer()
  connection.socket.destroy()
  return status
}

/**
 * Sends a body that takes most of the limit, and small deliveries until the body is rejected. They fit until all of it has
 * arrived. If it is rejected while it is still being sent, the response may be lost with the connection; then it is sent again.
 */
async function untilRefused(): Promise<RawConnection> {
  for (let turn = 0; turn < 50; turn += 1) {
    const large = await hoard(700 * KIB)
    for (let sent = 0; sent < 50 && large.received() === '' && !large.socket.destroyed; sent += 1)
      expect(await deliver(200 * KIB)).toBe(202)
    if (large.received() !== '') return large
    large.socket.destroy()
  }
  throw new Error('nothing is refused')
}

// Threat: Many large unauthenticated bodies at once
test('over the limit the largest body gets 503 and small deliveries are accepted', async () => {
  const small = await hoard(300 * KIB)
  const large = await untilRefused()
  const { status, headers, body } = await large.answer()
  expect(status).toBe(503)
  expect(body.error.type).toBe('service_unavailable')
  expect(headers.get('retry-after')).toBe('10')
  await large.ended
  expect(small.received()).toBe('')
  expect(await deliver(500 * KIB)).toBe(202)
  expect(small.received()).toBe('')
})

test('a delivery larger than the limit is rejected', async () => {
  expect(await deliver(MAX)).toBe(503)
  expect(await deliver(800 * KIB)).toBe(202)
})

test('the bytes of a disconnected sender are released', async () => {
  const gone = await hoard(900 * KIB)
  const logged = service.log.length
  gone.socket.end()
  await expect
    .poll(() => service.log.slice(logged).some((line) => line.includes('request aborted by the client')))
    .toBe(true)
  const kept = await hoard(100 * KIB)
  expect(await deliver(850 * KIB)).toBe(202)
  expect(kept.received()).toBe('')
})

// Threat: Many large unauthenticated bodies at once
test('a slow sender times out and its bytes are released', async () => {
  const slow = await hoard(900 * KIB, shortTimeouts)
  expect((await slow.answer()).status).toBe(408)
  await expect.poll(() => deliver(900 * KIB, shortTimeouts)).toBe(202)
})
