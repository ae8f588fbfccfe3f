/** The agent of VS Code: https://code.visualstudio.com/docs/copilot/customization/hooks. It runs the hooks of Copilot CLI and of Claude Code. Read, not run. */
import type { Agent } from './agent.ts'
import { claudeAnswer, STDIO_SERVER } from './claude-shaped.ts'

export const VSCODE: Agent = {
  name: 'vscode',
  recognizes: ({ sessionId, hookEventName, hook_event_name, tool_name }) =>
    sessionId !== undefined && (hookEventName ?? hook_event_name ?? tool_name) !== undefined,
  heard: ['session-start', 'prompt', 'before-edit', 'after-edit', 'after-read'],
  answer: claudeAnswer,
  mcp: { path: '.vscode/mcp.json', key: 'servers', entry: { type: 'stdio', ...STDIO_SERVER } },
}
