/** Text in columns of a terminal, where a character may take none, one or two: widths, cuts, tables. */
import { eastAsianWidth } from 'get-east-asian-width'
import type { Paint, Style } from './terminal.ts'

const ASCII = /^[\x20-\x7e]*$/
/** Emoji are two columns wide, and so is what a variation selector turns into one. */
const WIDE = /\p{Emoji_Presentation}|\ufe0f/u
/** Marks that stand on another character, and characters that are not shown. */
const NONE = /^[\p{Mn}\p{Me}\p{Cf}]+$/u

let segmenter: Intl.Segmenter | undefined

/** What a reader takes for one character each. */
function characters(text: string): string[] {
  if (ASCII.test(text)) return [...text]
  segmenter ??= new Intl.Segmenter()
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

function widthOfCharacter(character: string): number {
  if (NONE.test(character)) return 0
  return WIDE.test(character) ? 2 : eastAsianWidth(character.codePointAt(0) as number)
}

/** How many columns a text takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length
  return characters(text).reduce((sum, each) => sum + widthOfCharacter(each), 0)
}

/** Cuts a text that takes more than `max` columns. */
export function clip(text: string, max: number): string {
  if (widthOf(text) <= max) return text
  let cut = ''
  let left = max - 1
  for (const each of characters(text)) {
    left -= widthOfCharacter(each)
    if (left < 0) break
    cut += each
  }
  return max < 1 ? '' : `${cut}…`
}

export interface Cell {
  text: string
  style?: Style
}

/** A column is never cut to fewer columns of the terminal. */
const LEAST = 8

/**
 * Lines of a table, of at most `width` columns where that is possible: the widest columns are cut first. A column that
 * is empty in all rows is left out. Cells are painted after they were measured.
 */
export function table(rows: Cell[][], { paint, width }: { paint: Paint; width: number }): string[] {
  const widths = fitted(naturalWidths(rows), width)
  return rows.map((row) =>
    row
      .map(({ text, style }, at) => ({ text: clip(text, widths[at] ?? 0), style, max: widths[at] ?? 0 }))
      .filter(({ max }) => max > 0)
      .map(({ text, style, max }, at, { length }) => {
        const padding = at === length - 1 ? '' : ' '.repeat(max - widthOf(text))
        return `${style && text !== '' ? paint(style, text) : text}${padding}`
      })
      .join(GAP)
      .trimEnd(),
  )
}

const GAP = '  '

function naturalWidths(rows: Cell[][]): number[] {
  return (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => widthOf(row[at]?.text ?? ''))))
}

function fitted(natural: number[], width: number): number[] {
  const widths = [...natural]
  const gaps = GAP.length * (widths.filter((each) => each > 0).length - 1)
  let over = widths.reduce((sum, each) => sum + each, gaps) - width
  for (; over > 0; over -= 1) {
    const widest = Math.max(...widths)
    if (widest <= LEAST) break
    widths[widths.indexOf(widest)] = widest - 1
  }
  return widths
}
