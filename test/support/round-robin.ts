/** A round-robin load balancer: each request goes to the next instance, or to the one after it if that accepts no connection. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface RoundRobin {
  url: string
  /** The number of requests that each instance received. */
  given: number[]
  /** Requests that got no answer because their instance ended: method and path. */
  cut: string[]
  close(): Promise<void>
}

/** `onSent` runs when a request was sent to an instance, which has not answered it yet. */
export async function startRoundRobin(
  targets: string[],
  { onSent }: { onSent?: (at: number, incoming: IncomingMessage) => void } = {},
): Promise<RoundRobin> {
  const given = targets.map(() => 0)
  const cut: string[] = []
  let turn = 0
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, left: number) => {
    const at = turn % targets.length
    turn += 1
    const { method, url, headers, socket } = incoming
    const onward = request(`${targets[at]}${url}`, {
      method,
      headers: { ...headers, 'x-forwarded-for': socket.remoteAddress ?? '' },
    })
    onward.once('finish', () => {
      given[at] = (given[at] ?? 0) + 1
      onSent?.(at, incoming)
    })
    onward.once('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && left > 1) return forward(incoming, outgoing, body, left - 1)
      cut.push(`${method} ${url}`)
      outgoing.destroy(error)
    })
    onward.end(body)
  }
  // A slow client must not reuse a connection that is being closed.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    buffer(incoming).then(
      (body) => forward(incoming, outgoing, body, targets.length),
      (error) => outgoing.destroy(error),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    given,
    cut,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
