/** Counts, lists, capitals and JSON in text; and text by other people, made safe to show: every surface shows such text through these functions. Pure. */

/** The start of the reason of a check that had nothing to compare. */
export const NOTHING_COMPARED = 'No activity was compared'

/** Quotes or escapes a text from users for the place where it is shown. */
export type Quote = (text: string) => string

/** `1 notable`, `2 notables`. */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

/** `a`, `a and b`, `a, b and c`. */
export function joined(items: readonly string[]): string {
  const [last = '', ...others] = items.toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`
}

export function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

export function uncapitalized(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`
}

/** The value in a JSON text; undefined for any other text. */
export function parsedJson(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `2026-01-31 09:30 UTC`, for an ISO timestamp. */
export function minuteText(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`
}

/** Format, tag and other characters that a reader does not see, or that change the order of those around them. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const ESCAPE_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal control characters must be named to be removed
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u009b[0-?]*[ -/]*[@-~]/g
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/gu
const QUOTATION_MARKS = /[\p{Quotation_Mark}❛-❠`]/gu

/** The text on one line, without escape sequences, control characters and invisible characters. */
export function sanitize(text: string): string {
  const visible = text.replace(INVISIBLE, '').replace(ESCAPE_SEQUENCES, '').replace(CONTROLS, ' ')
  return visible.replace(/ {2,}/g, ' ').trim()
}

/** The sanitized text in “…”, which no quotation mark of its own ends. A longer one is shortened to `max` UTF-16 units. */
export function inQuotes(text: string, max = Number.POSITIVE_INFINITY): string {
  const plain = sanitize(text).replace(QUOTATION_MARKS, "'")
  const clipped = plain.length <= max ? plain : `${plain.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`
  return `“${clipped}”`
}

/** A copy of a JSON value whose strings have no invisible characters. */
export function withoutInvisible<Value>(value: Value): Value
export function withoutInvisible(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(INVISIBLE, '')
  if (Array.isArray(value)) return value.map((each) => withoutInvisible(each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutInvisible(each)]))
}

/** JSON with the characters escaped that are invisible or that a terminal interprets. */
export function escapedJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu,
    (char) =>
      Array.from(
        { length: char.length },
        (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`,
      ).join(''),
  )
}

/** The text without NUL, and with a replacement character for each unpaired surrogate. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed()
}
