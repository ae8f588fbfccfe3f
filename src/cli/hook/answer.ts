/** What agents read from the standard output of their hooks: after which events, and in which form. Pure. */
import type { Agent, HookEvent, HookInput } from './payload.ts'

const STARTS = ['session-start', 'prompt'] as const
const AFTER = ['after-edit', 'after-read'] as const

/** The events whose output reaches the model. */
const READ_EVENTS: Record<Agent, readonly HookEvent[]> = {
  'claude-code': [...STARTS, 'before-edit', ...AFTER],
  codex: [...STARTS, 'before-edit', ...AFTER],
  copilot: [...STARTS, 'before-edit', ...AFTER],
  vscode: [...STARTS, 'before-edit', ...AFTER],
  gemini: [...STARTS, ...AFTER],
  opencode: [...STARTS, ...AFTER],
  cursor: ['session-start', 'after-read'],
}

/** Claude Code's names of the events, which other agents use too. */
const EVENT_NAMES: Partial<Record<HookEvent, string>> = {
  'session-start': 'SessionStart',
  prompt: 'UserPromptSubmit',
  'before-edit': 'PreToolUse',
  'after-edit': 'PostToolUse',
  'after-read': 'PostToolUse',
}

export function isOutputRead(agent: Agent, event: HookEvent): boolean {
  return READ_EVENTS[agent].includes(event)
}

/** What to print so that the agent reads `message`; empty if the message is empty. */
export function hookOutput(
  { agent, agent_event }: Pick<HookInput, 'agent' | 'agent_event'>,
  event: HookEvent,
  message: string,
): string {
  if (message === '') return ''
  if (agent === 'cursor') return JSON.stringify({ additional_context: message })
  const hookEventName = agent_event ?? EVENT_NAMES[event]
  const nested = { hookSpecificOutput: { hookEventName, additionalContext: message } }
  if (agent === 'opencode' || (agent === 'copilot' && agent_event === undefined))
    return JSON.stringify({ additionalContext: message })
  return JSON.stringify(agent === 'copilot' ? { ...nested, additionalContext: message } : nested)
}
