/** An MCP server on top of a client of the service: lists and runs the tools, and returns failures as error objects. */
import { type CallToolResult, Server } from '@modelcontextprotocol/server'
import { nearest } from '../../vocabulary/contract/parse.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { withoutInvisible } from '../../vocabulary/text.ts'
import { VERSION } from '../../vocabulary/version.ts'
import { type Client, DeconflictError } from '../client.ts'
import { errorFieldsOf } from '../client-error.ts'
import { withoutNewcomers } from '../newcomers.ts'
import { type Defaults, INSTRUCTIONS, type Tool, toolsWith } from './tools.ts'

const IDENTITY = { name: 'deconflict', title: 'Deconflict', version: VERSION }
/** The tools change with the version of the service only. */
const CACHE_HINT = { ttlMs: 3_600_000, cacheScope: 'private' } as const
const OPTIONS = {
  capabilities: { tools: {} },
  instructions: INSTRUCTIONS,
  cacheHints: { 'tools/list': CACHE_HINT, 'server/discover': CACHE_HINT },
}

/** Returns a function that creates a server for one client. The tools are described once for all of them. */
export function mcpServers(defaults: Defaults): (client: Client) => Server {
  const tools = toolsWith(defaults)
  const list = { tools: tools.map(({ listed }) => listed) }
  return (client) => {
    const server = new Server(IDENTITY, OPTIONS)
    server.setRequestHandler('tools/list', () => list)
    server.setRequestHandler('tools/call', ({ params }) =>
      callTool(tools, client, { name: params.name, args: params.arguments }),
    )
    return server
  }
}

async function callTool(
  tools: Tool[],
  client: Client,
  { name, args }: { name: string; args: unknown },
): Promise<CallToolResult> {
  try {
    const tool = tools.find(({ listed }) => listed.name === name)
    if (!tool) throw unknownTool(name, tools)
    const result = withoutInvisible(await tool.run(withoutNewcomers(client), args))
    // Clients without support for structured content read the text.
    return {
      structuredContent: { ...result },
      content: [{ type: 'text', text: JSON.stringify(result) }],
    }
  } catch (error) {
    return {
      isError: true,
      content: [{ type: 'text', text: JSON.stringify({ error: withoutInvisible(errorObjectOf(error)) }) }],
    }
  }
}

function unknownTool(name: string, tools: Tool[]): Failure {
  const known = tools.map(({ listed }) => listed.name)
  const near = nearest(name, known)
  return new Failure(
    'invalid_request',
    `unknown tool; ${near ? `did you mean ${near}?` : `the tools are ${known.join(', ')}`}`,
  )
}

/** The error object of the service, with `retry_after` in seconds if the service sends it. */
function errorObjectOf(error: unknown): object {
  if (error instanceof Failure) return { type: error.type, message: error.message, param: error.param }
  if (!(error instanceof DeconflictError))
    return { type: 'internal_error', message: 'internal error; try again, and report it if it persists' }
  return errorFieldsOf(error)
}
