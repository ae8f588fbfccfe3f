/** How severe an overlap is, as pure functions (contract §6). */
import type { Risk } from '../activities/activity.ts'
import type { Importance } from '../notables/notable.ts'
import type { Severity } from './overlap.ts'

const RANK: Record<Severity, number> = { low: 0, medium: 1, high: 2 }

/** The severity of a collision: `low` by area alone, `medium` by path, one step more when the other side is risky. */
export function collisionSeverity(by: 'area' | 'path', other: { risk: Risk; blocking: boolean }): Severity {
  if (other.blocking) return 'high'
  const isRisky = other.risk === 'high' || other.risk === 'critical'
  if (by === 'path') return isRisky ? 'high' : 'medium'
  return isRisky ? 'medium' : 'low'
}

/** The severity of a matching notable. */
export function notableSeverity(notable: { importance: Importance; blocking: boolean }): Severity {
  if (notable.blocking || notable.importance === 'critical') return 'high'
  return notable.importance
}

interface Ranked {
  id: string
  severity: Severity
}

/** Counts all items that are added, and keeps the first `max` in the order of `compare`. */
export class Ranking<Item> {
  total = 0
  readonly #max: number
  readonly #compare: (a: Item, b: Item) => number
  #items: Item[] = []
  /** Once there were more than enough: what comes after it is not kept. */
  #last: Item | undefined

  constructor(max: number, compare: (a: Item, b: Item) => number) {
    this.#max = max
    this.#compare = compare
  }

  add(item: Item): void {
    this.total += 1
    if (this.#last !== undefined && this.#compare(item, this.#last) > 0) return
    this.#items.push(item)
    if (this.#items.length < 2 * this.#max) return
    this.#items = this.top()
    this.#last = this.#items.at(-1)
  }

  /** The items that are listed. */
  top(): Item[] {
    return this.#items.toSorted(this.#compare).slice(0, this.#max)
  }
}

/** The highest severity of all; null of none. */
export function highest(all: readonly Ranked[]): Severity | null {
  return all.toSorted(bySeverity)[0]?.severity ?? null
}

export function isAtLeast(severity: Severity, least: Severity): boolean {
  return RANK[severity] >= RANK[least]
}

/** The most severe first. */
export function byRank(a: Pick<Ranked, 'severity'>, b: Pick<Ranked, 'severity'>): number {
  return RANK[b.severity] - RANK[a.severity]
}

/** The most severe first, then the newest: ids are ordered by time. */
export function bySeverity(a: Ranked, b: Ranked): number {
  return byRank(a, b) || (a.id < b.id ? 1 : -1)
}
