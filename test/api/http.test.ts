/** HTTP: addresses, methods, sizes, encodings and headers. */
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { openRawConnection } from '../support/raw-connection.ts'
import { ACTIVITY, createRecords, NOTABLE, outcome } from '../support/routes.ts'
import { useService } from '../support/service.ts'

const MIB = 1_048_576

const { github, service } = useService()

test.each([
  ['/api/v1', '/activity', ACTIVITY],
  ['/api/v1', '/notables', NOTABLE],
  ['/v1', '/activity', ACTIVITY],
  ['/v1', '/notables', NOTABLE],
])('under %s, Location leads to the created record of %s', async (base, path, body) => {
  const created = await service.api('POST', `${base}/repos/acme/shop${path}`, { body })
  const location = created.headers.get('location') as string
  expect(location.startsWith(`${base}/repos/acme/shop${path}/`)).toBe(true)
  expect((await service.api('GET', location)).body.title).toBe(body.title)
})

test.each(['/api/v1', '/v1'])('the OpenAPI document under %s needs no token', async (base) => {
  const { status, body } = await service.api('GET', `${base}/openapi.json`, { token: null })
  expect(status).toBe(200)
  expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: base }] })
  expect(Object.keys(body.paths)).toContain('/repos/{owner}/{repo}/activity/check')
})

test.each([
  '/api/v1',
  '/api/v2/repos/acme/shop/activity',
  '/api/v1/repos/acme/shop/notables/ntb_1/heartbeat',
  '/v1/repos//shop/activity',
  '/healthz/x',
  '/.env',
])('the unknown path %s is 404', async (path) => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: 'Bearer ada' },
    })
    const { error } = (await response.json()) as { error: { type: string; request_id: string } }
    expect(response.status, method).toBe(404)
    expect(error.type, method).toBe('not_found')
    expect(error.request_id).toBe(response.headers.get('x-request-id'))
  }
})

describe('an unsupported method', () => {
  test.each([
    ['/activity', 'GET, POST, HEAD'],
    ['/activity/check', 'POST'],
    ['/activity/{id}', 'GET, PATCH, HEAD'],
    ['/api/v1/openapi.json', 'GET, HEAD'],
    ['/healthz', 'GET, HEAD'],
    ['/', 'GET, HEAD'],
    ['/docs', 'GET, HEAD'],
    ['/session', 'GET, HEAD'],
    ['/session/logout', 'POST'],
    ['/mcp', 'POST'],
  ])('is 405 on %s, which supports %s', async (path, allow) => {
    const { act } = await createRecords(service)
    const allowed = allow.split(', ')
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'REPORT']) {
      if (allowed.includes(method)) continue
      const answer = await service.api(method, path.replace('{id}', act))
      expect(outcome(answer), method).toBe('405 method_not_allowed')
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allowed.sort())
    }
  })

  test('HEAD answers as GET does, without a body', async () => {
    const response = await fetch(`${service.url}/api/v1/repos/acme/shop/activity`, {
      method: 'HEAD',
      headers: { authorization: 'Bearer ada' },
    })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
  })
})

describe('a body', () => {
  const padded = (bytes: number) => {
    const open = `{"title": "Retry payments", "summary": "Retries.", "actor": "Ada"`
    return `${open}${' '.repeat(bytes - open.length - 1)}}`
  }

  // Threat: Large, deep or ambiguous bodies
  test('of 1 MiB is accepted, and one byte more is 413', async () => {
    expect((await service.api('POST', '/activity', { body: padded(MIB) })).status).toBe(201)
    const answer = await service.api('POST', '/activity', { body: padded(MIB + 1) })
    expect(outcome(answer)).toBe('413 invalid_request')
  })

  test('over 1 MiB without Content-Length is 413', async () => {
    const { status } = await fetch(`${service.url}/api/v1/repos/acme/shop/activity`, {
      method: 'POST',
      headers: { authorization: 'Bearer ada' },
      body: ReadableStream.from(chunks(3 * MIB)),
      duplex: 'half',
    })
    expect(status).toBe(413)
  })

  // Threat: Large, deep or ambiguous bodies
  test('is not read for an unknown caller', async () => {
    const before = github.calls('*')
    const connection = await openRawConnection(service.url)
    connection.write(
      'POST /api/v1/repos/acme/shop/activity HTTP/1.1\r\nhost: here\r\nauthorization: Basic x\r\ntransfer-encoding: chunked\r\n\r\n',
    )
    connection.write('9\r\n{"title":\r\n')
    const { status, body } = await connection.answer()
    connection.socket.destroy()
    expect(status).toBe(401)
    expect(body.error.type).toBe('unauthorized')
    expect(github.calls('*')).toBe(before)
  })

  test('may be missing if everything is optional, else it is 400', async () => {
    const { act, ntb } = await createRecords(service)
    const statuses: number[] = []
    for (const [method, path] of [
      ['POST', '/activity/check'],
      ['POST', `/activity/${act}/heartbeat`],
      ['POST', `/activity/${act}/archive`],
      ['POST', `/notables/${ntb}/archive`],
      ['POST', '/activity'],
      ['POST', '/notables'],
      ['PATCH', `/activity/${act}`],
      ['PATCH', `/notables/${ntb}`],
    ] as const)
      statuses.push((await service.api(method, path)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 400, 400, 400, 400])
  })

  test.each([
    ['text that is not JSON', '{"title": '],
    ['a list', '[]'],
    ['null', 'null'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['two objects', '{}{}'],
    ['__proto__', '{"__proto__": {"title": "x"}}'],
  ])('that is %s is 400', async (_, body) => {
    expect(outcome(await service.api('POST', '/activity', { body }))).toBe('400 invalid_request')
  })

  test('that is compressed is 400', async () => {
    const headers = { 'content-encoding': 'gzip' }
    const answer = await service.api('POST', '/activity', { body: ACTIVITY, headers })
    expect(outcome(answer)).toBe('400 invalid_request')
    expect(answer.body.error.message).toContain('Content-Encoding')
  })

  test('is JSON whatever its Content-Type says', async () => {
    const headers = { 'content-type': 'text/plain' }
    const answer = await service.api('POST', '/activity', { body: ACTIVITY, headers })
    expect(answer.status).toBe(201)
  })

  function* chunks(bytes: number) {
    yield Buffer.from('{"title": "')
    for (let sent = 0; sent < bytes; sent += 65_536) yield Buffer.alloc(65_536, 'x')
    yield Buffer.from('"}')
  }
})

test('headers have a new request id, not the caller’s', async () => {
  const headers = { 'x-request-id': 'mine' }
  const first = await service.api('GET', '/activity', { headers })
  const second = await service.api('GET', '/activity', { headers })
  const ids = [first, second].map((answer) => answer.headers.get('x-request-id'))
  expect(ids[0]).toMatch(/^req_[0-9a-z]{26}$/)
  expect(new Set([...ids, 'mine']).size).toBe(3)
})

test('readiness and health need no token, and health reports the version and the GitHub host', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  expect((await service.api('GET', '/readyz', { token: null })).status).toBe(200)
  expect((await service.api('GET', '/healthz', { token: null })).body).toEqual({
    status: 'ok',
    version,
    github_host: 'github.com',
  })
})
