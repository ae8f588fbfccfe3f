/** Slow, oversized and malformed requests are rejected with an error object, and do not affect other clients. */
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ConnectionLimits } from '../../src/server/doors/http/http-server.ts'
import {
  openRawConnection,
  parseResponses,
  type RawConnection,
  sendBytes,
} from '../support/raw-connection.ts'
import { ACTIVITY } from '../support/routes.ts'
import { startTestService, type TestService, useGithub } from '../support/service.ts'

const PATH = '/api/v1/repos/acme/shop/activity'
const AS_ADA = 'Host: x\r\nAuthorization: Bearer ada\r\n'
/** Longer than any test takes. */
const NEVER_MS = 600_000
/** Short for a test, but longer than a valid request takes on a busy machine. */
const SHORT_MS = 2500
/** The maximum wait for a response on a busy machine. */
const WAIT_MS = 60_000
/** The pause between two pieces of a trickled request. */
const PACE_MS = 50

useGithub()
const services: TestService[] = []
const connections: RawConnection[] = []
let service: TestService
/** A service with short limits. */
let slow: TestService

async function start(limits: Partial<ConnectionLimits>): Promise<TestService> {
  const patient = { headers_ms: NEVER_MS, request_ms: NEVER_MS, idle_ms: NEVER_MS, stall_ms: NEVER_MS }
  const config = { rate_limit_per_minute: 1_000_000 }
  const started = await startTestService({
    token: 'ada',
    realClock: true,
    config,
    connection_limits: { ...patient, ...limits },
  })
  services.push(started)
  return started
}
async function open({ url }: TestService): Promise<RawConnection> {
  const connection = await openRawConnection(url)
  connections.push(connection)
  return connection
}

beforeAll(async () => {
  service = await start({})
  slow = await start({ headers_ms: SHORT_MS, request_ms: SHORT_MS, idle_ms: SHORT_MS })
})
afterAll(async () => {
  for (const { socket } of connections) socket.destroy()
  await Promise.all(services.map((each) => each.close()))
})

/** Sends a piece after each response to another client until the service closes the connection. Returns the responses. */
async function trickle(to: TestService, start: string, more: () => string) {
  const connection = await open(to)
  connection.write(start)
  await untilEnded(to, connection, more)
  return parseResponses(connection.received())
}

async function untilEnded(to: TestService, connection: RawConnection, more: () => string): Promise<void> {
  let isOpen = true
  void connection.ended.then(() => {
    isOpen = false
  })
  const others = () => to.api('GET', '/activity').then(({ status }) => status, String)
  while (isOpen) {
    // On a busy machine the short limits may end one of these requests too.
    await vi.waitFor(async () => expect(await others()).toBe(200), WAIT_MS)
    connection.write(more())
    await wait(PACE_MS)
  }
}

const TIMED_OUT = [
  expect.objectContaining({
    status: 408,
    body: {
      error: {
        type: 'invalid_request',
        message: expect.stringContaining('in time'),
        request_id: expect.stringMatching(/^req_/),
      },
    },
  }),
]

describe.concurrent('is disconnected while others are served:', () => {
  // Threat: Slow, idle or too many connections
  test('a client that sends headers slowly', async () => {
    const answers = await trickle(slow, `GET ${PATH} HTTP/1.1\r\n${AS_ADA}`, () => 'X: y\r\n')
    expect(answers).toEqual(TIMED_OUT)
  })

  test('a client that sends nothing', async () => {
    expect(await trickle(slow, '', () => '')).toEqual(TIMED_OUT)
  })

  // Threat: Slow, idle or too many connections
  test.each([
    ['with a Content-Length', 'Content-Length: 1000000\r\n\r\n{"title": "', () => 'x'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n', () => '1\r\nx\r\n'],
  ])('a client that sends a body slowly, %s', async (_, headers, more) => {
    const answers = await trickle(slow, `POST ${PATH} HTTP/1.1\r\n${AS_ADA}${headers}`, more)
    expect(answers).toEqual(TIMED_OUT)
    // The log has the same outcome as the response.
    const { request_id } = answers[0]?.body.error ?? {}
    const line = () => slow.log.map((each) => JSON.parse(each)).find((each) => each.request_id === request_id)
    await vi.waitFor(() =>
      expect(line()).toMatchObject({
        operation: 'createActivity',
        status: 408,
        error_type: 'invalid_request',
      }),
    )
  })

  test('an unauthenticated client that sends a body slowly, after one response', async () => {
    const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`
    expect((await trickle(slow, head, () => 'x')).map(({ status }) => status)).toEqual([401])
  })

  // Threat: Slow, idle or too many connections
  test('a connection that is idle between two requests', async () => {
    const answers = await trickle(slow, `GET ${PATH} HTTP/1.1\r\n${AS_ADA}\r\n`, () => '')
    expect(answers.map(({ status }) => status)).toEqual([200])
  })

  // Threat: Slow, idle or too many connections
  test('a client that does not read the responses', async () => {
    const silent = await start({ stall_ms: SHORT_MS })
    const connection = await open(silent)
    connection.socket.pause()
    connection.write(`GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(150))
    // The service no longer reads from this connection, so these bytes do not extend its timeout.
    await untilEnded(silent, connection, () => 'x')
    expect(connection.socket.errored).not.toBeNull()
  })
})

// Threat: Slow, idle or too many connections
test('connections over the limit are closed, and the others are served', async () => {
  const small = await start({ connections: 2 })
  const [first, second] = [await open(small), await open(small)]
  // A response shows that a connection was accepted.
  for (const connection of [first, second]) {
    connection.write(`GET ${PATH} HTTP/1.1\r\n${AS_ADA}\r\n`)
    await expect.poll(() => parseResponses(connection.received()).length).toBe(1)
  }
  const third = await open(small)
  await third.ended
  expect(third.received()).toBe('')
  first.write(`GET ${PATH} HTTP/1.1\r\n${AS_ADA}\r\n`)
  await expect.poll(() => parseResponses(first.received()).map(({ status }) => status)).toEqual([200, 200])
})

describe('is rejected with an error object', () => {
  const create = `POST ${PATH} HTTP/1.1\r\n${AS_ADA}`
  // Threat: Server-side request forgery through `GITHUB_API_URL`
  test.each([
    ['bytes that are not HTTP', 400, 'HELLO\r\n\r\n'],
    ['a header with a NUL', 400, `GET ${PATH} HTTP/1.1\r\n${AS_ADA}X: a\0b\r\n\r\n`],
    ['no Host', 400, `GET ${PATH} HTTP/1.1\r\nAuthorization: Bearer ada\r\nConnection: close\r\n\r\n`],
    [
      'a Content-Length with chunked encoding',
      400,
      `${create}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['invalid chunks', 400, `${create}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['headers that are too large', 431, `GET ${PATH} HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    [
      'too many headers',
      431,
      `GET ${PATH} HTTP/1.1\r\n${AS_ADA}${'X: y\r\n'.repeat(99)}Connection: close\r\n\r\n`,
    ],
    ['a tunnel', 405, 'CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n'],
  ])('%s', async (_, status, bytes) => {
    const answers = await sendBytes(service.url, bytes)
    expect(answers).toHaveLength(1)
    const [{ headers, body } = { headers: new Headers(), body: null }] = answers
    expect(answers[0]?.status).toBe(status)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(body).toEqual({
      error: expect.objectContaining({
        type: status === 405 ? 'method_not_allowed' : 'invalid_request',
        request_id: headers.get('x-request-id'),
      }),
    })
    await expect.poll(() => service.log.join('')).toContain(body.error.request_id)
    expect((await service.api('GET', '/activity')).status).toBe(200)
  })
})

test('a CONNECT tunnel that the client resets or keeps open is closed, and the service keeps running', async () => {
  const tunnel = 'CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n'
  for (let count = 0; count < 20; count += 1) {
    const { socket } = await open(service)
    socket.write(tunnel, () => socket.resetAndDestroy())
  }
  const connection = await open(service)
  connection.socket.allowHalfOpen = true
  connection.write(tunnel)
  await once(connection.socket, 'end')
  // Further bytes on a closed connection cause a reset.
  await expect
    .poll(() => {
      connection.write('x')
      return connection.socket.destroyed
    })
    .toBe(true)
  expect(parseResponses(connection.received()).map(({ status }) => status)).toEqual([405])
  expect((await service.api('GET', '/activity')).status).toBe(200)
})

describe('is handled like any other request', () => {
  const get = `GET ${PATH} HTTP/1.1\r\n${AS_ADA}`
  const close = 'Connection: close\r\n\r\n'
  test.each([
    ['with an unknown expectation', `${get}Expect: the-moon\r\n${close}`],
    ['with an unsupported upgrade', `${get}Upgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n`],
    [
      'with an absolute URL as its target',
      `GET http://elsewhere.example${PATH} HTTP/1.1\r\n${AS_ADA}${close}`,
    ],
    ['of HTTP/1.0, without Host', `GET ${PATH} HTTP/1.0\r\nAuthorization: Bearer ada\r\n\r\n`],
  ])('a request %s', async (_, bytes) => {
    expect((await sendBytes(service.url, bytes)).map(({ status }) => status)).toEqual([200])
  })

  test('a request with Expect: 100-continue', async () => {
    const body = JSON.stringify(ACTIVITY)
    const head = `POST ${PATH} HTTP/1.1\r\n${AS_ADA}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n${close}`
    const connection = await open(service)
    connection.write(head)
    await expect.poll(() => connection.received()).toContain('100 Continue')
    connection.write(body)
    await connection.ended
    expect(parseResponses(connection.received()).map(({ status }) => status)).toEqual([201])
  })
})

describe('pipelined requests', () => {
  // Threat: Request smuggling
  test('are not affected by an invalid next request', async () => {
    const body = JSON.stringify({ ...ACTIVITY, title: 'Sent before nonsense' })
    const sound = `POST ${PATH} HTTP/1.1\r\n${AS_ADA}Content-Length: ${body.length}\r\n\r\n${body}`
    const answers = await sendBytes(service.url, `${sound}NONSENSE\r\n\r\n`)
    expect(answers.map(({ status }) => status)).toEqual([201])
    expect(answers[0]?.headers.get('connection')).toBe('close')
  })

  // Threat: Request smuggling
  test('are not parsed from a rejected body', async () => {
    const smuggled = `POST ${PATH} HTTP/1.1\r\n${AS_ADA}Content-Length: 2\r\n\r\n{}`
    const outer = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`
    const last = `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
    const answers = await sendBytes(service.url, outer + last)
    expect(answers.map(({ status }) => status)).toEqual([401, 200])
  })
})
