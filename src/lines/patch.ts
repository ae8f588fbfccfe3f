/** Parses the unified diff of one file, in the format of GitHub's list of files and of `git diff` (contract §11). Pure. */

/** The patch is invalid. The message says what is wrong and what to send. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
}

/** One line of a hunk. */
export interface PatchLine {
  kind: 'context' | 'removed' | 'added'
  text: string
  /** False for a last line without a newline. */
  ends: boolean
}

export interface PatchHunk {
  /** The first base line of the hunk, from 1. For a hunk without base lines, the line before which it inserts. */
  start: number
  lines: PatchLine[]
}

const HEADER = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/
const KINDS: Record<string, PatchLine['kind']> = { ' ': 'context', '-': 'removed', '+': 'added' }
const SHOWN_MAX = 60

/**
 * The hunks of a patch, in order. What precedes the first `@@`, such as the header of `git diff`, is skipped. An empty
 * line within a hunk is an empty line of context (`diff.suppressBlankEmpty`). Throws PatchError.
 */
export function readPatch(patch: string): PatchHunk[] {
  const rows = patch.split('\n')
  if (rows.at(-1) === '') rows.pop()
  let at = rows.findIndex((row) => HEADER.test(row))
  if (at === -1) throw new PatchError('has no @@ hunk; send the unified diff of this one file, or no patch')
  const hunks: PatchHunk[] = []
  let end = 0
  while (at < rows.length) {
    const header = HEADER.exec(rows[at] as string)
    if (header === null) throw new PatchError(strayRow(rows, at))
    const { hunk, next, base_end } = readHunk(rows, at, header)
    if (hunk.start < end) throw new PatchError(`line ${at + 1}: hunks must be in order and must not overlap`)
    hunks.push(hunk)
    at = next
    end = base_end
  }
  return hunks
}

function readHunk(rows: string[], header_at: number, header: RegExpExecArray) {
  const base_count = countOf(header[2])
  let base_left = base_count
  let new_left = countOf(header[4])
  // An empty range has the number of the line before it.
  const start = Number(header[1]) + (base_left === 0 ? 1 : 0)
  const lines: PatchLine[] = []
  let at = header_at + 1
  while (base_left > 0 || new_left > 0) {
    const row = rows[at]
    if (row !== undefined && isNoNewline(row)) {
      markLast(lines, at)
      at++
      continue
    }
    const kind = row === undefined ? undefined : row === '' || row === '\r' ? 'context' : KINDS[row.charAt(0)]
    if (kind === undefined) throw new PatchError(wrongCounts(header_at, rows[header_at] as string))
    if (kind !== 'added') base_left--
    if (kind !== 'removed') new_left--
    if (base_left < 0 || new_left < 0) throw new PatchError(wrongCounts(header_at, rows[header_at] as string))
    lines.push({ kind, text: textOf(row as string), ends: true })
    at++
  }
  while (at < rows.length && isNoNewline(rows[at] as string)) markLast(lines, at++)
  return { hunk: { start, lines }, next: at, base_end: start + base_count }
}

/** An empty line, also with CRLF, may have lost its leading space. */
function textOf(row: string): string {
  return row === '\r' ? row : row.slice(1)
}

function countOf(text: string | undefined): number {
  return text === undefined ? 1 : Number(text)
}

/** `\ No newline at end of file`, in any language. */
function isNoNewline(row: string): boolean {
  return row.startsWith('\\')
}

function markLast(lines: PatchLine[], at: number): void {
  const last = lines.at(-1)
  if (last === undefined)
    throw new PatchError(`line ${at + 1}: this marker must follow the line that has no newline`)
  last.ends = false
}

function wrongCounts(at: number, header: string): string {
  return `line ${at + 1}: the counts of ${header.slice(0, SHOWN_MAX)} do not match the lines that follow; send the whole patch`
}

function strayRow(rows: string[], at: number): string {
  const row = rows[at] as string
  if (row.startsWith('diff ')) return `line ${at + 1}: a second file begins; send one change for each file`
  return `line ${at + 1}: ${JSON.stringify(row.slice(0, SHOWN_MAX))} is beyond the counts of its hunk; send the whole patch`
}
