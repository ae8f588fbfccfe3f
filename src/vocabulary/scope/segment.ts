/** The segments of a glob (the parts between two slashes): which names they match, and which name two of them match. */
import { classEnd } from './braces.ts'
import { ANYTHING, type CharSet, charSet, commonPoint, has, pointsOf } from './char-set.ts'
import { matches, meet, type Pattern } from './wildcards.ts'

/** A segment without wildcards is a string. */
export type Segment = string | Wild

/** A code point, or the characters of `?` or of a class. */
type Token = number | CharSet

/** A segment with wildcards. Every match starts with `prefix` and ends with `suffix`. */
export interface Wild {
  readonly prefix: string
  readonly suffix: string
  /** It is `prefix*suffix`: it matches every name with that start and end, if they do not overlap. */
  readonly isOneStar: boolean
  /** A name has to match one of these. The second has the text of the classes in place of the classes. */
  readonly patterns: readonly Pattern<Token>[]
  /** Its shortest name, computed on first use. */
  sample: string | null
}

const SLASH = 0x2f

/** The segments of a glob without braces; null is `**`. */
export function segmentsOf(glob: string): (Segment | null)[] {
  const segments: (Segment | null)[] = []
  let tokens: (Token | null)[] = []
  let asText: (Token | null)[] = []
  const add = (token: Token | null, text: readonly (Token | null)[] = [token]) => {
    tokens.push(token)
    asText.push(...text)
  }
  const end = () => {
    const isAny = tokens.length > 0 && tokens.every((token) => token === null)
    segments.push(!isAny ? segmentOf(tokens, asText) : tokens.length === 2 ? null : ANY_NAME)
    tokens = []
    asText = []
  }
  for (let at = 0; at < glob.length; at++) {
    const isEscaped = glob[at] === '\\' && at + 1 < glob.length
    if (isEscaped) at++
    const point = glob.codePointAt(at) as number
    if (point === SLASH) end()
    else if (isEscaped) add(point)
    else if (glob[at] === '*') add(null)
    else if (glob[at] === '?') add(ANYTHING)
    else if (glob[at] === '[') {
      const text = glob.slice(at, classEnd(glob, at) + 1)
      add(classOf(text), pointsOf(text))
      at += text.length - 1
    } else add(point)
    if (point > 0xffff) at++
  }
  end()
  return segments
}

/** Parses a class, given with its brackets. A reversed range, as in `[user-id]`, adds no character. */
function classOf(text: string): CharSet {
  const isNegated = /^\[[!^]/.test(text)
  const members = [...text.slice(isNegated ? 2 : 1, -1).matchAll(/\\?(.)/gsu)]
  const ranges: [number, number][] = []
  for (let at = 0; at < members.length; at++) {
    const low = pointOf(members[at])
    const isRange = members[at + 1]?.[0] === '-' && at + 2 < members.length
    const high = isRange ? pointOf(members[at + 2]) : low
    if (low <= high) ranges.push([low, high])
    if (isRange) at += 2
  }
  return charSet(ranges, isNegated)
}

function pointOf(member: RegExpExecArray | undefined): number {
  return member?.[1]?.codePointAt(0) as number
}

function segmentOf(tokens: readonly (Token | null)[], asText: readonly (Token | null)[]): Segment {
  const isWild = (token: Token | null) => typeof token !== 'number'
  const first = tokens.findIndex(isWild)
  if (first === -1) return textOf(tokens)
  const last = tokens.findLastIndex(isWild)
  const isOneStar = tokens.slice(first, last + 1).every((token) => token === null)
  return {
    prefix: textOf(tokens.slice(0, first)),
    suffix: textOf(tokens.slice(last + 1)),
    isOneStar,
    patterns: asText.length === tokens.length ? [tokens] : [tokens, asText],
    sample: null,
  }
}

function textOf(points: readonly unknown[]): string {
  return String.fromCodePoint(...(points as number[]))
}

/** `*`, which matches every name. */
export const ANY_NAME: Wild = { prefix: '', suffix: '', isOneStar: true, patterns: [[null]], sample: null }

/** Whether some name matches both segments. */
export function segmentsOverlap(a: Segment, b: Segment): boolean {
  if (typeof a === 'string') return matchesSegment(b, a)
  if (typeof b === 'string') return matchesSegment(a, b)
  if (a === ANY_NAME || b === ANY_NAME) return true
  if (!a.prefix.startsWith(b.prefix) && !b.prefix.startsWith(a.prefix)) return false
  if (!a.suffix.endsWith(b.suffix) && !b.suffix.endsWith(a.suffix)) return false
  return (a.isOneStar && b.isOneStar) || shortestName(a, b) !== null
}

export function matchesSegment(segment: Segment, name: string): boolean {
  if (typeof segment === 'string') return segment === name
  const { prefix, suffix, isOneStar, patterns } = segment
  if (!name.startsWith(prefix) || !name.endsWith(suffix)) return false
  if (isOneStar) return name.length >= prefix.length + suffix.length
  const points = pointsOf(name)
  return patterns.some((pattern) => matches(pattern, points, isPoint))
}

function isPoint(token: Token, point: number): boolean {
  return typeof token === 'number' ? token === point : has(token, point)
}

/** A short name that matches both segments, without a leading dot if possible; null if there is none. */
export function commonName(a: Segment, b: Segment): string | null {
  if (typeof a === 'string') return matchesSegment(b, a) ? a : null
  if (typeof b === 'string') return matchesSegment(a, b) ? b : null
  if (a === ANY_NAME) return sampleOf(b)
  if (b === ANY_NAME) return sampleOf(a)
  return shortestName(a, b)
}

function sampleOf(segment: Wild): string | null {
  segment.sample ??= shortestName(segment, ANY_NAME)
  return segment.sample
}

const DOT = charSet([[0x2e, 0x2e]], false)
const NO_DOT = charSet([[0x2e, 0x2e]], true)

/** What a name begins with, because none is empty, `.` or `..`; the preferred first. Any other characters follow. */
const STARTS: readonly (readonly CharSet[])[] = [[NO_DOT], [DOT, NO_DOT], [DOT, DOT, ANYTHING]]

function shortestName(a: Wild, b: Wild): string | null {
  // Most have nothing in common, which is found faster without the rules for a start.
  const pairs = a.patterns
    .flatMap((one) => b.patterns.map((other) => [one, other] as const))
    .filter(([one, other]) => meet(one, other, { common: anyCommon, least: 0 }) !== null)
  for (const start of STARTS) {
    const common = (one: Token | null, other: Token | null, at: number) =>
      commonOf(one, other, start[at] ?? ANYTHING)
    for (const pair of pairs) {
      const points = meet(...pair, { common, least: start.length })
      if (points !== null) return String.fromCodePoint(...points)
    }
  }
  return null
}

/** A character of both; 0 if one of them takes any. */
function anyCommon(one: Token | null, other: Token | null): number | null {
  const isAny = [null, ANYTHING].some((any) => one === any || other === any)
  return isAny ? 0 : commonOf(one, other, ANYTHING)
}

/** A character of both; null if there is none. */
function commonOf(one: Token | null, other: Token | null, within: CharSet): number | null {
  if (typeof one === 'number') return isCommon(one, other, within) ? one : null
  if (typeof other === 'number') return isCommon(other, one, within) ? other : null
  return commonPoint([within, one ?? ANYTHING, other ?? ANYTHING])
}

function isCommon(point: number, token: Token | null, within: CharSet): boolean {
  return (token === null || isPoint(token, point)) && has(within, point)
}
