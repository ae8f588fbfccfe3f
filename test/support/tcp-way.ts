/** A way over TCP to a server, on which bytes can be made to vanish. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpWay {
  url: string
  /** From now on connections are accepted and kept, and nothing comes through in either direction. */
  swallow(): void
  /** Takes that back for new connections; those that are there stay dead. */
  mend(): void
  close(): Promise<void>
}

export async function tcpWayTo(url: string): Promise<TcpWay> {
  const target = new URL(url)
  const there = { host: target.hostname, port: Number(target.port) }
  const sockets = new Set<Socket>()
  let isSwallowing = false
  const swallow = () => {
    isSwallowing = true
    for (const socket of sockets)
      socket
        .unpipe()
        .on('data', () => {})
        .resume()
  }
  const server = createServer((near) => {
    const far = connect(there)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one)
          other.destroy()
        })
      if (isSwallowing) one.resume()
      else one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    swallow,
    mend() {
      isSwallowing = false
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
