/** Reads the output of `git diff --raw -z --patch --full-index --no-abbrev`. Pure. */

/** A changed file, as an entry of `scope.changes`. */
export interface Change {
  path: string
  previous_path?: string
  status: 'added' | 'modified' | 'removed' | 'renamed'
  /** The blob after the change, or before it for a removed file. Absent if unknown. */
  blob_sha?: string
  /** The hunks of the unified diff. Absent if there are none, as for binary files, submodules and a changed type. */
  patch?: string
}

interface RawEntry {
  /** A, D, M, R, T (the type of the file changed) or U (unmerged). */
  letter: string
  path: string
  /** Differs from `path` only if the file was renamed. */
  previous_path: string
  sha_before: string
  sha_after: string
  is_submodule: boolean
}

const SUBMODULE = '160000'
const SECTION = 'diff --git '
const STATUSES: Record<string, Change['status']> = { A: 'added', D: 'removed', R: 'renamed' }

/** One change for each file, in the order of git. Without `--patch` the changes have no patches. */
export function parseDiff(output: string): Change[] {
  const { entries, patches } = splitOutput(output)
  const sections = sectionsByHeader(patches)
  const changes = new Map<string, Change>()
  for (const entry of entries) {
    // An unmerged file that exists in the working tree has another entry too.
    if (entry.letter === 'U' && changes.has(entry.path)) continue
    changes.set(entry.path, changeOf(entry, sections.get(formatHeader(entry))))
  }
  return [...changes.values()]
}

/** Each entry is `:MODE MODE SHA SHA LETTER` and one or two names, each followed by a NUL. Another NUL ends the list. */
function splitOutput(output: string): { entries: RawEntry[]; patches: string } {
  const entries: RawEntry[] = []
  let at = 0
  const nextField = () => {
    const end = output.indexOf('\0', at)
    const field = end === -1 ? '' : output.slice(at, end)
    at = end === -1 ? output.length : end + 1
    return field
  }
  while (output[at] === ':') {
    const [mode_before = '', mode_after, sha_before = '', sha_after = '', letters = ''] =
      nextField().split(' ')
    const letter = letters.charAt(0)
    const previous_path = nextField()
    const path = letter === 'R' ? nextField() : previous_path
    const is_submodule = mode_before.endsWith(SUBMODULE) || mode_after === SUBMODULE
    if (path !== '') entries.push({ letter, path, previous_path, sha_before, sha_after, is_submodule })
  }
  return { entries, patches: output.slice(at + 1) }
}

interface Section {
  sha_after: string | undefined
  patch: string | undefined
}

/**
 * The sections of the patches by their first line. Two sections share it if the type of a file changed, which git shows
 * as a removal and an addition; they are left out.
 */
function sectionsByHeader(patches: string): Map<string, Section | undefined> {
  const sections = new Map<string, Section | undefined>()
  // Within a hunk no line starts with a letter, and git quotes a name that contains a newline.
  for (const text of patches.split(`\n${SECTION}`)) {
    const section = text.startsWith(SECTION) ? text.slice(SECTION.length) : text
    const end = section.indexOf('\n')
    const header = end === -1 ? section : section.slice(0, end)
    sections.set(header, sections.has(header) ? undefined : sectionOf(section))
  }
  return sections
}

function sectionOf(section: string): Section {
  const hunks = section.indexOf('\n@@ ')
  const head = hunks === -1 ? section : section.slice(0, hunks)
  return {
    sha_after: /\nindex [0-9a-f]+\.\.([0-9a-f]+)/.exec(head)?.[1],
    patch: hunks === -1 ? undefined : `${section.slice(hunks + 1).replace(/\n$/, '')}\n`,
  }
}

function formatHeader({ path, previous_path }: RawEntry): string {
  return `${quoted(`a/${previous_path}`)} ${quoted(`b/${path}`)}`
}

const ESCAPES: Record<string, string> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}

/** A name as git quotes it with `core.quotePath=false`. */
export function quoted(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what git escapes
  const escaped = name.replace(/[\u0000-\u001f"\\\u007f]/g, (char) => ESCAPES[char] ?? octal(char))
  return escaped === name ? name : `"${escaped}"`
}

function octal(char: string): string {
  return `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`
}

function changeOf(entry: RawEntry, section: Section | undefined): Change {
  const { letter, path, previous_path, is_submodule } = entry
  const status = STATUSES[letter] ?? 'modified'
  // In the list, the hash of an uncommitted file is all zeros. The header of its patch has the hash.
  const shas = status === 'removed' ? [entry.sha_before] : [entry.sha_after, section?.sha_after]
  const blob_sha = shas.find((sha) => sha !== undefined && /[^0]/.test(sha))
  const patch = is_submodule ? undefined : section?.patch
  return {
    path,
    ...(status === 'renamed' && { previous_path }),
    status,
    ...(blob_sha !== undefined && { blob_sha }),
    ...(patch !== undefined && { patch }),
  }
}
