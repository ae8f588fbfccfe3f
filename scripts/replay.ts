/** `npm run replay`: judges recorded pairs of pull requests without a service (contract §12). */
import { parseArgs } from 'node:util'
import { judgePairs, readRecording } from './replay/pairs.ts'
import { summaryOf } from './replay/summary.ts'

const USAGE = `npm run --silent replay -- --pairs FILE
  one JSON line for each pair on stdout, a summary on stderr; FILE is described in docs/signal.md`

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { pairs: { type: 'string' } } })
  if (values.pairs === undefined) throw new Error(`--pairs is missing\n${USAGE}`)
  const recording = await readRecording(values.pairs)
  const started = performance.now()
  const judged = judgePairs(recording)
  const ms = performance.now() - started
  for (const { a, b, verdict, confidence, duplicate, files } of judged)
    process.stdout.write(`${JSON.stringify({ a, b, verdict, confidence, duplicate, files })}\n`)
  process.stderr.write(`${summaryOf(recording, judged, ms)}\n`)
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
