/** Output for a terminal: colors, relative times, and text in columns, where a character can be zero, one or two columns wide: truncation, wrapping, tables. */
import { styleText } from 'node:util'
import displayWidth from 'fast-string-width'
import type { Output } from './runtime.ts'

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'
export type Paint = (style: Style, text: string) => string

/** The properties of the output that determine the layout of lines. */
export interface Display {
  paint: Paint
  now: Date
  /** Columns of a line. */
  width: number
}

export const LEVEL_STYLES = { low: 'dim', medium: 'yellow', high: 'red', critical: 'red' } as const

/** Colors text only on a terminal, and not if `NO_COLOR` is set. */
export function painter(output: Output, env: Record<string, string | undefined>): Paint {
  const hasColor = output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  return (style, text) => (hasColor ? styleText(style, text, { validateStream: false }) : text)
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** Rounds up, so that a TTL of a day still reads `in 1 d` a moment after it was set. */
const ROUNDING = 1.01

/** `3 min ago`, `in 23 h`, `now`. */
export function relativeTime(instant: string, now: Date): string {
  const left = new Date(instant).getTime() - now.getTime()
  const ms = left > 0 ? left * ROUNDING : left
  const [unit, size] = UNITS.find(([, size]) => Math.abs(ms) >= size) ?? ['s', 1000]
  const count = Math.floor(Math.abs(ms) / size)
  if (count === 0) return 'now'
  return ms < 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`
}

/** Shortens a text of more than `max` columns, with an ellipsis. */
export function truncate(text: string, max: number): string {
  if (displayWidth(text) <= max) return text
  return max < 1 ? '' : `${startOf(text, max - 1)}…`
}

const WRAP_MIN = 16

/** Breaks a text into lines of at most `width` columns, between words if possible. Continuation lines start with `indent`. */
export function wrap(text: string, { width, indent }: { width: number; indent: string }): string[] {
  const max = Math.max(width, indent.length + WRAP_MIN)
  const lines: string[] = []
  let start = /^ */.exec(text)?.[0] ?? ''
  let rest = text.slice(start.length)
  do {
    const row = firstRow(rest, max - start.length)
    lines.push(start + row.trimEnd())
    rest = rest.slice(row.length).trimStart()
    start = indent
  } while (rest !== '')
  return lines
}

/** A word that is too long starts a row of its own, and is cut. */
function firstRow(text: string, max: number): string {
  const row = startOf(text, max)
  if (row === text || text[row.length] === ' ') return row
  return row.slice(0, row.lastIndexOf(' ') + 1) || row || text.slice(0, max)
}

/** More code units than a column can hold. Only so much of a text is looked at for a row, however long the text is. */
const UNITS_MAX = 16

/** The longest start of at most `max` columns that ends between two characters as people see them. */
function startOf(text: string, max: number): string {
  const head = text.slice(0, max * UNITS_MAX)
  // Of one column each. A segmenter takes 10 ms to be made.
  if (/^[ -~‘-”…→]*$/.test(head)) return text.slice(0, max)
  let [end, width] = [0, 0]
  for (const { segment } of new Intl.Segmenter().segment(head)) {
    width += displayWidth(segment)
    if (width > max) break
    end += segment.length
  }
  return text.slice(0, end)
}

export interface Cell {
  text: string
  /** Its column is not truncated, however narrow the terminal. */
  is_whole?: boolean
  style?: Style
}

const COLUMN_MIN = 8
const GAP = '  '

/**
 * Lines of a table, of at most `width` columns if possible: the widest columns are truncated first. A column that is
 * empty in all rows is left out.
 */
export function table(rows: Cell[][], { paint, width }: { paint: Paint; width: number }): string[] {
  const isWhole = (index: number) => rows[0]?.[index]?.is_whole === true
  const widths = fittedWidths(naturalWidths(rows), width, isWhole)
  return rows.map((row) =>
    row
      .flatMap(({ text: whole, style }, index) => {
        const max = widths[index] ?? 0
        if (max === 0) return []
        const text = truncate(whole, max)
        return `${style && text !== '' ? paint(style, text) : text}${' '.repeat(max - displayWidth(text))}`
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

function fittedWidths(natural: number[], width: number, isWhole: (index: number) => boolean): number[] {
  const widths = [...natural]
  const gaps = GAP.length * (widths.filter((each) => each > 0).length - 1)
  let excess = widths.reduce((sum, each) => sum + each, gaps) - width
  for (; excess > 0; excess -= 1) {
    const widest = Math.max(...widths.filter((_, index) => !isWhole(index)))
    if (widest <= COLUMN_MIN) break
    widths[widths.findIndex((each, index) => each === widest && !isWhole(index))] = widest - 1
  }
  return widths
}
