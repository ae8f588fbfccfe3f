/** Parses the unified diff of one file, in the format of GitHub's list of files and of `git diff`. Pure. */

/** The patch is invalid. The message says what is wrong and what to send. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
}

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
const SHOWN_MAX = 60

/**
 * Yields the hunks of a patch one at a time, because all lines together may take a hundred times the memory of the patch.
 * Lines after the first `lines_max` are checked, but not yielded. Lines before the first `@@`, such as the header of
 * `git diff`, are skipped. An empty line within a hunk is an empty line of context (`diff.suppressBlankEmpty`). Throws
 * PatchError when it reaches an invalid line.
 */
export function* readPatch(patch: string, lines_max: number): Generator<PatchHunk> {
  const rows = new Rows(patch)
  while (rows.row !== undefined && !HEADER.test(rows.row)) rows.next()
  if (rows.row === undefined)
    throw new PatchError('has no @@ hunk; send the unified diff of this one file, or no patch')
  let end = 0
  let left = lines_max
  while (rows.row !== undefined) {
    const { row, number } = rows
    const header = HEADER.exec(row)
    if (header === null) throw new PatchError(strayRow(row, number))
    const { hunk, base_end } = readHunk(rows, header, left)
    if (hunk.start < end) throw new PatchError(`line ${number}: hunks must be in order and must not overlap`)
    end = base_end
    left -= hunk.lines.length
    yield hunk
  }
}

/** Reads a text row by row. A newline at the end of the text does not begin another row. */
class Rows {
  /** The current row; undefined after the last one. */
  row: string | undefined
  /** The number of the current row, from 1. */
  number = 0
  readonly #text: string
  #end = -1

  constructor(text: string) {
    this.#text = text
    this.next()
  }

  next(): void {
    const from = this.#end + 1
    this.number++
    if (from >= this.#text.length) {
      this.row = undefined
      return
    }
    const newline = this.#text.indexOf('\n', from)
    this.#end = newline === -1 ? this.#text.length : newline
    this.row = this.#text.slice(from, this.#end)
  }
}

/**
 * Reads the hunk whose header is the current row, and moves to the row after it. Lines after the first `lines_max` are
 * left out.
 */
function readHunk(
  rows: Rows,
  header: RegExpExecArray,
  lines_max: number,
): { hunk: PatchHunk; base_end: number } {
  const { number } = rows
  const base_count = countOf(header[2])
  let base_left = base_count
  let new_left = countOf(header[4])
  // In a header, an empty range has the number of the line before it.
  const start = Number(header[1]) + (base_left === 0 ? 1 : 0)
  const lines: PatchLine[] = []
  let last: PatchLine | undefined
  rows.next()
  for (; base_left > 0 || new_left > 0; rows.next()) {
    const { row } = rows
    if (row !== undefined && isNoNewline(row)) {
      markLast(last, rows.number)
      continue
    }
    const kind = row === undefined ? undefined : kindOf(row)
    if (kind !== 'added') base_left--
    if (kind !== 'removed') new_left--
    if (kind === undefined || base_left < 0 || new_left < 0)
      throw new PatchError(wrongCounts(header.input, number))
    last = { kind, text: textOf(row as string), ends: true }
    if (lines.length < lines_max) lines.push(last)
  }
  for (; rows.row !== undefined && isNoNewline(rows.row); rows.next()) markLast(last, rows.number)
  return { hunk: { start, lines }, base_end: start + base_count }
}

function kindOf(row: string): PatchLine['kind'] | undefined {
  if (row === '' || row === '\r' || row.startsWith(' ')) return 'context'
  return row.startsWith('-') ? 'removed' : row.startsWith('+') ? 'added' : undefined
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

function markLast(last: PatchLine | undefined, number: number): void {
  if (last === undefined)
    throw new PatchError(`line ${number}: this marker must follow the line that has no newline`)
  last.ends = false
}

function wrongCounts(header: string, number: number): string {
  return `line ${number}: the counts of ${header.slice(0, SHOWN_MAX)} do not match the lines that follow; send the whole patch`
}

function strayRow(row: string, number: number): string {
  if (row.startsWith('diff ')) return `line ${number}: a second file begins; send one change for each file`
  return `line ${number}: ${JSON.stringify(row.slice(0, SHOWN_MAX))} is beyond the counts of its hunk; send the whole patch`
}
