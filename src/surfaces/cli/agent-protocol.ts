/** The documented hook protocols of coding agents: the JSON they write to a hook, and the JSON they read from it. */
import { z } from 'zod'

export const AGENTS = ['claude-code', 'codex', 'cursor'] as const
export type Agent = (typeof AGENTS)[number]

export const HOOK_EVENTS = ['session-start', 'before-edit', 'after-edit', 'prompt', 'session-end'] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

/** The fields that are used; each may be missing. */
const AgentJson = z.object({
  session_id: z.string().optional(),
  /** Cursor's name of the session. */
  conversation_id: z.string().optional(),
  cwd: z.string().optional(),
  workspace_roots: z.array(z.string()).optional(),
  file_path: z.string().optional(),
  tool_input: z
    .object({
      file_path: z.string().optional(),
      notebook_path: z.string().optional(),
      /** The patch of Codex's apply_patch. */
      command: z.string().optional(),
    })
    .optional(),
})

export interface HookInput {
  session: string
  /** Working directory of the agent, if it names one. */
  cwd: string | undefined
  /** Files that are or were edited: absolute, or relative to `cwd`. */
  files: string[]
}

/** Reads what the agent wrote. Invalid JSON, or JSON of another shape, counts as empty. */
export function parseHookInput(text: string): HookInput {
  const json = AgentJson.safeParse(parseJson(text)).data ?? {}
  const { tool_input = {} } = json
  const named = [json.file_path, tool_input.file_path, tool_input.notebook_path].filter(
    (each) => each !== undefined,
  )
  return {
    session: json.session_id ?? json.conversation_id ?? 'only',
    cwd: json.cwd ?? json.workspace_roots?.[0],
    files: [...new Set([...named, ...filesOfPatch(tool_input.command ?? '')])],
  }
}

function parseJson(text: string): unknown {
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

/** The output that passes `message` to the agent; empty for events whose output the agent ignores. */
export function hookOutput(agent: Agent, event: HookEvent, message: string): string {
  if (message === '') return ''
  if (agent === 'cursor')
    return event === 'session-start' ? JSON.stringify({ additional_context: message }) : ''
  const hookEventName = CLAUDE_EVENTS[event]
  if (!hookEventName) return ''
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: message } })
}
