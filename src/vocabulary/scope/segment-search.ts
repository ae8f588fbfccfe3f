/** Searches for a name that matches two segments: whether one exists, and the shortest one. */
import type { Budget } from '../budget.ts'
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
 * The form of the name so far, in two bits: 0 is empty, 1 `.`, 2 `..`, and 3 anything else. Only form 3 is a complete name,
 * because paths have no empty, `.` and `..` segments. Fewer bits are enough if the name cannot be `.` or `..`. The form is
 * stored in the lowest bits of a state.
 */
const EMPTY = 0
const FORM_BITS = 2

/** Added to the weight of names that start with a dot, which are used only if there is no other. */
const HIDDEN = 1_000_000

const DOT = 0x2e

/** Fixed cost of a search, and the cost of settling a state. */
const SEARCH_COST = 4
const SETTLE_COST = 4

/** Marks the initial state in `routes`, see `nameFrom`. */
const START = 0x7fffffff

const frontier = new Frontier()

/** Whether some name matches both segments. Costs one unit per pair of states visited, and the cost of compiling. */
export function segmentsOverlap(a: Segment, b: Segment, budget: Budget): boolean {
  if (typeof a === 'string') return typeof b === 'string' ? a === b : wildMatches(b, a, budget)
  if (typeof b === 'string') return wildMatches(a, b, budget)
  if (a === ANY_NAME || b === ANY_NAME) return true
  if (!a.prefix.startsWith(b.prefix) && !b.prefix.startsWith(a.prefix)) return false
  if (!a.suffix.endsWith(b.suffix) && !b.suffix.endsWith(a.suffix)) return false
  if (a.isOneStar && b.isOneStar) return true
  return search(automatonOf(a, budget), automatonOf(b, budget), a.mayBeDots && b.mayBeDots, budget)
}

function wildMatches(wild: Wild, name: string, budget: Budget): boolean {
  if (wild === ANY_NAME) return true
  if (!name.startsWith(wild.prefix) || !name.endsWith(wild.suffix)) return false
  if (wild.isOneStar) return name.length >= wild.prefix.length + wild.suffix.length
  return search(automatonOf(wild, budget), automatonOf(name, budget), false, budget)
}

/** A state of a search is a state `i` of `a`, a state `j` of `b`, and a form. It is encoded as `i << high | j << low | form`. */
interface Layout {
  readonly high: number
  readonly low: number
  readonly maskJ: number
  /** The form of a complete name. Its bits are all set, so that it is the mask of the form, too. */
  readonly name: number
  /** The final state of both. */
  readonly last: number
}

function layoutOf(a: Automaton, b: Automaton, low: number): Layout {
  const bitsJ = 32 - Math.clz32(b.codes.length - 1)
  const high = bitsJ + low
  const name = (1 << low) - 1
  const last = ((a.codes.length - 1) << high) + ((b.codes.length - 1) << low) + name
  return { high, low, maskJ: (1 << bitsJ) - 1, name, last }
}

/** Depth-first search over pairs of states, and over forms if `tracksForm`. */
function search(a: Automaton, b: Automaton, tracksForm: boolean, budget: Budget): boolean {
  const { high, low, maskJ, name, last } = layoutOf(a, b, tracksForm ? FORM_BITS : 0)
  budget.remaining -= SEARCH_COST
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
 * The shortest name that matches both segments, without a leading dot if possible; null if there is none or the budget is
 * exhausted.
 */
export function commonName(a: Segment, b: Segment, budget: Budget): string | null {
  if (!segmentsOverlap(a, b, budget)) return null
  if (typeof a === 'string') return a
  if (typeof b === 'string') return b
  if (a === ANY_NAME || a === b) return sampleOf(b, budget)
  if (b === ANY_NAME) return sampleOf(a, budget)
  return shortestName(a, b, budget)
}

/** The shortest name that matches a segment, without a leading dot if possible; null if the budget is exhausted. */
export function sampleOf(segment: Segment, budget: Budget): string | null {
  if (typeof segment === 'string') return segment
  segment.sample ??= shortestName(segment, ANY_NAME, budget)
  return segment.sample
}

/** The length by which names are compared: the number of characters, and `HIDDEN` more with a leading dot. */
export function weightOf(name: string): number {
  let length = name.charCodeAt(0) === DOT ? HIDDEN : 0
  for (const _ of name) length++
  return length
}

function shortestName(a: Wild, b: Wild, budget: Budget): string | null {
  const visible = shortestIn(a, b, false, budget)
  return visible === null && budget.remaining >= 0 ? shortestIn(a, b, true, budget) : visible
}

/**
 * Breadth-first search over the states of `search`: one level per character, and within a level the states reachable by
 * skips. A state is settled when it is removed from a level, not when it is added, because a skip may reach it one level
 * earlier.
 */
function shortestIn(x: Wild, y: Wild, mayHide: boolean, budget: Budget): string | null {
  const [a, b] = [automatonOf(x, budget), automatonOf(y, budget)]
  // At least one bit is needed, for whether the name is still empty, to avoid a leading dot.
  const layout = layoutOf(a, b, x.mayBeDots && y.mayBeDots ? FORM_BITS : 1)
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
      budget.remaining -= SETTLE_COST
      if (budget.remaining < 0) return null
      routes[state] = route
      if (state === last) return nameFrom(routes, a, b, layout)
      const form = state & name
      const i = state >> high
      const j = (state >> low) & maskJ
      if (a.skips[i] === 1) level.push(state + (1 << high), state + 1)
      if (b.skips[j] === 1) level.push(state + (1 << low), state + 1)
      const next = sharedNext(a, i, b, j)
      const reached = ((a.targets[i] as number) << high) + ((b.targets[j] as number) << low)
      if (next & DOTS && (form !== EMPTY || mayHide))
        following.push(reached + Math.min(form + 1, name), -state - 1)
      if (next & OTHERS) following.push(reached + name, -state - 1)
    }
  }
  return null
}

/**
 * `routes` says how each settled state was reached: `before + 1` is a skip from the state `before`, `-before - 1` a
 * character.
 */
function nameFrom(routes: Int32Array, a: Automaton, b: Automaton, layout: Layout): string {
  const { high, low, maskJ, name } = layout
  const characters: string[] = []
  let state = layout.last
  for (let route = routes[state] as number; route !== START; route = routes[state] as number) {
    const before = Math.abs(route) - 1
    if (route < 0) {
      const [i, j] = [before >> high, (before >> low) & maskJ]
      const mayBeOther = (state & name) === name && sharedNext(a, i, b, j) & OTHERS
      characters.push(mayBeOther ? readableNext(a, i, b, j) : '.')
    }
    state = before
  }
  return characters.reverse().join('')
}
