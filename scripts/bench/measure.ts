/** Interleaved rounds of several variants, and the statistics of their figures. */

export type Unit =
  | 'requests/s'
  | 'ms'
  | 'ns'
  | 'µs'
  | 'MB'
  | 'kB'
  | 'requests'
  | 's'
  | '%'
  | '×'
  | 'bytes'
  | Counted
type Counted = 'calls' | 'comments' | 'connections' | 'jobs' | 'rows'

export interface Measure {
  /** The key that goals and plots use, such as `heartbeat.8.service.rate`. */
  id: string
  label: string
  unit: Unit
  /** One figure per round, in order. */
  rounds: number[]
  median: number
}

/** A scenario that was skipped, and why. */
export interface Skipped {
  what: string
  why: string
}

/** The results of a run so far. */
export class Results {
  readonly measures: Measure[] = []
  readonly skipped: Skipped[] = []
  readonly #say: (line: string) => void

  constructor(say: (line: string) => void) {
    this.#say = say
  }

  add(id: string, label: string, unit: Unit, rounds: number[]): void {
    const measure = { id, label, unit, rounds: rounds.map(rounded), median: rounded(median(rounds)) }
    this.measures.push(measure)
    this.#say(`  ${label.padEnd(64)} ${shown(measure.median)} ${unit}`)
  }

  skip(what: string, why: string): void {
    this.skipped.push({ what, why })
    this.#say(`  ${what}: skipped, ${why}`)
  }

  median(id: string): number | undefined {
    return this.measures.find((measure) => measure.id === id)?.median
  }

  /** The median of the ratios of `a` to `b` per round: a disturbance affects both variants of a round alike. */
  ratio(a: string, b: string): number | undefined {
    const [upper, lower] = [a, b].map((id) => this.measures.find((measure) => measure.id === id))
    if (!upper || !lower) return undefined
    if (upper.rounds.length !== lower.rounds.length) return upper.median / lower.median
    return median(upper.rounds.map((value, round) => value / (lower.rounds[round] as number)))
  }
}

/**
 * Runs every variant once per round, in alternating order, so that none always goes first. Returns the figures of each
 * variant by round. The first round is a warm-up and is not counted.
 */
export async function interleaved<Name extends string, Figures>(
  rounds: number,
  variants: Record<Name, (round: number) => Promise<Figures>>,
): Promise<Record<Name, Figures[]>> {
  const names = Object.keys(variants) as Name[]
  const all = Object.fromEntries(names.map((name) => [name, [] as Figures[]])) as Record<Name, Figures[]>
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const figures = await variants[name](round)
      if (round > 0) all[name].push(figures)
    }
  }
  return all
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The slope of cost over size on logarithmic axes, by least squares: 1 is linear. */
export function growthExponent(points: { size: number; cost: number }[]): number {
  const logs = points.map(({ size, cost }) => [Math.log(size), Math.log(cost)] as const)
  const mean = (at: 0 | 1) => logs.reduce((sum, point) => sum + point[at], 0) / logs.length
  const [x, y] = [mean(0), mean(1)]
  const above = logs.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return above / logs.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}

/** Three significant digits; whole numbers from a hundred on. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}

function rounded(value: number): number {
  return Number(value.toPrecision(5))
}
