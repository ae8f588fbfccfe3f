/** `npm run proofs`: measures which seeded conflicts of a real project are chosen and proved, and which pairs of a real history fail (docs/prove.md#measured). */
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { seedClone } from './branches.ts'
import { type Candidate, findCandidates } from './candidates.ts'
import { measure } from './measure.ts'
import { proveSample } from './sample.ts'
import { sampleTable } from './sample-table.ts'
import { SEEDS } from './seeds/seeds.ts'
import { tableOf } from './table.ts'

const USAGE = `npm run --silent proofs -- --git DIR --project NAME [--reverts 30] -- COMMAND…
  seeded conflicts; DIR is a clone of the project, which is not modified, COMMAND runs its tests;
  NAME is one of ${Object.keys(SEEDS).join(', ')}; --reverts: how many of its last commits are reverted by other pull requests
npm run --silent proofs -- --git MIRROR --choose FILE [--days 90] [--seed 1]
  writes the pairs that the service chooses in a real history, and pairs at random, as lines of JSON;
  MIRROR is a bare mirror with refs/pull/N/head, which is not modified: git clone --mirror URL
npm run --silent proofs -- --git MIRROR --pairs FILE [--sample 30] [--seed 1] [--cache FILE] [--jobs 1] [--timeout 10] -- COMMAND…
  proves that many of the pairs that were chosen, and of those at random, and counts them;
  --jobs: how many at a time, --timeout: how many minutes one run may take
A table on stdout, progress on stderr.`

const { values, positionals: command } = parseArgs({
  allowPositionals: true,
  options: {
    git: { type: 'string' },
    project: { type: 'string' },
    reverts: { type: 'string', default: '30' },
    choose: { type: 'string' },
    days: { type: 'string', default: '90' },
    seed: { type: 'string', default: '1' },
    pairs: { type: 'string' },
    sample: { type: 'string', default: '30' },
    cache: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    timeout: { type: 'string', default: '10' },
  },
})
const report = (line: string) => void process.stderr.write(`${line}\n`)

async function main(): Promise<void> {
  const { git, project, choose, pairs } = values
  if (git === undefined) throw new Error(USAGE)
  const seed = Number(values.seed)
  if (choose !== undefined) {
    const found: Candidate[] = []
    const onPair = (pair: Candidate) => void found.push(pair)
    await findCandidates(git, { days: Number(values.days), closed_after_days: 14, seed, report, onPair })
    return writeFile(choose, found.map((pair) => `${JSON.stringify(pair)}\n`).join(''))
  }
  if (command.length === 0) throw new Error(USAGE)
  if (pairs !== undefined) {
    const lines = (await readFile(pairs, 'utf8')).trim().split('\n')
    const candidates = lines.map((line) => JSON.parse(line) as Candidate)
    const cache = resolve(values.cache ?? `${pairs}.proved.json`)
    const proved = await proveSample(git, candidates, {
      size: Number(values.sample),
      seed,
      cache,
      command,
      jobs: Number(values.jobs),
      timeout_ms: 60_000 * Number(values.timeout),
      report,
    })
    process.stdout.write(`${sampleTable(proved)}\n`)
    return
  }
  const seeds = SEEDS[project ?? '']
  if (seeds === undefined) throw new Error(USAGE)
  const seeded = await seedClone(resolve(git), seeds, Number(values.reverts))
  try {
    process.stdout.write(`${tableOf(await measure(seeded, command, report))}\n`)
  } finally {
    await seeded.remove()
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
