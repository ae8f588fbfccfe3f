/** What coding agents tell their hooks, and how a hook answers them: the documented forms, and no others (issue: every door). */
import { z } from 'zod'

export const AGENTS = ['claude-code', 'codex', 'cursor'] as const
export type Agent = (typeof AGENTS)[number]

export const HOOK_EVENTS = ['session-start', 'before-edit', 'after-edit', 'prompt', 'session-end'] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

/** What we read of it; all of it may be missing. */
const Told = z.object({
  session_id: z.string().optional(),
  // As Cursor names it.
  conversation_id: z.string().optional(),
  cwd: z.string().optional(),
  workspace_roots: z.array(z.string()).optional(),
  file_path: z.string().optional(),
  tool_input: z
    .object({
      file_path: z.string().optional(),
      notebook_path: z.string().optional(),
      // The patch of Codex’ apply_patch.
      command: z.string().optional(),
    })
    .optional(),
})

export interface HookCall {
  session: string
  /** Where the agent works; undefined: where the hook runs. */
  cwd: string | undefined
  /** Files that are, or were, edited: absolute, or relative to `cwd`. */
  files: string[]
}

/** Reads what the agent wrote. What is no JSON, or has another shape, reads as nothing told. */
export function hookCallOf(text: string): HookCall {
  const told = Told.safeParse(jsonIn(text)).data ?? {}
  const { tool_input = {} } = told
  const named = [told.file_path, tool_input.file_path, tool_input.notebook_path].filter(
    (each) => each !== undefined,
  )
  return {
    session: told.session_id ?? told.conversation_id ?? 'only',
    cwd: told.cwd ?? told.workspace_roots?.[0],
    files: [...new Set([...named, ...filesOfPatch(tool_input.command ?? '')])],
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function filesOfPatch(command: string): string[] {
  if (!command.includes('*** Begin Patch')) return []
  const lines = command.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)
  return [...lines].map(([, file]) => (file as string).trim())
}

const CLAUDE_EVENTS: Partial<Record<HookEvent, string>> = {
  'session-start': 'SessionStart',
  'before-edit': 'PreToolUse',
  'after-edit': 'PostToolUse',
  prompt: 'UserPromptSubmit',
}

/** What is written to standard output so that the agent hears `message`; empty where it listens to nothing. */
export function hookAnswer(agent: Agent, event: HookEvent, message: string): string {
  if (message === '') return ''
  if (agent === 'cursor')
    return event === 'session-start' ? JSON.stringify({ additional_context: message }) : ''
  const hookEventName = CLAUDE_EVENTS[event]
  if (!hookEventName) return ''
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: message } })
}
