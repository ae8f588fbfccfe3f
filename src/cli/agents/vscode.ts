/** The agent of VS Code: https://code.visualstudio.com/docs/copilot/customization/hooks. It runs the hooks of Copilot CLI and of Claude Code. Read, not run. */
import type { Agent } from './agent.ts'
import { CLAUDE_FIELDS, claudeAnswer, STDIO_SERVER } from './claude-shaped.ts'

export const VSCODE: Agent = {
  name: 'vscode',
  fields: {
    ...CLAUDE_FIELDS,
    session: ['sessionId'],
    subagent: ['agent_id', 'agentId'],
    event: ['hook_event_name', 'hookEventName'],
    prompt: ['prompt', 'initialPrompt'],
    tool: ['tool_name', 'toolName'],
    tool_input: ['tool_input', 'toolArgs'],
    file: [...CLAUDE_FIELDS.file, 'filePath'],
    files: [...CLAUDE_FIELDS.files, 'filePaths', 'replacements'],
    command: ['command', 'input'],
  },
  tools: { shell: ['run_in_terminal'] },
  recognizes: ({ sessionId, hookEventName, hook_event_name, tool_name }) =>
    sessionId !== undefined && (hookEventName ?? hook_event_name ?? tool_name) !== undefined,
  heard: ['session-start', 'prompt', 'before-edit', 'after-edit', 'after-read'],
  answer: claudeAnswer,
  mcp: { path: '.vscode/mcp.json', key: 'servers', entry: { type: 'stdio', ...STDIO_SERVER } },
}
