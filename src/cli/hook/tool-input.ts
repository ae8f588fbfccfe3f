/** The files that a tool call of an agent reads or edits, for the formats of all agents. Pure. */

export type Json = Record<string, unknown>

export interface ToolFiles {
  /** Absolute, or relative to the working directory. */
  edits: string[]
  reads: string[]
  /** Words of a shell command: those that name files count as read. */
  words: string[]
}

const SHELLS =
  /^(?:bash|shell|local_shell|exec_command|unified_exec|run_shell_command|run_in_terminal|run_terminal_cmd|powershell|execute)$/i
const READERS = /^(?:.*_)?(?:read|read_?file|read_many_files|view|notebook_?read|open_file|cat)$/i
const EDITORS = /edit|write|create|replace|patch|insert|delete|rename/i
/** Names of fields that hold a file. */
const FILE_FIELDS = ['file_path', 'path', 'filePath', 'notebook_path', 'absolute_path', 'file', 'filename']
const FILES_FIELDS = ['files', 'paths', 'filePaths', 'edits', 'replacements']
const FILES_MAX = 100
const WORDS_MAX = 200

/**
 * `tool`: undefined if the agent names none; its files then count as read if `isRead`, else as edited. Tools that neither read
 * nor edit files, such as a search, have no files.
 */
export function filesOfTool(tool: string | undefined, input: Json, isRead: boolean): ToolFiles {
  const none: ToolFiles = { edits: [], reads: [], words: [] }
  const text = commandOf(input)
  const patched = filesOfPatch(text)
  if (patched.length > 0) return { ...none, edits: patched }
  if (tool !== undefined && SHELLS.test(tool)) return { ...none, words: wordsOf(text) }
  const files = namedFiles(input)
  if (tool === undefined ? isRead : READERS.test(tool)) return { ...none, reads: files }
  return tool === undefined || EDITORS.test(tool) ? { ...none, edits: files } : none
}

function namedFiles(input: Json): string[] {
  const lists = FILES_FIELDS.flatMap((name) => {
    const list = input[name]
    return Array.isArray(list) ? list.slice(0, FILES_MAX) : []
  })
  const single = FILE_FIELDS.map((name) => input[name])
  const inLists = lists.flatMap((each) =>
    typeof each === 'string' ? [each] : FILE_FIELDS.map((name) => objectOf(each)[name]),
  )
  return unique([...single, ...inLists].filter((each) => typeof each === 'string' && each !== ''))
}

/** A shell command, as text or as a list of arguments, or a patch. */
function commandOf(input: Json): string {
  const fields = ['command', 'cmd', 'script', 'patchText', 'patch', 'input'].map((name) => input[name])
  const given = fields.find((each) => typeof each === 'string' || Array.isArray(each)) ?? ''
  return Array.isArray(given) ? given.filter((each) => typeof each === 'string').join(' ') : String(given)
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
