/** Cursor: https://cursor.com/docs/agent/hooks. It also runs the hooks of Claude Code. Read, not run. */
import { join } from 'node:path'
import type { Agent, HookEvent } from './agent.ts'
import { STDIO_SERVER, TIMEOUT_S } from './claude-shaped.ts'

export const CURSOR: Agent = {
  name: 'cursor',
  hooks: {
    part: 'cursor',
    path: '.cursor/hooks.json',
    programs: ['cursor', 'cursor-agent'],
    user: ({ home }) => [join(home, '.cursor'), 'hooks.json'],
    template: { version: 1 },
    entries: ({ any }) => {
      const hook = (event: HookEvent) => [{ command: any(event), timeout: TIMEOUT_S }]
      return {
        sessionStart: hook('session-start'),
        beforeSubmitPrompt: hook('prompt'),
        postToolUse: hook('after-read'),
        afterFileEdit: hook('after-edit'),
        stop: hook('stop'),
        sessionEnd: hook('session-end'),
      }
    },
  },
  recognizes: ({ cursor_version, conversation_id, session_id }) =>
    cursor_version !== undefined || (conversation_id !== undefined && session_id === undefined),
  heard: ['session-start', 'after-read'],
  answer: (message) => ({ additional_context: message }),
  mcp: { path: '.cursor/mcp.json', key: 'mcpServers', entry: STDIO_SERVER },
}
