/** The files that a tool call of an agent reads or edits. Pure. */
import type { Agent, Json } from '../agents/agent.ts'

export interface ToolFiles {
  /** Absolute, or relative to the working directory. */
  edits: string[]
  reads: string[]
  /** Words of a shell command: those that name files count as read. */
  words: string[]
}

/** Names that several agents use, or servers of MCP. */
const SHELLS = /^(?:bash|shell|powershell|execute)$/
const READERS = /^(?:.*_)?(?:read|read_?file|view|open_file|cat)$/
const EDITORS = /edit|write|create|replace|patch|insert|delete|rename/
const FILES_MAX = 100
const WORDS_MAX = 200

/**
 * `tool`: undefined if the agent names none; its files then count as read if `isRead`, else as edited. Tools that neither read
 * nor edit files, such as a search, have no files.
 */
export function filesOfTool(
  { fields, tools = {} }: Agent,
  { tool, input, isRead }: { tool: string | undefined; input: Json; isRead: boolean },
): ToolFiles {
  const none: ToolFiles = { edits: [], reads: [], words: [] }
  const text = commandIn(input, fields.command)
  const patched = filesOfPatch(text)
  if (patched.length > 0) return { ...none, edits: patched }
  const name = tool?.toLowerCase()
  if (name !== undefined && (SHELLS.test(name) || tools.shell?.includes(name)))
    return { ...none, words: wordsOf(text) }
  const files = namedFiles(input, fields)
  if (name === undefined ? isRead : READERS.test(name) || tools.read?.includes(name))
    return { ...none, reads: files }
  return name === undefined || EDITORS.test(name) ? { ...none, edits: files } : none
}

function namedFiles(input: Json, fields: Agent['fields']): string[] {
  const lists = fields.files.flatMap((name) => {
    const list = input[name]
    return Array.isArray(list) ? list.slice(0, FILES_MAX) : []
  })
  const single = fields.file.map((name) => input[name])
  const inLists = lists.flatMap((each) =>
    typeof each === 'string' ? [each] : fields.file.map((name) => objectOf(each)[name]),
  )
  return unique([...single, ...inLists].filter((each) => typeof each === 'string' && each !== ''))
}

function commandIn(input: Json, names: readonly string[]): string {
  const given = names
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

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}
