/** The form of hooks that Claude Code introduced, and in which other agents write and read theirs too. Pure. */
import type { HookEvent, Json } from './agent.ts'

const EVENT_NAMES: Partial<Record<HookEvent, string>> = {
  'session-start': 'SessionStart',
  prompt: 'UserPromptSubmit',
  'before-edit': 'PreToolUse',
  'after-edit': 'PostToolUse',
  'after-read': 'PostToolUse',
}

export function claudeAnswer(message: string, event: HookEvent, agent_event: string | undefined): Json {
  const hookEventName = agent_event ?? EVENT_NAMES[event]
  return { hookSpecificOutput: { hookEventName, additionalContext: message } }
}

export function claudeEntries(hook: Json, matcher?: string): Json[] {
  return [{ ...(matcher !== undefined && { matcher }), hooks: [{ type: 'command', ...hook }] }]
}

/** The agent kills a hook after this time; the hook itself ends after one second. */
export const TIMEOUT_S = 10

export const STDIO_SERVER = { command: 'deconflict', args: ['mcp'] }
