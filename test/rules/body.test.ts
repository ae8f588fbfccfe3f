/** Reading a request body from a connection that closes. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { readJson } from '../../src/server/doors/http/body.ts'
import { Meter } from '../../src/vocabulary/budget.ts'

/** Runs `read` on a request whose client disconnects after sending only part of the body. */
async function onPartialRequest<Result>(read: (req: IncomingMessage) => Promise<Result>): Promise<Result> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  try {
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"title": ')
    const [req] = (await once(server, 'request')) as [IncomingMessage]
    req.on('error', () => {})
    const result = read(req)
    client.destroy()
    return await result
  } finally {
    server.close()
  }
}

test.each([
  ['disconnects', async () => {}],
  ['had disconnected before', (req: IncomingMessage) => new Promise((resolve) => req.once('close', resolve))],
])('fails when the client %s', async (_, before) => {
  const read = onPartialRequest(async (req) => {
    await before(req)
    return readJson(req, new Meter())
  })
  const message = expect.stringContaining('before the body was complete')
  await expect(read).rejects.toMatchObject({ kind: 'invalid_request', message })
})
