/** Starts a server on the loopback interface. */
import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

export type Listening = Awaited<ReturnType<typeof listen>>

/** On a free port, unless one is given. */
export async function listen(server: Server, given_port = 0) {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(given_port, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    /** Drops its connections. Can be called again. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
