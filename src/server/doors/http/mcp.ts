/** MCP over Streamable HTTP: stateless, with a new server for each request and the caller's own token. */
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type * as express from 'express'
import { type Client, DeconflictError } from '../../../client/client.ts'
import { mcpServers } from '../../../client/mcp/mcp-server.ts'
import { OPERATIONS, type OperationName } from '../../../vocabulary/contract/contract.ts'
import { queryOf } from '../../../vocabulary/contract/route.ts'
import { Failure } from '../../../vocabulary/failure.ts'
import { perform } from '../../operations/perform.ts'
import { faultOf } from '../../platform/db/errors.ts'
import type { App } from '../../records/repositories/app.ts'

const serverFor = mcpServers({})

/** `body`: the JSON-RPC message of an admitted caller. */
export async function answerMessage(app: App, res: express.Response, body: object): Promise<void> {
  const headers = res.req.headers as Record<string, string>
  const request = new Request('http://localhost/mcp', { method: 'POST', headers })
  const response = await respond(serverFor(localClient(app, res)), request, body)
  res.statusCode = response.status
  // No answer is a stream that stays open, since no tool sends more than its result and the list of tools does not change.
  res.setHeaders(response.headers).end(await response.text())
}

/** Responds in the revision of the protocol that the message is of: 2026-07-28, or an earlier one. */
async function respond(server: Server, request: Request, parsedBody: object): Promise<Response> {
  const isLegacy = await isLegacyRequest(request, parsedBody)
  if (!isLegacy) return createMcpHandler(() => server).fetch(request, { parsedBody })
  // The handler would send a stream of one event.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  return transport.handleRequest(request, { parsedBody })
}

/** A client that calls the request pipeline directly: the same operations and errors, without HTTP. */
function localClient(app: App, res: express.Response): Client {
  const methods = Object.keys(OPERATIONS).map((name) => [
    name,
    (request: ClientRequest = {}) => performRequest(app, res, { name: name as OperationName, request }),
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
  { locals: { caller, request_id } }: express.Response,
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
