/** A TCP proxy that can stop forwarding bytes without closing connections. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  url: string
  /** Keeps and accepts connections, but forwards nothing in either direction. */
  blackhole(): void
  /** Forwards new connections again; the existing ones stay dead. */
  restore(): void
  close(): Promise<void>
}

export async function startTcpProxy(url: string): Promise<TcpProxy> {
  const target = new URL(url)
  const there = { host: target.hostname, port: Number(target.port) }
  const sockets = new Set<Socket>()
  let isBlackholed = false
  const blackhole = () => {
    isBlackholed = true
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
      if (isBlackholed) one.resume()
      else one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    blackhole,
    restore() {
      isBlackholed = false
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
