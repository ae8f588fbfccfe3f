/** What two segments have in common: whether some name matches both, and the shortest such name (contract §6). */

import type { Budget } from '../base/budget.ts'
import { DOTS, OTHERS } from './char-set.ts'
import { Frontier } from './frontier.ts'
import {
  ANY_NAME,
  type Automaton,
  automatonOf,
  readableNext,
  type Segment,
  sharedNext,
  type Wild,
} from './segment.ts'

/**
 * How the name looks so far: nothing yet, `.`, `..`, or anything else. Only the last may end it, as a path holds no
 * empty segment, no `.` and no `..`. It is kept in the lowest bits of a state.
 */
const EMPTY = 0
const LOOK_BITS = 2

/** A name that begins with a dot is taken only when there is no other, as if it were this much longer. */
const HIDDEN = 1_000_000

const DOT = 0x2e

/** What beginning a search costs beside looking at a state, and what settling one does. */
const SETTING_UP = 4
const SETTLING = 4

/** The route of the state a search begins with. */
const START = 0x7fffffff

const frontier = new Frontier()

/** Whether some name matches both segments. Spends one unit per pair of states looked at, and what compiling takes. */
export function segmentsOverlap(a: Segment, b: Segment, budget: Budget): boolean {
  if (typeof a === 'string') return typeof b === 'string' ? a === b : wildMatches(b, a, budget)
  if (typeof b === 'string') return wildMatches(a, b, budget)
  if (a === ANY_NAME || b === ANY_NAME) return true
  if (!a.prefix.startsWith(b.prefix) && !b.prefix.startsWith(a.prefix)) return false
  if (!a.suffix.endsWith(b.suffix) && !b.suffix.endsWith(a.suffix)) return false
  if (a.isOneStar && b.isOneStar) return true
  return search(automatonOf(a, budget), automatonOf(b, budget), a.isDotty && b.isDotty, budget)
}

function wildMatches(wild: Wild, name: string, budget: Budget): boolean {
  if (wild === ANY_NAME) return true
  if (!name.startsWith(wild.prefix) || !name.endsWith(wild.suffix)) return false
  if (wild.isOneStar) return name.length >= wild.prefix.length + wild.suffix.length
  return search(automatonOf(wild, budget), automatonOf(name, budget), false, budget)
}

/** How a state is made of state `i` of `a`, state `j` of `b` and a look: `i << high | j << low | look`. */
interface Layout {
  readonly high: number
  readonly low: number
  readonly maskJ: number
  /** The look that may end a name; the largest. */
  readonly name: number
  /** The state at the end of both. */
  readonly last: number
}

function layoutOf(a: Automaton, b: Automaton, low: number): Layout {
  const bitsJ = 32 - Math.clz32(b.codes.length - 1)
  const high = bitsJ + low
  const name = (1 << low) - 1
  const last = ((a.codes.length - 1) << high) + ((b.codes.length - 1) << low) + name
  return { high, low, maskJ: (1 << bitsJ) - 1, name, last }
}

/** Depth first over pairs of states, and looks if `isDotty`. */
function search(a: Automaton, b: Automaton, isDotty: boolean, budget: Budget): boolean {
  const { high, low, maskJ, name, last } = layoutOf(a, b, isDotty ? LOOK_BITS : 0)
  budget.remaining -= SETTING_UP
  frontier.begin(last + 1)
  frontier.add(EMPTY)
  for (let state = frontier.take(); state !== -1; state = frontier.take()) {
    if (--budget.remaining < 0) return false
    if (state === last) return true
    const i = state >> high
    const j = (state >> low) & maskJ
    if (a.skips[i] === 1) frontier.add(state + (1 << high))
    if (b.skips[j] === 1) frontier.add(state + (1 << low))
    const next = sharedNext(a, i, b, j)
    if (next === 0) continue
    const reached = ((a.targets[i] as number) << high) + ((b.targets[j] as number) << low)
    if (next & DOTS) frontier.add(reached + Math.min((state & name) + 1, name))
    if (next & OTHERS) frontier.add(reached + name)
  }
  return false
}

/**
 * The shortest name both segments match, one without a leading dot if there is any; null when there is none or the
 * budget ran out.
 */
export function commonName(a: Segment, b: Segment, budget: Budget): string | null {
  if (!segmentsOverlap(a, b, budget)) return null
  if (typeof a === 'string') return a
  if (typeof b === 'string') return b
  if (a === ANY_NAME || a === b) return sampleOf(b, budget)
  if (b === ANY_NAME) return sampleOf(a, budget)
  return shortestName(a, b, budget)
}

/** The shortest name a segment matches, one without a leading dot if there is any; null when the budget ran out. */
export function sampleOf(segment: Segment, budget: Budget): string | null {
  if (typeof segment === 'string') return segment
  segment.sample ??= shortestName(segment, ANY_NAME, budget)
  return segment.sample
}

/** How long a name counts when the shortest is wanted: its characters, and much more when it begins with a dot. */
export function weightOf(name: string): number {
  let length = name.charCodeAt(0) === DOT ? HIDDEN : 0
  for (const _ of name) length++
  return length
}

function shortestName(a: Wild, b: Wild, budget: Budget): string | null {
  const seen = shortestSeen(a, b, false, budget)
  return seen === null && budget.remaining >= 0 ? shortestSeen(a, b, true, budget) : seen
}

/**
 * Breadth first over the states of `search`: all that one more character leads to, and what they may become without
 * reading, before the next. A state is settled only when it is taken out, since a skip may yet reach it sooner than
 * the character that put it there.
 */
function shortestSeen(x: Wild, y: Wild, mayHide: boolean, budget: Budget): string | null {
  const [a, b] = [automatonOf(x, budget), automatonOf(y, budget)]
  // Whether a name is still empty matters even where it cannot be all dots: its first character may have to be none.
  const layout = layoutOf(a, b, x.isDotty && y.isDotty ? LOOK_BITS : 1)
  const { high, low, maskJ, name, last } = layout
  budget.remaining -= last >> 4
  if (budget.remaining < 0) return null
  const routes = new Int32Array(last + 1)
  for (let level = [EMPTY, START], following: number[] = []; level.length > 0; level = following) {
    following = []
    while (level.length > 0) {
      const route = level.pop() as number
      const state = level.pop() as number
      if (routes[state] !== 0) continue
      budget.remaining -= SETTLING
      if (budget.remaining < 0) return null
      routes[state] = route
      if (state === last) return nameAlong(routes, a, b, layout)
      const look = state & name
      const i = state >> high
      const j = (state >> low) & maskJ
      if (a.skips[i] === 1) level.push(state + (1 << high), state + 1)
      if (b.skips[j] === 1) level.push(state + (1 << low), state + 1)
      const next = sharedNext(a, i, b, j)
      const reached = ((a.targets[i] as number) << high) + ((b.targets[j] as number) << low)
      if (next & DOTS && (look !== EMPTY || mayHide))
        following.push(reached + Math.min(look + 1, name), -state - 1)
      if (next & OTHERS) following.push(reached + name, -state - 1)
    }
  }
  return null
}

/** `routes` holds, for each state settled, the one before it: `state + 1` by a skip, `-state - 1` by a character. */
function nameAlong(routes: Int32Array, a: Automaton, b: Automaton, layout: Layout): string {
  const { high, low, maskJ, name } = layout
  const read: string[] = []
  let state = layout.last
  for (let route = routes[state] as number; route !== START; route = routes[state] as number) {
    const before = Math.abs(route) - 1
    if (route < 0) {
      const [i, j] = [before >> high, (before >> low) & maskJ]
      const mayBeOther = (state & name) === name && sharedNext(a, i, b, j) & OTHERS
      read.push(mayBeOther ? readableNext(a, i, b, j) : '.')
    }
    state = before
  }
  return read.reverse().join('')
}
