/** A segment of a glob (the part between two slashes), as text or as a small automaton. */
import type { Budget } from '../budget.ts'
import { ANYTHING, type CharSet, DOTS, has, OTHERS, readable, shared } from './char-set.ts'
import { ANY, type CharClass, CLASS, pointsOf, SLASH, STAR } from './glob-tokens.ts'

/** A segment without wildcards is a string. */
export type Segment = string | Wild

/** A segment with wildcards. Every match starts with `prefix` and ends with `suffix`. */
export interface Wild {
  readonly prefix: string
  readonly suffix: string
  /** It is `prefix*suffix`: it matches every name with that start and end, if they do not overlap. */
  readonly isOneStar: boolean
  /** Its automaton accepts the empty name, `.` or `..`, which searches must exclude because paths do not contain them. */
  readonly mayBeDots: boolean
  readonly tokens: readonly number[]
  readonly classes: readonly CharClass[]
  /** Built on first use, because prefix and suffix decide most comparisons. */
  automaton: Automaton | null
  /** Its shortest name, computed on first use. */
  sample: string | null
}

/**
 * State `i` reads one character of `codes[i]` (a code point, `ANY`, or a class as in tokens) and moves to `targets[i]`. If
 * `skips[i]` is 1, it can also move to state `i + 1` without reading. The last state (`END`) reads nothing and accepts.
 */
export interface Automaton {
  readonly codes: Int32Array
  readonly targets: Int32Array
  readonly skips: Uint8Array
  readonly classes: readonly CharClass[]
}

const DOT = 0x2e
const END = SLASH

/** Builds a segment from at least one token, without `SLASH`. */
export function segmentOf(tokens: readonly number[], classes: readonly CharClass[]): Segment {
  let first = 0
  while (first < tokens.length && (tokens[first] as number) >= 0) first++
  if (first === tokens.length) return textOf(tokens)
  let last = tokens.length - 1
  while ((tokens[last] as number) >= 0) last--
  return {
    prefix: textOf(tokens.slice(0, first)),
    suffix: textOf(tokens.slice(last + 1)),
    isOneStar: isStars(tokens, first, last),
    mayBeDots: acceptsDots(tokens, classes),
    tokens,
    classes,
    automaton: null,
    sample: null,
  }
}

/** `*`, which matches every name. */
export const ANY_NAME = segmentOf([STAR], []) as Wild

/** The automaton of a segment; that of a string is not cached. Costs four units per compiled token. */
export function automatonOf(segment: Segment, budget: Budget): Automaton {
  if (typeof segment !== 'string' && segment.automaton !== null) return segment.automaton
  const tokens = typeof segment === 'string' ? pointsOf(segment) : segment.tokens
  budget.remaining -= 4 * tokens.length
  if (typeof segment === 'string') return compile(tokens, [])
  segment.automaton = compile(tokens, segment.classes)
  return segment.automaton
}

function compile(tokens: readonly number[], classes: readonly CharClass[]): Automaton {
  const codes: number[] = []
  const targets: number[] = []
  const skips: number[] = []
  const add = (code: number, target: number, skip: number) => {
    codes.push(code)
    targets.push(target)
    skips.push(skip)
  }
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as number
    const here = codes.length
    if (token === STAR) {
      if (tokens[at - 1] !== STAR) add(ANY, here, 1)
    } else if (token <= CLASS) {
      const { ownText } = classes[CLASS - token] as CharClass
      add(token, here + 1 + ownText.length, 1)
      for (const point of ownText) add(point, codes.length + 1, 0)
    } else {
      add(token, here + 1, 0)
    }
  }
  add(END, codes.length, 0)
  return {
    codes: new Int32Array(codes),
    targets: new Int32Array(targets),
    skips: new Uint8Array(skips),
    classes,
  }
}

/** The characters that both states can read: a combination of `DOTS` and `OTHERS`, or 0 if there are none. */
export function sharedNext(a: Automaton, i: number, b: Automaton, j: number): number {
  const x = a.codes[i] as number
  const y = b.codes[j] as number
  if (x >= 0) return x === y || (y < 0 && reads(b, y, x)) ? kindOf(x) : 0
  if (y >= 0) return reads(a, x, y) ? kindOf(y) : 0
  if (x === END || y === END) return 0
  if (x === ANY && y === ANY) return DOTS | OTHERS
  return shared(setOf(x, a.classes), setOf(y, b.classes))
}

function reads(automaton: Automaton, wildcard: number, point: number): boolean {
  if (wildcard === ANY || wildcard === END) return wildcard === ANY
  return has(setOf(wildcard, automaton.classes), point)
}

function kindOf(point: number): number {
  return point === DOT ? DOTS : OTHERS
}

/** The preferred character of those that both states can read, the dot excluded. There must be at least one. */
export function readableNext(a: Automaton, i: number, b: Automaton, j: number): string {
  const x = a.codes[i] as number
  const y = b.codes[j] as number
  if (x >= 0) return String.fromCodePoint(x)
  if (y >= 0) return String.fromCodePoint(y)
  return String.fromCodePoint(readable(setOf(x, a.classes), setOf(y, b.classes)))
}

function isStars(tokens: readonly number[], from: number, to: number): boolean {
  for (let at = from; at <= to; at++) if (tokens[at] !== STAR) return false
  return true
}

function acceptsDots(tokens: readonly number[], classes: readonly CharClass[]): boolean {
  let characters = 0
  for (const token of tokens) {
    if (token === STAR) continue
    if (++characters > 2 || !(token === DOT || (token < 0 && has(setOf(token, classes), DOT)))) return false
  }
  return true
}

/** The characters that a wildcard matches. */
function setOf(code: number, classes: readonly CharClass[]): CharSet {
  return code <= CLASS ? (classes[CLASS - code] as CharClass).set : ANYTHING
}

function textOf(points: readonly number[]): string {
  let widest = 0
  for (let at = 0; at < points.length; at++) widest = Math.max(widest, points[at] as number)
  // fromCharCode is several times faster, and equivalent for 16-bit code points.
  const make = widest > 0xffff ? String.fromCodePoint : String.fromCharCode
  return make.apply(null, points as number[])
}
