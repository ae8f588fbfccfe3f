/** A TCP proxy that can delay bytes, stop forwarding them without closing connections, or close these. */
import { connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { listen } from './listen.ts'

/** The message that PostgreSQL is ready for a query. */
const READY = 'Z\0\0\0\x05I'

export async function startTcpProxy(url: string) {
  const target = new URL(url)
  const there = { host: target.hostname, port: Number(target.port) }
  const sockets = new Set<Socket>()
  let fault: 'blackhole' | 'refuse' | 'cut' | undefined
  let delay_ms = 0
  const slowly = () =>
    new Transform({
      transform(bytes, _, done) {
        if (delay_ms === 0) done(null, bytes)
        else setTimeout(done, delay_ms, null, bytes)
      },
    })
  const end = (how: typeof fault) => {
    fault = how
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((near) => {
    if (fault === 'refuse') return near.destroy()
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
      if (fault === 'blackhole') one.resume()
      else one.pipe(slowly()).pipe(other)
    }
    far.on('data', (bytes) => {
      if (fault === 'cut' && bytes.includes(READY)) near.once('data', () => near.destroy())
    })
  })
  const { port, close } = await listen(server)
  target.port = String(port)
  return {
    url: target.href,
    /** Keeps and accepts connections, but forwards nothing in either direction. */
    blackhole() {
      fault = 'blackhole'
      for (const socket of sockets)
        socket
          .unpipe()
          .on('data', () => {})
          .resume()
    },
    /** Delays what arrives, on the existing connections too. */
    delay(ms: number) {
      delay_ms = ms
    },
    /** Closes all connections, and each new one at once. */
    refuse: () => end('refuse'),
    /** Closes all connections, and each new one at its first query after PostgreSQL is ready for it. */
    cutAtFirstQuery: () => end('cut'),
    /** Forwards new connections again; the existing ones stay dead. */
    restore() {
      fault = undefined
    },
    // Each of a pair of sockets ends with the other one.
    close,
  }
}
