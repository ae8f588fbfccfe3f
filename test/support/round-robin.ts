/** A round-robin load balancer: each request goes to the next instance. */
import { createServer, request } from 'node:http'
import { listen } from './listen.ts'

export interface RoundRobin {
  url: string
  /** The number of requests that each instance received. */
  given: number[]
  close(): Promise<void>
}

export async function startRoundRobin(targets: string[]): Promise<RoundRobin> {
  const given = targets.map(() => 0)
  let turn = 0
  // A slow client must not reuse a connection that is being closed.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    const at = turn % targets.length
    turn += 1
    given[at] = (given[at] ?? 0) + 1
    const { method, url, headers, socket } = incoming
    const onward = request(`${targets[at]}${url}`, {
      method,
      headers: { ...headers, 'x-forwarded-for': socket.remoteAddress ?? '' },
    })
    onward.once('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.once('error', (error) => outgoing.destroy(error))
    incoming.pipe(onward)
  })
  return { given, ...(await listen(server)) }
}
