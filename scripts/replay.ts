/** `npm run replay`: compares recorded pairs of pull requests, or plays a whole history (docs/contract/signal.md#replay). */
import { parseArgs } from 'node:util'
import { replayDone } from './replay/done/done.ts'
import { doneTables } from './replay/done/table.ts'
import { type ReplayOptions, replayHistory } from './replay/history.ts'
import { replayLive } from './replay/live/live.ts'
import { comparePairs, readRecording } from './replay/pairs.ts'
import { replaySequences } from './replay/sequences/sequences.ts'
import { sequenceTables } from './replay/sequences/table.ts'
import { summaryOf } from './replay/summary.ts'
import { tablesOf } from './replay/tables.ts'

const USAGE = `npm run --silent replay -- --pairs FILE
  one JSON line for each pair on stdout, a summary on stderr; FILE is described in docs/research/replay.md
npm run --silent replay -- [--live | --sequences | --done] --git DIR [--days 90] [--closed-after-days 14]
  tables on stdout, progress on stderr; with --live, the events are webhooks to the real service on a PostgreSQL of its own;
  the others measure shared numbers and parents, and work that was done already;
  DIR is a bare mirror with refs/pull/N/head: git clone --mirror URL;
  a pull request that was closed without a merge counts as open for that long after its last push`
const DAYS_MAX = 3650

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      pairs: { type: 'string' },
      git: { type: 'string' },
      live: { type: 'boolean', default: false },
      sequences: { type: 'boolean', default: false },
      done: { type: 'boolean', default: false },
      days: { type: 'string', default: '90' },
      'closed-after-days': { type: 'string', default: '14' },
    },
  })
  if (values.pairs !== undefined && values.git === undefined) return replayPairs(values.pairs)
  if (values.git === undefined || values.pairs !== undefined)
    throw new Error(`pass either --pairs or --git\n${USAGE}`)
  // Exiting normally removes the scratch repository.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const started = performance.now()
  const options = {
    days: daysOf('days', values.days),
    closed_after_days: daysOf('closed-after-days', values['closed-after-days']),
    report: (line: string) =>
      process.stderr.write(`${((performance.now() - started) / 1000).toFixed(1)} s: ${line}\n`),
  }
  process.stdout.write(`${await tablesFor(values, values.git, options)}\n`)
}

async function tablesFor(
  { live, sequences, done }: Record<'live' | 'sequences' | 'done', boolean>,
  directory: string,
  options: ReplayOptions,
): Promise<string> {
  if (sequences) return sequenceTables(await replaySequences(directory, options))
  if (done) return doneTables(await replayDone(directory, options))
  if (live) return replayLive(directory, options)
  return tablesOf(await replayHistory(directory, options))
}

function daysOf(option: string, value: string): number {
  const days = Number(value)
  if (!Number.isInteger(days) || days < 1 || days > DAYS_MAX)
    throw new Error(`--${option} ${value}: must be a whole number from 1 to ${DAYS_MAX}`)
  return days
}

async function replayPairs(file: string): Promise<void> {
  const recording = await readRecording(file)
  const started = performance.now()
  const compared = comparePairs(recording)
  const ms = performance.now() - started
  for (const { a, b, verdict, confidence, duplicates, files } of compared)
    process.stdout.write(`${JSON.stringify({ a, b, verdict, confidence, duplicates, files })}\n`)
  process.stderr.write(`${summaryOf(recording, compared, ms)}\n`)
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
