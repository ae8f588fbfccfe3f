/** The result of a measurement as Markdown. Pure. */
import type { Measured } from './measure.ts'

/** What a measurement found, in counts. */
export interface Summary {
  seeds: number
  chosen: number
  found: number
  wrong: number
  pairs: number
  runs: number
}

export function summaryOf({ seeds }: Pick<Measured, 'seeds'>): Summary {
  const sum = (of: (seed: Measured['seeds'][number]) => number) =>
    seeds.reduce((total, seed) => total + of(seed), 0)
  return {
    seeds: seeds.length,
    chosen: sum(({ reason }) => (reason === null ? 0 : 1)),
    found: sum(({ result }) => (result === 'failed' ? 1 : 0)),
    wrong: sum(({ wrong }) => wrong),
    pairs: sum(({ pairs }) => pairs),
    runs: sum(({ runs }) => runs),
  }
}

export function tableOf(measured: Measured): string {
  const { seeds, chosen, found, wrong, pairs, runs } = summaryOf(measured)
  const rows = measured.seeds.map(({ kind, reason, result, pairs, runs, others_failed }) =>
    [kind, reason ?? 'not chosen', result ?? '', pairs, runs, others_failed].join(' | '),
  )
  const perPair = pairs === 0 ? '' : `, ${(runs / pairs).toFixed(2)} for each`
  return [
    '| seed | chosen by | result | pairs | runs | other pairs that fail |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
    '',
    `Of ${seeds} seeds among ${measured.pull_requests} pull requests: ${chosen} chosen, ${found} found; ${wrong} reported as failed where a side fails alone; ${pairs} pairs, ${runs} runs${perPair}.`,
    ...measured.broken.map((line) => `No seed: ${line}.`),
  ].join('\n')
}
