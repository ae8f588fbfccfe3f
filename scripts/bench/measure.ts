/** The figures of a run: interleaved rounds of several variants, and their medians. */
import { setTimeout as wait } from 'node:timers/promises'

export interface Measure {
  /** Such as `create.8.service.rate`. */
  id: string
  label: string
  unit: string
  /** One figure per round, in order. */
  rounds: number[]
  median: number
}

export class Results {
  readonly measures: Measure[] = []
  readonly #say: (line: string) => void

  constructor(say: (line: string) => void) {
    this.#say = say
  }

  add(id: string, label: string, unit: string, rounds: number[]): void {
    const measure = { id, label, unit, rounds: rounds.map(rounded), median: rounded(quantile(rounds, 0.5)) }
    this.measures.push(measure)
    this.#say(`  ${label.padEnd(72)} ${shown(measure.median)} ${unit}`)
  }

  /** Adds quantiles of times as `ID.p95`. */
  addTimes(id: string, label: string, times: number[]): void {
    for (const share of [0.5, 0.95, 0.99])
      this.add(`${id}.p${100 * share}`, `${label}, p${100 * share}`, 'ms', [quantile(times, share)])
  }
}

/**
 * Runs every variant once per round, in alternating order, so that none always goes first. Returns the figures of each
 * variant by round. Round 0 is a warm-up and is not counted.
 */
export async function interleaved<Name extends string, Figures>(
  rounds: number,
  variants: Record<Name, (round: number) => Promise<Figures>>,
): Promise<Record<Name, Figures[]>> {
  const names = Object.keys(variants) as Name[]
  const all = Object.fromEntries(names.map((name) => [name, [] as Figures[]])) as Record<Name, Figures[]>
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const figures = await variants[name](round)
      if (round > 0) all[name].push(figures)
    }
  }
  return all
}

/** Starts `work` every `every_ms` for `ms`, whether or not earlier runs have ended. Returns how long each took. */
export async function atPace(
  { every_ms, ms }: { every_ms: number; ms: number },
  work: (n: number) => Promise<unknown>,
): Promise<number[]> {
  const started = performance.now()
  const until = (at: number) => wait(Math.max(0, started + at - performance.now()))
  const running: Promise<number>[] = []
  for (let n = 0; n * every_ms < ms; n += 1) {
    await until(n * every_ms)
    running.push(timeOf(() => work(n)))
  }
  await until(ms)
  return Promise.all(running)
}

/** In milliseconds. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Polls until `find` returns something, and returns that. */
export async function until<Found>(
  what: string,
  find: () => Found | Promise<Found>,
  max_ms = 120_000,
): Promise<NonNullable<Found>> {
  const end = performance.now() + max_ms
  for (;;) {
    const found = await find()
    if (found) return found
    if (performance.now() > end) throw new Error(`timed out waiting for ${what}`)
    await wait(10)
  }
}

/** The value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
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
