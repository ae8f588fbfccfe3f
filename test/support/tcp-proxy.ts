/** A TCP proxy that can stop forwarding bytes without closing connections. */
import { connect, createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'

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
  const { port, close } = await listen(server)
  target.port = String(port)
  return {
    url: target.href,
    blackhole,
    restore() {
      isBlackholed = false
    },
    // Each of a pair of sockets ends with the other one.
    close,
  }
}
