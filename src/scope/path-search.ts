/** What two rows of segments have in common: whether some path matches both, and the shortest such path (contract §6). */

import type { Part } from './alternative.ts'
import { type Budget, Frontier } from './frontier.ts'
import { commonName, sampleOf, segmentsMeet, weightOf } from './segment-search.ts'

const frontier = new Frontier()

/**
 * Whether some path matches both rows. Spends one unit per pair of positions, and what comparing their segments takes;
 * false when the budget runs out.
 */
export function rowsMeet(a: readonly Part[], b: readonly Part[], budget: Budget): boolean {
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
      // Every segment matches some name, so a `**` at the end takes whatever the other side still asks for.
      if (left === null && i + 1 === a.length) return true
      if (right === null && j + 1 === b.length) return true
      if (left === null || (left !== undefined && right === null)) frontier.add(state + width)
      if (right === null || (right !== undefined && left === null)) frontier.add(state + 1)
    } else if (left !== undefined && right !== undefined && segmentsMeet(left, right, budget)) {
      frontier.add(state + width + 1)
    }
  }
  return false
}

/** A way on from a pair of positions: what it weighs to the end, the name it takes (null: none), where it leads. */
interface Step {
  readonly weight: number
  readonly name: string | null
  readonly to: number
}

/**
 * The shortest path that matches both rows, with as few names that begin with a dot as there can be; null when there
 * is none or the budget ran out. Walks all pairs of positions backwards: every step leads to a later one.
 */
export function shortestPath(a: readonly Part[], b: readonly Part[], budget: Budget): string | null {
  const width = b.length + 1
  const last = a.length * width + b.length
  const steps: (Step | null)[] = new Array(last + 1).fill(null)
  steps[last] = { weight: 0, name: null, to: -1 }
  for (let state = last - 1; state >= 0; state--) {
    if (--budget.remaining < 0) return null
    const j = state % width
    const i = (state - j) / width
    const left = a[i]
    const right = b[j]
    let best: Step | null = null
    const offer = (name: string | null, to: number) => {
      const onward = steps[to]
      if (!onward) return
      const weight = onward.weight + (name === null ? 0 : weightOf(name) + 1)
      if (best === null || weight < best.weight) best = { weight, name, to }
    }
    if (left === null) offer(null, state + width)
    if (right === null) offer(null, state + 1)
    if (left === null && right) offer(sampleOf(right, budget), state + 1)
    if (right === null && left) offer(sampleOf(left, budget), state + width)
    if (left && right && steps[state + width + 1]) {
      const name = commonName(left, right, budget)
      if (name !== null) offer(name, state + width + 1)
    }
    steps[state] = best
  }
  return budget.remaining < 0 ? null : pathAlong(steps)
}

function pathAlong(steps: readonly (Step | null)[]): string | null {
  if (!steps[0]) return null
  const names: string[] = []
  for (let step = steps[0]; step.to !== -1; step = steps[step.to] as Step) {
    if (step.name !== null) names.push(step.name)
  }
  return names.join('/')
}

/** How long a path counts when the shortest is wanted; comparable between the paths of `shortestPath`. */
export function pathWeight(path: string): number {
  return path.split('/').reduce((sum, name) => sum + weightOf(name) + 1, 0)
}
