/** Runs the same load against several servers in interleaved rounds, and adds the results. */
import type { Loaded, LoadTask, Template } from './load.ts'
import { interleaved } from './measure.ts'
import type { PgbenchResult } from './pgbench.ts'
import type { Script } from './record.ts'
import { type Rig, TOKEN } from './rig.ts'

export type Variant =
  | {
      kind: 'http'
      label: string
      urls: string[]
      requests: Template[]
      status: number
      /** The process whose processor time is measured. */
      pid?: number
      /** Maximum requests per round, for those that change what is measured. */
      count?: number
      clients?: number
    }
  | { kind: 'pgbench'; label: string; script: Script; clients?: number }

/** Length of the warm-up round relative to the others: code is compiled during it. */
const WARM_UP_FACTOR = 2

/**
 * Runs the variants interleaved. Adds, under `ID.VARIANT`: `.rate` (requests per second), `.p50` and `.p99` (ms), and `.cpu`
 * (processor time of the server per request, µs) if `pid` is given; for pgbench `.rate` and `.mean`.
 */
export async function sideBySide(
  rig: Rig,
  id: string,
  {
    variants,
    clients,
    notes,
    token = TOKEN,
  }: { variants: Record<string, Variant>; clients: number; notes: 'rate' | 'latency'; token?: string },
): Promise<void> {
  const { rounds, round_ms } = rig.options.sizes
  const loader = await rig.loader()
  const runs = Object.entries(variants).map(([name, variant]) => {
    const run = async (round: number): Promise<Loaded | PgbenchResult> => {
      if (variant.kind === 'pgbench') return pgbench(rig, variant, { clients, round })
      const { urls, requests, status, pid, count } = variant
      const ms = round === 0 ? round_ms * WARM_UP_FACTOR : round_ms
      const task: LoadTask = {
        urls,
        requests,
        token,
        clients: variant.clients ?? clients,
        ms,
      }
      return loader.run(count === undefined ? task : { ...task, count }, { status, ...(pid && { pid }) })
    }
    return [name, run] as const
  })
  const all = await interleaved(rounds, Object.fromEntries(runs))
  for (const [name, variant] of Object.entries(variants)) {
    const figures = all[name] ?? []
    const add = (what: string, unit: 'requests/s' | 'ms' | 'µs', value: (figure: Loaded) => number) =>
      rig.results.add(
        `${id}.${name}.${what}`,
        `${variant.label}, ${LABELS[what] ?? what}`,
        unit,
        (figures as Loaded[]).map(value),
      )
    if (variant.kind === 'pgbench') {
      add('rate', 'requests/s', (figure) => figure.per_second)
      add('mean', 'ms', (figure) => (figure as unknown as PgbenchResult).latency)
      continue
    }
    if (notes === 'rate') add('rate', 'requests/s', (figure) => figure.per_second)
    add('p50', 'ms', (figure) => figure.p50)
    if (notes === 'latency') add('p99', 'ms', (figure) => figure.p99)
    if (variant.pid) add('cpu', 'µs', (figure) => figure.cpu_us)
  }
}

const LABELS: Record<string, string> = {
  rate: 'throughput',
  cpu: 'processor time per request',
}

/** Each round starts at another number, so that its ids are new. */
async function pgbench(
  rig: Rig,
  { script, clients: own }: Variant & { kind: 'pgbench' },
  { clients, round }: { clients: number; round: number },
): Promise<PgbenchResult> {
  if (!rig.pgbench) throw new Error('pgbench is not installed')
  const base = String((Date.now() % 1e9) * 1_000_000 + round)
  const variables = { ...script.variables, base, n: '0' }
  const ms = Math.max(1000, rig.options.sizes.round_ms)
  return rig.pgbench({ script: script.script, variables, clients: own ?? clients, ms })
}
