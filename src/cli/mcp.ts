/** `deconflict mcp`: serves the tools of MCP over standard input and output, for the repository of the working directory. */
import { createClient } from '../client/client.ts'
import type { CommonOptions } from './command-context.ts'
import { isLocal, openLocal } from './local-mode.ts'
import { withTree } from './mcp-client.ts'
import { EXIT, type ExitCode, type Runtime } from './runtime.ts'
import { findConnection } from './service-connection.ts'
import { ownIdIn } from './tree-work.ts'
import { findWorkspace } from './workspace.ts'

export async function mcp(runtime: Runtime, options: CommonOptions): Promise<ExitCode> {
  const is_local = isLocal(runtime, options)
  const workspace = await findWorkspace(runtime, { ...options, is_local }).catch((error) => {
    if (is_local) throw error
    return undefined
  })
  const { url, insecure } = options
  const client =
    workspace && (is_local || workspace.is_unknown)
      ? await openLocal(runtime, workspace)
      : createClient(await findConnection(runtime, workspace, { url, insecure }))
  const actor = workspace?.person ?? runtime.env.USER
  const atTree = workspace && withTree(client, workspace)
  await runtime.serveMcp(atTree ?? client, {
    ...(workspace && {
      repository: `${workspace.owner}/${workspace.repo}`,
      findOwnId: async () => ownIdIn({ ...workspace, branch: (await workspace.git.branch()) ?? null }),
    }),
    ...(actor && { actor }),
  })
  return EXIT.clear
}
