/** A proxy that passes requests on and can lose the responses: the service has carried out what its client believes failed. */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from './listen.ts'

export interface LossyProxy {
  url: string
  /** Loses the response, while true for the method and path. */
  loses: (request: string) => boolean
  /** What the client gets instead: a closed connection, which is the default, or a 502 as of a load balancer. */
  loss: 'closed' | 'bad_gateway'
  close(): Promise<void>
}

export async function startLossyProxy(target: string): Promise<LossyProxy> {
  // A slow client must not reuse a connection that is being closed.
  const server = createServer({ keepAliveTimeout: 0 }, async (req, res) => {
    const request = `${req.method} ${req.url}`
    const body = await text(req)
    const { host: _, connection: __, 'content-length': ___, ...headers } = req.headers
    const answer = await fetch(new URL(req.url ?? '', target), {
      method: req.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body !== '' && { body }),
    })
    const answered = await answer.text()
    if (proxy.loses(request))
      return void (proxy.loss === 'closed' ? res.destroy() : res.writeHead(502).end('Bad Gateway'))
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(answered)
  })
  const proxy: LossyProxy = { ...(await listen(server)), loses: () => false, loss: 'closed' }
  return proxy
}
