/** Parses what coding agents write to the standard input of their hooks. Ignores what it does not know. Pure. */
import { parsedJson } from '../../vocabulary/text.ts'
import type { Agent, HookEvent, Json } from '../agents/agent.ts'
import { AGENTS } from '../agents/agents.ts'

interface ToolFiles {
  /** Absolute, or relative to the working directory. */
  edits: string[]
  reads: string[]
  /** Words of a shell command: those that name files count as read. */
  words: string[]
}

export interface HookInput extends ToolFiles {
  agent: Agent
  /** Null if the agent sends none. */
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

/** The names that agents, and servers of MCP, give to fields. Of several, the first that holds a text counts. */
const FIELDS = {
  session: ['session_id', 'sessionId', 'conversation_id', 'transcript_path'],
  subagent: ['agent_id', 'agentId'],
  event: ['hook_event_name', 'hookEventName'],
  cwd: ['cwd', 'workspace_roots'],
  prompt: ['prompt', 'initial_prompt', 'initialPrompt'],
  reason: ['source', 'reason'],
  tool: ['tool_name', 'toolName'],
  /** An object, or its JSON. */
  tool_input: ['tool_input', 'toolArgs'],
}
/** The same for fields in the input of a tool. Of files, all count. */
const INPUT_FIELDS = {
  file: ['file_path', 'path', 'file', 'filename', 'filePath', 'absolute_path', 'notebook_path'],
  files: ['files', 'paths', 'edits', 'filePaths', 'replacements'],
  command: ['command', 'cmd', 'script', 'patch', 'patchText', 'input'],
  shell_cwd: ['workdir', 'cwd'],
}
/** Names of tools, in lower case. */
const SHELLS = [
  ...['bash', 'shell', 'local_shell', 'powershell', 'execute', 'exec_command', 'unified_exec'],
  ...['run_shell_command', 'run_in_terminal', 'run_terminal_cmd'],
]
const READERS = /^(?:.*_)?(?:read|read_?file|read_many_files|notebookread|view|open_file|cat)$/
const EDITORS = /edit|write|create|replace|patch|insert|delete|rename/
const FILES_MAX = 100
const WORDS_MAX = 200

/** Reads what the agent wrote. `given`: the agent of the command line. Invalid JSON, or another shape, counts as empty. */
export function readHookInput(event: HookEvent, given: Agent, text: string): HookInput {
  const json = parseObject(text)
  const agent = AGENTS.find(({ recognizes }) => recognizes?.(json, given.name)) ?? given
  const input = FIELDS.tool_input.map((name) => json[name]).find((each) => each !== undefined)
  const tool_input = typeof input === 'string' ? parseObject(input) : objectOf(input)
  const prompt = textIn(json, FIELDS.prompt) ?? ''
  const isPrompt = event === 'prompt' || event === 'session-start'
  return {
    agent,
    ...(isPrompt
      ? { edits: [], reads: [], words: pathsInText(prompt) }
      : // An event without a tool names its files itself.
        filesOfTool(textIn(json, FIELDS.tool), { ...json, ...tool_input }, event === 'after-read')),
    prompt: isPrompt ? prompt : '',
    session: textIn(json, FIELDS.session) ?? null,
    subagent: textIn(json, FIELDS.subagent) ?? null,
    cwd: textIn(json, FIELDS.cwd),
    shell_cwd: textIn(tool_input, INPUT_FIELDS.shell_cwd),
    reason: textIn(json, FIELDS.reason) ?? '',
    agent_event: textIn(json, FIELDS.event),
  }
}

/** The first field that holds a text, or a list that begins with one. */
function textIn(json: Json, names: readonly string[]): string | undefined {
  return names
    .map((name) => [json[name]].flat()[0])
    .find((value): value is string => typeof value === 'string' && value !== '')
}

/**
 * `tool`: undefined if the agent names none; its files then count as read if `isRead`, else as edited. Tools that neither read
 * nor edit files, such as a search, have no files.
 */
function filesOfTool(tool: string | undefined, input: Json, isRead: boolean): ToolFiles {
  const none: ToolFiles = { edits: [], reads: [], words: [] }
  const text = commandIn(input)
  const patched = filesOfPatch(text)
  if (patched.length > 0) return { ...none, edits: patched }
  const name = tool?.toLowerCase()
  if (name !== undefined && SHELLS.includes(name)) return { ...none, words: wordsOf(text) }
  if (name === undefined ? isRead : READERS.test(name)) return { ...none, reads: namedFiles(input) }
  return name === undefined || EDITORS.test(name) ? { ...none, edits: namedFiles(input) } : none
}

function namedFiles(input: Json): string[] {
  const { file, files } = INPUT_FIELDS
  const lists = files.flatMap((name) => {
    const list = input[name]
    return Array.isArray(list) ? list.slice(0, FILES_MAX) : []
  })
  const single = file.map((name) => input[name])
  const inLists = lists.flatMap((each) =>
    typeof each === 'string' ? [each] : file.map((name) => objectOf(each)[name]),
  )
  return unique([...single, ...inLists].filter((each) => typeof each === 'string' && each !== ''))
}

/** A shell command or a patch, as text or as a list of arguments. */
function commandIn(input: Json): string {
  const given = INPUT_FIELDS.command
    .map((name) => input[name])
    .find((each) => typeof each === 'string' || Array.isArray(each))
  return Array.isArray(given) ? given.filter((each) => typeof each === 'string').join(' ') : (given ?? '')
}

/** The files of the patch of `apply_patch`, also inside of a shell command. */
function filesOfPatch(text: string): string[] {
  if (!text.includes('*** Begin Patch')) return []
  const lines = text.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)
  return unique(Array.from(lines, ([, file]) => (file as string).trim()))
}

/** The words of a text or a shell command, without quotes, and without options such as `-x`. */
export function wordsOf(text: string): string[] {
  const found = text.slice(0, 20_000).match(/"[^"\n]+"|'[^'\n]+'|[^\s"'`;|&<>(){}]+/g) ?? []
  const words = found.map((word) => word.replace(/^["']|["']$/g, ''))
  return unique(words.filter((word) => /^[^-]/.test(word) && word.length <= 1024)).slice(0, WORDS_MAX)
}

/** Words of a text that may be file paths, because they contain a slash or a dot. `@src/a.ts`, `src/a.ts:12` and `src/a.ts.` give `src/a.ts`. */
export function pathsInText(text: string): string[] {
  const words = wordsOf(text).flatMap((word) => word.split(/[\s,]+/))
  const plain = words.map((word) => word.replace(/^[@[*_]+|[\].,:!?*_]+$|:\d+.*$/g, ''))
  return unique(plain.filter((word) => /[./\\]/.test(word) && !/^\w+:\/\//.test(word)))
}

function unique(items: unknown[]): string[] {
  return [...new Set(items as string[])].slice(0, WORDS_MAX)
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

function parseObject(text: string): Json {
  // Windows PowerShell can write a byte order mark.
  return objectOf(parsedJson(text.replace(/^\ufeff/, '')))
}
