/** MCP over Streamable HTTP: stateless, a fresh server for each request, with the caller's own token (issue: every door). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { Failure } from '../../base/failure.ts'
import { type Client, DeconflictError } from '../../client/client.ts'
import type { App } from '../../context/app.ts'
import { faultOf } from '../../db/errors.ts'
import type { Caller } from '../../operations/admission.ts'
import { OPERATIONS, type OperationName } from '../../operations/contract.ts'
import { perform } from '../../operations/perform.ts'
import { queryOf } from '../../operations/query.ts'
import { mcpServers } from './server.ts'

/** One HTTP request that was admitted. */
export interface McpExchange {
  req: IncomingMessage
  res: ServerResponse
  caller: Caller
  request_id: string
  /** The JSON-RPC message. */
  body: object
}

export function mcpOverHttp(app: App): (exchange: McpExchange) => Promise<void> {
  const serverFor = mcpServers({})
  return async (exchange) => {
    const { req, res, body } = exchange
    const server = serverFor(clientWithin(app, exchange))
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    })
    res.on('close', () => void server.close())
    await server.connect(transport)
    await transport.handleRequest(req, res, body)
  }
}

/** The client's methods without a network in between: the same pipeline, the same failures. */
function clientWithin(app: App, exchange: McpExchange): Client {
  const methods = Object.keys(OPERATIONS).map((name) => [
    name,
    (request: Request) => carryOut(app, exchange, { name: name as OperationName, request }),
  ])
  return Object.fromEntries(methods)
}

interface Request {
  owner: string
  repo: string
  id?: string
  input?: object
}

async function carryOut(
  app: App,
  { caller, request_id }: McpExchange,
  { name, request }: { name: OperationName; request: Request },
): Promise<unknown> {
  const { owner, repo, id = '', input = {} } = request
  const isGet = OPERATIONS[name].method === 'GET'
  try {
    const { body } = await perform(app, name, {
      caller,
      owner,
      repo,
      id,
      input: () => (isGet ? queryOf(input) : input),
      idempotency_key: undefined,
    })
    return JSON.parse(body)
  } catch (error) {
    if (!(error instanceof Failure)) {
      app.log.error({ request_id, ...faultOf(error) }, 'a tool failed')
      throw error
    }
    const { status, type, message, param = null, headers } = error
    const retry_after = headers['Retry-After'] === undefined ? null : Number(headers['Retry-After'])
    throw new DeconflictError({ status, type, message, param, request_id, retry_after }, error)
  }
}
