/** Text in terminal columns, where a character can be zero, one or two columns wide: width, truncation, wrapping, tables. */
import { eastAsianWidth } from 'get-east-asian-width'
import type { Paint, Style } from './terminal.ts'

const ASCII = /^[\x20-\x7e]*$/
/** Emoji are two columns wide, also characters that a variation selector turns into an emoji. */
const WIDE = /\p{Emoji_Presentation}|\ufe0f/u
/** Combining marks and invisible characters. */
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u

let segmenter: Intl.Segmenter | undefined

function graphemes(text: string): string[] {
  if (ASCII.test(text)) return [...text]
  segmenter ??= new Intl.Segmenter()
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

function graphemeWidth(grapheme: string): number {
  if (ZERO_WIDTH.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0) as number)
}

/** The number of columns that a text takes. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  return graphemes(text).reduce((sum, each) => sum + graphemeWidth(each), 0)
}

/** The longest beginning of `text` that takes at most `max` columns. */
function prefix(text: string, max: number): string {
  let taken = ''
  let left = max
  for (const each of graphemes(text)) {
    left -= graphemeWidth(each)
    if (left < 0) break
    taken += each
  }
  return taken
}

/** Shortens a text of more than `max` columns, with an ellipsis. */
export function truncate(text: string, max: number): string {
  if (displayWidth(text) <= max) return text
  return max < 1 ? '' : `${prefix(text, max - 1)}…`
}

const WRAP_MIN = 16

/** Breaks a text into lines of at most `width` columns, between words if possible. Continuation lines start with `indent`. */
export function wrap(text: string, { width, indent }: { width: number; indent: string }): string[] {
  const max = Math.max(width, indent.length + WRAP_MIN)
  const lines: string[] = []
  let line = ''
  for (const word of text.match(/ *[^ ]+/g) ?? []) {
    if (displayWidth(line + word) <= max) {
      line += word
      continue
    }
    if (line !== '') lines.push(line)
    line = line === '' ? word : indent + word.trimStart()
    while (displayWidth(line) > max) {
      const head = prefix(line, max)
      lines.push(head)
      line = indent + line.slice(head.length)
    }
  }
  return [...lines, line]
}

export interface Cell {
  text: string
  style?: Style
}

/** Columns are not made narrower than this. */
const COLUMN_MIN = 8
const GAP = '  '

/**
 * Lines of a table, of at most `width` columns if possible: the widest columns are truncated first. A column that is
 * empty in all rows is left out.
 */
export function table(rows: Cell[][], { paint, width }: { paint: Paint; width: number }): string[] {
  const widths = fittedWidths(naturalWidths(rows), width)
  return rows.map((row) =>
    row
      .map(({ text, style }, index) => ({
        text: truncate(text, widths[index] ?? 0),
        style,
        max: widths[index] ?? 0,
      }))
      .filter(({ max }) => max > 0)
      .map(({ text, style, max }, index, { length }) => {
        const padding = index === length - 1 ? '' : ' '.repeat(max - displayWidth(text))
        return `${style && text !== '' ? paint(style, text) : text}${padding}`
      })
      .join(GAP)
      .trimEnd(),
  )
}

function naturalWidths(rows: Cell[][]): number[] {
  return (rows[0] ?? []).map((_, index) =>
    Math.max(...rows.map((row) => displayWidth(row[index]?.text ?? ''))),
  )
}

function fittedWidths(natural: number[], width: number): number[] {
  const widths = [...natural]
  const gaps = GAP.length * (widths.filter((each) => each > 0).length - 1)
  let excess = widths.reduce((sum, each) => sum + each, gaps) - width
  for (; excess > 0; excess -= 1) {
    const widest = Math.max(...widths)
    if (widest <= COLUMN_MIN) break
    widths[widths.indexOf(widest)] = widest - 1
  }
  return widths
}
