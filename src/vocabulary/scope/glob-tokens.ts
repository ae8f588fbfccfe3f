/** Tokenizes a glob: escapes, wildcards, classes and brace ranges. */
import { type CharSet, charSet } from './char-set.ts'

/** An invalid glob. `message` continues a sentence that starts with the name of the field. It does not repeat the glob. */
export class GlobError extends Error {
  override readonly name = 'GlobError'
}

/** A token is a code point (a literal character), one of these, or a class: `classes[CLASS - token]`. */
export const STAR = -1
export const ANY = -2
export const SLASH = -3
export const OPEN = -4
export const COMMA = -5
export const CLOSE = -6
export const CLASS = -16

/** The tokens of `*`, `?`, `/`, `,` and `}`. */
const SINGLE = new Map([
  [0x2a, STAR],
  [0x3f, ANY],
  [0x2f, SLASH],
  [0x2c, COMMA],
  [0x7d, CLOSE],
])

export interface CharClass {
  readonly set: CharSet
  /** The code points of the class source with its brackets, which the class also matches. */
  readonly ownText: readonly number[]
}

export interface Tokens {
  readonly tokens: number[]
  readonly classes: CharClass[]
}

const NUMBERS = /\{(-?\d{1,9})\.\.(-?\d{1,9})\}/y
const LETTERS = /\{([A-Za-z])\.\.([A-Za-z])\}/y

/**
 * The tokens of a glob. `{1..3}` and `{a..c}` become `{1,2,3}` and `{a,b,c}`. `{`, `,` and `}` become `OPEN`, `COMMA` and
 * `CLOSE` whether or not they form an alternation. Throws GlobError for a class that is empty or not closed, and for a
 * range with more than `maxRange` members.
 */
export function tokenize(source: string, maxRange: number): Tokens {
  const tokens: number[] = []
  const classes: CharClass[] = []
  for (let at = 0; at < source.length; at++) {
    const point = source.codePointAt(at) as number
    switch (point) {
      case 0x5c: {
        const escaped = source.codePointAt(at + 1) ?? point
        tokens.push(escaped === 0x2f ? SLASH : escaped)
        at += unitsOf(escaped)
        break
      }
      case 0x5b: {
        const end = closingBracket(source, at)
        classes.push(classOf(source.slice(at, end + 1)))
        tokens.push(CLASS - classes.length + 1)
        at = end
        break
      }
      case 0x7b: {
        const range = rangeAt(source, at, maxRange)
        if (range === null) tokens.push(OPEN)
        else for (const token of range.tokens) tokens.push(token)
        if (range !== null) at += range.length - 1
        break
      }
      default:
        tokens.push(SINGLE.get(point) ?? point)
        at += unitsOf(point) - 1
    }
  }
  return { tokens, classes }
}

/** The number of UTF-16 units of a code point. */
function unitsOf(point: number): number {
  return point > 0xffff ? 2 : 1
}

/** The index of the bracket that closes the class at `open`. A class does not extend across a `/`. */
function closingBracket(source: string, open: number): number {
  const first = open + (source[open + 1] === '!' || source[open + 1] === '^' ? 2 : 1)
  if (source[first] === ']') {
    throw new GlobError(
      "has an empty character class; put characters between '[' and ']', or write '\\[' for a literal bracket",
    )
  }
  for (let at = first; at < source.length && source[at] !== '/'; at++) {
    if (source[at] === ']') return at
    if (source[at] === '\\' && source[at + 1] !== '/') at++
  }
  throw new GlobError(
    "has a character class that is not closed; add ']', or write '\\[' for a literal bracket",
  )
}

/** A cache of parsed classes, because few different ones are used. */
const CACHE = new Map<string, CharClass>()
const CACHE_MAX = 500

function classOf(text: string): CharClass {
  let parsed = CACHE.get(text)
  if (parsed === undefined) {
    parsed = parseClass(text)
    if (CACHE.size === CACHE_MAX) CACHE.clear()
    CACHE.set(text, parsed)
  }
  return parsed
}

/** Parses a class, given with its brackets. A reversed range, as in `[user-id]`, adds no character. */
function parseClass(text: string): CharClass {
  const negated = text[1] === '!' || text[1] === '^'
  const members: { point: number; escaped: boolean }[] = []
  const inner = pointsOf(text.slice(negated ? 2 : 1, -1))
  for (let at = 0; at < inner.length; at++) {
    const escaped = inner[at] === 0x5c && at + 1 < inner.length
    if (escaped) at++
    members.push({ point: inner[at] as number, escaped })
  }
  const ranges: [number, number][] = []
  for (let at = 0; at < members.length; at++) {
    const { point: low } = members[at] as { point: number }
    const dash = members[at + 1]
    const high = members[at + 2]
    if (high !== undefined && dash?.point === 0x2d && !dash.escaped) {
      if (low <= high.point) ranges.push([low, high.point])
      at += 2
    } else {
      ranges.push([low, low])
    }
  }
  return { set: charSet(ranges, negated), ownText: pointsOf(text) }
}

/** The code points of a text. */
export function pointsOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) as number)
}

/** The brace range at `at` as an alternation, or null if there is none. Numbers keep leading zeros, as in a shell. */
function rangeAt(source: string, at: number, maxRange: number): { tokens: number[]; length: number } | null {
  NUMBERS.lastIndex = at
  LETTERS.lastIndex = at
  const numbers = NUMBERS.exec(source)
  const match = numbers ?? LETTERS.exec(source)
  if (match === null) return null
  const [text, from, to] = match as unknown as [string, string, string]
  const first = numbers ? Number(from) : from.charCodeAt(0)
  const last = numbers ? Number(to) : to.charCodeAt(0)
  if (Math.abs(last - first) >= maxRange) throw tooManyAlternatives(maxRange)
  const width = /^-?0\d|\.\.-?0\d/.test(text.slice(1)) ? Math.max(from.length, to.length) : 0
  const step = first <= last ? 1 : -1
  const tokens = [OPEN]
  for (let value = first; value !== last + step; value += step) {
    if (value !== first) tokens.push(COMMA)
    const member = numbers ? padded(value, width) : String.fromCharCode(value)
    for (const character of member) tokens.push(character.charCodeAt(0))
  }
  tokens.push(CLOSE)
  return { tokens, length: text.length }
}

function padded(value: number, width: number): string {
  const sign = value < 0 ? '-' : ''
  return sign + String(Math.abs(value)).padStart(width - sign.length, '0')
}

/** The error for braces that expand to more than `max` alternatives. */
export function tooManyAlternatives(max: number): GlobError {
  return new GlobError(`must expand to at most ${max} brace alternatives; list fewer, or use a wildcard`)
}
