/** Parses what coding agents write to the standard input of their hooks. Ignores what it does not know. Pure. */
import { filesOfTool, type Json, objectOf, pathsInText, type ToolFiles } from './tool-input.ts'

export const AGENTS = ['claude-code', 'codex', 'copilot', 'cursor', 'gemini', 'opencode', 'vscode'] as const
export type Agent = (typeof AGENTS)[number]

export const HOOK_EVENTS = [
  'session-start',
  'prompt',
  'before-edit',
  'after-edit',
  'after-read',
  'stop',
  'subagent-end',
  'session-end',
] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

export interface HookInput extends ToolFiles {
  agent: Agent
  /** The id of the session. Null if the agent sends none. */
  session: string | null
  /** The id of the subagent that the hook is about. */
  subagent: string | null
  /** Working directory of the agent, if it names one. */
  cwd: string | undefined
  /** The working directory of a shell command, if the agent names one. */
  shell_cwd: string | undefined
  /** The directory of a working tree that is being removed. */
  removed_tree: string | undefined
  /** Why the session starts or ends: `startup`, `resume`, `clear`, `compact`, … */
  reason: string
  /** The agent's own name of the event. */
  agent_event: string | undefined
}

/** Reads what the agent wrote. `given`: the agent of the command line. Invalid JSON, or another shape, counts as empty. */
export function readHookInput(event: HookEvent, given: Agent, text: string): HookInput {
  const json = parseObject(text)
  const string = (...names: string[]) =>
    names.map((name) => json[name]).find((value) => typeof value === 'string' && value !== '') as
      | string
      | undefined
  const [root] = Array.isArray(json.workspace_roots) ? json.workspace_roots : []
  const tool_input = toolInput(json)
  const tool = string('tool_name', 'toolName', 'tool')
  const files = filesOfTool(tool, { ...fileFields(json), ...tool_input }, event === 'after-read')
  const prompt = event === 'prompt' || event === 'session-start'
  const said = prompt ? pathsInText(string('prompt', 'initial_prompt', 'initialPrompt') ?? '') : []
  const shell_cwd = [tool_input.workdir, tool_input.cwd].find((each) => typeof each === 'string')
  return {
    agent: agentOf(json, given),
    ...(prompt ? { edits: [], reads: [], words: said } : files),
    session: string('session_id', 'sessionId', 'sessionID', 'conversation_id', 'transcript_path') ?? null,
    subagent: string('agent_id', 'agentId') ?? null,
    cwd: string('cwd') ?? (typeof root === 'string' ? root : undefined),
    shell_cwd: shell_cwd as string | undefined,
    removed_tree: string('worktree_path', 'worktreePath'),
    reason: string('source', 'reason') ?? '',
    agent_event: string('hook_event_name', 'hookEventName'),
  }
}

/** Several agents also run the hooks that are installed for Claude Code, so the fields decide first, and then the command line. */
function agentOf(json: Json, given: Agent): Agent {
  const has = (...names: string[]) => names.some((name) => json[name] !== undefined)
  if (has('cursor_version') || (has('conversation_id') && !has('session_id'))) return 'cursor'
  if (has('sessionId')) return has('hookEventName', 'hook_event_name', 'tool_name') ? 'vscode' : 'copilot'
  // Claude Code always sends the path of its transcript. Copilot CLI, when it runs hooks of Claude Code, does not.
  if (given === 'claude-code' && has('hook_event_name') && !has('transcript_path')) return 'copilot'
  return given
}

/** Copilot CLI sends `toolArgs`, also as JSON text. */
function toolInput(json: Json): Json {
  const given = json.tool_input ?? json.toolArgs ?? json.tool_info
  return typeof given === 'string' ? parseObject(given) : objectOf(given)
}

/** The file fields of an event without a tool, such as Cursor's `afterFileEdit`. */
function fileFields({ file_path, files }: Json): Json {
  return { ...(file_path !== undefined && { file_path }), ...(files !== undefined && { files }) }
}

function parseObject(text: string): Json {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return {}
  }
}
