/** The severity of an overlap, and the weight of a record, which raises it (docs/contract/overlap.md#consequences). Pure. */

/** In ascending order. */
export const SEVERITIES = ['low', 'medium', 'high'] as const
export type Severity = (typeof SEVERITIES)[number]

/** The other side: an activity that shares an area only, an activity that shares a path, or a notable. */
export type OverlapKind = 'area' | 'path' | 'notable'

/** The weight of the other side, and one level more for a shared path. */
export function overlapSeverity(kind: OverlapKind, weight: Weight): Severity {
  return SEVERITIES[weight + (kind === 'path' ? 1 : 0)] ?? 'high'
}

export interface Ranked {
  id: string
  severity: Severity
}

/** Counts all items that are added, and keeps the first `max` in the order of `compare`. */
export class Ranking<Item> {
  total = 0
  readonly #max: number
  readonly #compare: (a: Item, b: Item) => number
  #items: Item[] = []
  /** The last item of the first `max` so far. Items after it are dropped. */
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

  top(): Item[] {
    return this.#items.toSorted(this.#compare).slice(0, this.#max)
  }
}

export function highest(all: readonly Ranked[]): Severity | null {
  return all.toSorted(bySeverity)[0]?.severity ?? null
}

export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least)
}

export function higher<One extends Severity | null>(one: One, other: One): One {
  if (one === null || other === null) return one ?? other
  return isAtLeast(one, other) ? one : other
}

/** The most severe first. */
export function byRank(a: Pick<Ranked, 'severity'>, b: Pick<Ranked, 'severity'>): number {
  return SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity)
}

/** The most severe first, then the newest: ids are ordered by time. */
export function bySeverity(a: Ranked, b: Ranked): number {
  return byRank(a, b) || (a.id < b.id ? 1 : -1)
}

export type Weight = 0 | 1 | 2
type Level = 'low' | 'medium' | 'high' | 'critical'

/** An activity weighs 2 if it blocks others, and 1 if its risk is high or critical. */
export function activityWeight({ risk, blocking }: { risk: Level; blocking: boolean }): Weight {
  if (blocking) return 2
  return isRisky(risk) ? 1 : 0
}

export function isRisky(risk: Level): boolean {
  return risk === 'high' || risk === 'critical'
}

/** What a notable may be about. */
export const NOTABLE_CATEGORIES = [
  'architecture',
  'process',
  'pattern',
  'warning',
  'migration',
  'testing',
  'security',
  'dependency',
  'api-contract',
  'temporary-workaround',
  'deprecation',
  'release',
] as const

/** A notable weighs 2 if it is blocking or its importance is high or critical, and 1 if that is medium. */
export function notableWeight({ importance, blocking }: { importance: Level; blocking: boolean }): Weight {
  if (blocking || importance === 'high' || importance === 'critical') return 2
  return importance === 'medium' ? 1 : 0
}

export function isHigh(notable: { importance: Level; blocking: boolean }): boolean {
  return notableWeight(notable) === 2
}
