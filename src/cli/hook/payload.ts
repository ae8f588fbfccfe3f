/** Parses what coding agents write to the standard input of their hooks. Ignores what it does not know. Pure. */
import type { Agent, HookEvent, Json } from '../agents/agent.ts'
import { AGENTS } from '../agents/agents.ts'
import { filesOfTool, objectOf, pathsInText, type ToolFiles } from './tool-files.ts'

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
  /** Why the session starts or ends: `startup`, `resume`, `clear`, `compact`, … */
  reason: string
  /** What the user wrote; empty for other events. */
  prompt: string
  /** The agent's own name of the event. */
  agent_event: string | undefined
}

/** Reads what the agent wrote. `given`: the agent of the command line. Invalid JSON, or another shape, counts as empty. */
export function readHookInput(event: HookEvent, given: Agent, text: string): HookInput {
  const json = parseObject(text)
  const agent = AGENTS.find(({ recognizes }) => recognizes?.(json, given.name)) ?? given
  const { fields } = agent
  const input = fields.tool_input.map((name) => json[name]).find((each) => each !== undefined)
  const tool_input = typeof input === 'string' ? parseObject(input) : objectOf(input)
  const files = filesOfTool(agent, {
    tool: textIn(json, fields.tool),
    input: { ...fileFields(json), ...tool_input },
    isRead: event === 'after-read',
  })
  const prompt = textIn(json, fields.prompt) ?? ''
  const isPrompt = event === 'prompt' || event === 'session-start'
  return {
    agent,
    ...(isPrompt ? { edits: [], reads: [], words: pathsInText(prompt) } : files),
    prompt: isPrompt ? prompt : '',
    session: textIn(json, fields.session) ?? null,
    subagent: textIn(json, fields.subagent) ?? null,
    cwd: textIn(json, fields.cwd),
    shell_cwd: textIn(tool_input, fields.shell_cwd),
    reason: textIn(json, fields.reason) ?? '',
    agent_event: textIn(json, fields.event),
  }
}

/** The first field that holds a text, or a list that begins with one. */
function textIn(json: Json, names: readonly string[]): string | undefined {
  return names
    .map((name) => [json[name]].flat()[0])
    .find((value): value is string => typeof value === 'string' && value !== '')
}

/** The file fields of an event without a tool. */
function fileFields({ file_path, files }: Json): Json {
  return { ...(file_path !== undefined && { file_path }), ...(files !== undefined && { files }) }
}

function parseObject(text: string): Json {
  try {
    // Windows PowerShell can write a byte order mark.
    return objectOf(JSON.parse(text.replace(/^\ufeff/, '')))
  } catch {
    return {}
  }
}
