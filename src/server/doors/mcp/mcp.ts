/** MCP over Streamable HTTP: stateless, with a new server for each request and the caller's own token. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { type Client, DeconflictError } from '../../../client/client.ts'
import { mcpServers } from '../../../client/mcp/mcp-server.ts'
import { OPERATIONS, type OperationName } from '../../../vocabulary/contract/contract.ts'
import { queryOf } from '../../../vocabulary/contract/query.ts'
import { Failure } from '../../../vocabulary/failure.ts'
import type { Caller } from '../../operations/admission.ts'
import { perform } from '../../operations/perform.ts'
import { faultOf } from '../../platform/db/errors.ts'
import type { App } from '../../records/repositories/app.ts'

/** An HTTP request whose caller was admitted. */
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
    const server = serverFor(localClient(app, exchange))
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    })
    res.on('close', () => void server.close())
    await server.connect(transport)
    await transport.handleRequest(req, res, body)
  }
}

/** A client that calls the request pipeline directly: the same operations and errors, without HTTP. */
function localClient(app: App, exchange: McpExchange): Client {
  const methods = Object.keys(OPERATIONS).map((name) => [
    name,
    (request: ClientRequest = {}) => performRequest(app, exchange, { name: name as OperationName, request }),
  ])
  return Object.fromEntries(methods)
}

interface ClientRequest {
  owner?: string
  repo?: string
  id?: string
  input?: object
}

async function performRequest(
  app: App,
  { caller, request_id }: McpExchange,
  { name, request }: { name: OperationName; request: ClientRequest },
): Promise<unknown> {
  const { owner = '', repo = '', id = '', input = {} } = request
  const isGet = OPERATIONS[name].method === 'GET'
  try {
    const { body } = await perform(app, name, {
      caller,
      source: 'mcp',
      owner,
      repo,
      id,
      input: () => (isGet ? queryOf(input) : input),
      idempotency_key: undefined,
    })
    return JSON.parse(body)
  } catch (error) {
    if (!(error instanceof Failure)) {
      app.log.error({ request_id, ...faultOf(error) }, 'MCP tool failed')
      throw error
    }
    const { status, type, message, param = null, headers } = error
    const retry_after = headers['Retry-After'] === undefined ? null : Number(headers['Retry-After'])
    throw new DeconflictError({ status, type, message, param, request_id, retry_after }, error)
  }
}
