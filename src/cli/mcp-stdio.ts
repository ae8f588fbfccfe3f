/** MCP over standard input and output, for agents that start a process. */
import { once } from 'node:events'
import { serveStdio as serve } from '@modelcontextprotocol/server/stdio'
import type { Client } from '../client/client.ts'
import { mcpServers } from '../client/mcp/mcp-server.ts'
import type { Defaults } from '../client/mcp/tools.ts'

/** Serves until the client closes standard input or output. */
export async function serveStdio(client: Client, defaults: Defaults): Promise<void> {
  const serverFor = mcpServers(defaults)
  const ended = Promise.race([once(process.stdin, 'end'), outputClosed()])
  const connection = serve(() => serverFor(client))
  await ended
  await connection.close()
}

/** Resolves when standard output fails: a client that goes away may close only its end of this pipe, and a write then fails with EPIPE. */
function outputClosed(): Promise<void> {
  return new Promise((resolve) => process.stdout.on('error', () => resolve()))
}
