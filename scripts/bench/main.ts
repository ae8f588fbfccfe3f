/** `npm run bench`: measures what users wait for, next to baselines (docs/performance.md). */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { type Measure, Results } from './measure.ts'
import { type PartName, readOptions } from './options.ts'
import { organisationPart } from './organisation/organisation.ts'
import { checkPart, createPart } from './parts/activities.ts'
import { hooksPart } from './parts/hooks.ts'
import { localPart } from './parts/local.ts'
import { pagePart } from './parts/page.ts'
import { importPart, pullRequestsPart } from './parts/pull-requests.ts'
import { openRig, type Rig, ROOT } from './rig.ts'

const RUN: Record<PartName, (rig: Rig) => Promise<void>> = {
  hooks: hooksPart,
  check: checkPart,
  create: createPart,
  pulls: pullRequestsPart,
  import: importPart,
  page: pagePart,
  local: localPart,
  organisation: organisationPart,
}

export interface Report {
  commit: string
  started_at: Date
  /** Small sizes: the figures are meaningless. */
  quick: boolean
  parts: PartName[]
  node: string
  cores: number
  /** Of one minute, at the start and at the end. */
  load_average: (number | undefined)[]
  measures: Measure[]
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

async function main(): Promise<void> {
  const options = readOptions()
  const { quick, parts, json } = options
  const results = new Results(say)
  const [started_at, load] = [new Date(), loadavg()[0]]
  if (!options.built) execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT })
  const rig = await openRig(options, results, say)
  try {
    for (const part of parts) {
      say(part)
      await RUN[part](rig).catch((error: Error) => {
        process.exitCode = 1
        say(`  failed: ${error.message}`)
      })
    }
  } finally {
    await rig.close()
  }
  const flags = ['describe', '--always', '--dirty', '--exclude=*']
  const commit = execFileSync('git', flags, { cwd: ROOT, encoding: 'utf8' }).trim()
  const about = { commit, started_at, quick, parts, node: process.versions.node }
  const machine = { cores: availableParallelism(), load_average: [load, loadavg()[0]] }
  const report: Report = { ...about, ...machine, measures: results.measures }
  writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`)
  say(`${json} has every round; load average ${report.load_average.join(' to ')}`)
  if (quick) say('--quick is a smoke test of the benchmark; its figures are meaningless')
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
