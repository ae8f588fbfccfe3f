/** Claude Code 2.1: https://code.claude.com/docs/en/hooks. */
import { join } from 'node:path'
import type { Agent, HookEvent } from './agent.ts'
import { claudeAnswer, claudeEntries, STDIO_SERVER, TIMEOUT_S } from './claude-shaped.ts'

export const CLAUDE_CODE: Agent = {
  name: 'claude-code',
  hooks: {
    part: 'claude',
    path: '.claude/settings.json',
    programs: ['claude'],
    user: ({ env, home }) => [env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'],
    entries: ({ any }) => {
      const hook = (event: HookEvent, matcher?: string) =>
        claudeEntries({ command: any(event), timeout: TIMEOUT_S }, matcher)
      return {
        SessionStart: hook('session-start'),
        UserPromptSubmit: hook('prompt'),
        // No PreToolUse: it is heard no sooner, and Copilot CLI on Windows, which reads this file too, denies the edit if it fails.
        PostToolUse: hook('after-read', 'Read|NotebookRead|Edit|MultiEdit|Write|NotebookEdit'),
        Stop: hook('stop'),
        SubagentStop: hook('subagent-end'),
        SessionEnd: hook('session-end'),
      }
    },
  },
  heard: ['session-start', 'prompt', 'before-edit', 'after-edit', 'after-read'],
  answer: claudeAnswer,
  // Copilot CLI reads it too.
  mcp: { path: '.mcp.json', key: 'mcpServers', entry: STDIO_SERVER },
  instructions: 'CLAUDE.md',
  variable: 'CLAUDECODE',
}
