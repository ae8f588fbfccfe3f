/** A stub of a model's API on loopback. It records the requests of one agent, and replies with a script. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { listen } from '../support/listen.ts'
import { type Dialect, hasTools, type Json, type Reply } from './dialects.ts'

export interface Model {
  url: string
  /** The bodies of the requests that offer tools, in order. */
  turns: Json[]
  close(): Promise<void>
}

/** Replies to a request, counted from 1, that has the results of so many tools. Undefined ends the session. */
type ReplyTo = (results: number, turn: number) => Promise<Reply | undefined>

export async function startModel(dialect: Dialect, replyTo: ReplyTo): Promise<Model> {
  const turns: Json[] = []
  let requests = 0
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '', method } = request
    requests += 1
    if (method !== 'POST' || !dialect.path.test(url)) {
      request.resume()
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not found"}}')
      return
    }
    const body: Json = await json(request)
    let reply: Reply = { text: 'Retry payments' }
    if (hasTools(body)) {
      turns.push(body)
      reply = (await replyTo(dialect.results(body), turns.length)) ?? { text: 'Done.' }
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const { name, data } of dialect.events(reply, String(requests))) {
      if (name) response.write(`event: ${name}\n`)
      response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
    }
    response.end()
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error))
  })
  return { turns, ...(await listen(server)) }
}
