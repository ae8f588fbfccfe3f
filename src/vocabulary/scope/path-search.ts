/** Searches for a path that matches two lists of segments: whether one exists, and the shortest one. */
import type { Budget } from '../budget.ts'
import type { Part } from './alternative.ts'
import { Frontier } from './frontier.ts'
import type { Segment } from './segment.ts'
import { commonName, sampleOf, segmentsOverlap, weightOf } from './segment-search.ts'

const frontier = new Frontier()

/**
 * Whether some path matches both lists. Costs one unit per pair of positions, and the cost of comparing their segments.
 * The result is false if the budget is exhausted.
 */
export function partsOverlap(a: readonly Part[], b: readonly Part[], budget: Budget): boolean {
  const width = b.length + 1
  const last = a.length * width + b.length
  frontier.begin(last + 1)
  frontier.add(0)
  for (let state = frontier.take(); state !== -1; state = frontier.take()) {
    if (--budget.remaining < 0) return false
    if (state === last) return true
    const j = state % width
    const i = (state - j) / width
    const left = a[i]
    const right = b[j]
    if (left === null || right === null) {
      // Every segment matches some name, so a trailing `**` matches the rest of the other side.
      if (left === null && i + 1 === a.length) return true
      if (right === null && j + 1 === b.length) return true
      if (left === null || (left !== undefined && right === null)) frontier.add(state + width)
      if (right === null || (right !== undefined && left === null)) frontier.add(state + 1)
    } else if (left !== undefined && right !== undefined && segmentsOverlap(left, right, budget)) {
      frontier.add(state + width + 1)
    }
  }
  return false
}

/**
 * The steps from one pair of positions to the next. `PAST_A`: the `**` of `a` ends. `NAME_OF_A`: a segment of `a` gives a
 * name, which the `**` of `b` matches. `NAME_OF_BOTH`: a name that matches a segment of each.
 */
const PAST_A = 1
const PAST_B = 2
const NAME_OF_A = 3
const NAME_OF_B = 4
const NAME_OF_BOTH = 5

/** Fixed cost of a search for the shortest path, besides one unit per pair of positions. */
const SEARCH_COST = 50

/**
 * The path that matches both lists with the fewest names that start with a dot, and of such paths the shortest. Null if
 * there is none, or if the budget is exhausted. The weight of a pair of positions depends on later pairs, so the last pair
 * is visited first.
 */
export function shortestPath(a: readonly Part[], b: readonly Part[], budget: Budget): string | null {
  const width = b.length + 1
  const last = a.length * width + b.length
  budget.remaining -= SEARCH_COST + last
  if (budget.remaining < 0) return null
  const [ofA, ofB] = [sampleWeights(a, budget), sampleWeights(b, budget)]
  const weights = new Float64Array(last + 1)
  const steps = new Uint8Array(last + 1)
  for (let state = last - 1, i = a.length; i >= 0; i--) {
    const left = a[i]
    for (let j = i === a.length ? b.length - 1 : b.length; j >= 0; j--, state--) {
      const right = b[j]
      let best = Number.POSITIVE_INFINITY
      let step = 0
      if (left === null) {
        best = weights[state + width] as number
        step = PAST_A
        const named = right ? (weights[state + 1] as number) + (ofB[j] as number) : best
        if (named < best) [best, step] = [named, NAME_OF_B]
      }
      if (right === null) {
        const past = weights[state + 1] as number
        if (past < best) [best, step] = [past, PAST_B]
        const named = left ? (weights[state + width] as number) + (ofA[i] as number) : best
        if (named < best) [best, step] = [named, NAME_OF_A]
      }
      if (left && right && weights[state + width + 1] !== Number.POSITIVE_INFINITY) {
        const name = commonName(left, right, budget)
        if (name !== null) {
          const weight = name === left ? (ofA[i] as number) : weightOf(name) + 1
          best = (weights[state + width + 1] as number) + weight
          step = NAME_OF_BOTH
        }
      }
      weights[state] = best
      steps[state] = step
    }
  }
  return budget.remaining < 0 || weights[0] === Number.POSITIVE_INFINITY
    ? null
    : pathFrom(steps, { a, b, budget })
}

/** The weight of each segment's shortest name, including the slash after it. */
function sampleWeights(parts: readonly Part[], budget: Budget): Float64Array {
  return Float64Array.from(parts, (part) => {
    const name = part === null ? '' : sampleOf(part, budget)
    return name === null ? Number.POSITIVE_INFINITY : weightOf(name) + 1
  })
}

function pathFrom(
  steps: Uint8Array,
  { a, b, budget }: { a: readonly Part[]; b: readonly Part[]; budget: Budget },
): string | null {
  const names: (string | null)[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const step = steps[i * (b.length + 1) + j]
    if (step === NAME_OF_A) names.push(sampleOf(a[i] as Segment, budget))
    if (step === NAME_OF_B) names.push(sampleOf(b[j] as Segment, budget))
    if (step === NAME_OF_BOTH) names.push(commonName(a[i] as Segment, b[j] as Segment, budget))
    if (step !== PAST_B && step !== NAME_OF_B) i++
    if (step !== PAST_A && step !== NAME_OF_A) j++
  }
  return budget.remaining < 0 ? null : names.join('/')
}
