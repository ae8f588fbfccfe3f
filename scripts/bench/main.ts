/** `npm run bench`: measures each scenario next to its baselines, and compares the results with the goals. */
import { availableParallelism, cpus, loadavg } from 'node:os'
import { goalsOf } from './goals.ts'
import { Results } from './measure.ts'
import { type PartName, readOptions } from './options.ts'
import { checkPart, createSizesPart } from './parts/check.ts'
import { embeddedPart } from './parts/embedded.ts'
import { globPart } from './parts/glob.ts'
import { hooksPart } from './parts/hooks.ts'
import { hostilePart } from './parts/hostile.ts'
import { httpPart } from './parts/http.ts'
import { importPart } from './parts/import.ts'
import { instancesPart } from './parts/instances.ts'
import { linesPart } from './parts/lines.ts'
import { organisationPart } from './parts/organisation.ts'
import { overlapsPart } from './parts/overlaps.ts'
import { overviewPart } from './parts/overview.ts'
import { pagePart } from './parts/page.ts'
import { peerPart } from './parts/peer.ts'
import { permissionsPart } from './parts/permissions.ts'
import { pullRequestsPart } from './parts/pull-requests.ts'
import { createPart, requestsPart } from './parts/requests.ts'
import { soakPart } from './parts/soak.ts'
import { startPart } from './parts/start.ts'
import { turnsPart } from './parts/turns.ts'
import { webhooksPart } from './parts/webhooks.ts'
import { goalTable, type Report, writeDocs, writeJson } from './report.ts'
import { commitOf, openRig, type Rig } from './rig.ts'
import { buildService } from './service.ts'

const RUN: Record<PartName, (rig: Rig) => Promise<void>> = {
  glob: globPart,
  lines: async (rig) => {
    await linesPart(rig)
    await pullRequestsPart(rig)
  },
  http: httpPart,
  start: startPart,
  hooks: hooksPart,
  check: checkPart,
  create: async (rig) => {
    await createSizesPart(rig)
    await createPart(rig)
  },
  requests: requestsPart,
  overlaps: overlapsPart,
  instances: instancesPart,
  permissions: permissionsPart,
  webhooks: webhooksPart,
  import: importPart,
  overview: overviewPart,
  turns: turnsPart,
  organisation: organisationPart,
  hostile: hostilePart,
  embedded: embeddedPart,
  peer: peerPart,
  page: pagePart,
  soak: soakPart,
}

const say = (line: string) => void process.stdout.write(`${line}\n`)
const load = () => loadavg()[0] as number

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  const results = new Results(say)
  const began = { at: new Date(), load: load(), stopwatch: performance.now() }
  if (!options.built) {
    say('building the service')
    await buildService()
  }
  const rig = await openRig(options, results, say)
  let postgres: string | null = null
  try {
    for (const part of options.parts) {
      say(part)
      await RUN[part](rig).catch((error: Error) => {
        process.exitCode = 1
        results.skip(part, `failed: ${error.message}`)
      })
    }
    postgres = rig.postgresVersion()
  } finally {
    await rig.close()
  }
  const report: Report = {
    circumstances: {
      commit: await commitOf(),
      started_at: began.at.toISOString(),
      seconds: Math.round((performance.now() - began.stopwatch) / 1000),
      quick: options.quick,
      parts: options.parts,
      node: process.versions.node,
      postgres,
      cores: availableParallelism(),
      processor: cpus()[0]?.model ?? 'unknown',
      load_average: [began.load, load()],
    },
    goals: goalsOf(results, options.sizes),
    measures: results.measures,
    skipped: results.skipped,
  }
  await writeJson(options.json, report)
  if (options.docs) await writeDocs(report)
  say(`\n${goalTable(report.goals)}\n`)
  say(
    `${options.json} has every round; ${report.circumstances.seconds} s, load average ${began.load} to ${load()}`,
  )
  if (options.quick) say('--quick is a smoke test of the benchmark; its figures are meaningless')
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
