/** A push beside the import of many repositories: the time from its delivery to its comment. */
import { setTimeout as wait } from 'node:timers/promises'
import { editOf } from '../../../test/support/lines.ts'
import type { Webhook } from '../../../test/support/webhook-payload.ts'
import { installationEvent, pullRequestEvent, signedDelivery } from '../../../test/support/webhooks.ts'
import { type Rig, WEBHOOK_SECRET } from '../rig.ts'

const OWNER = 'fleet'
const FIRST_ID = 900_001
/** The open pull requests of each imported repository. */
const PULLS = 5
const LIVE = `${OWNER}/live`
const GITHUB_MS = 100
/** Longer than the time between two writes of an installation. */
const PAUSE_MS = 1500
const TIMEOUT_MS = 120_000
const POLL_MS = 10
const FILE = Array.from({ length: 40 }, (_, line) => `line ${line}`)

export async function importPart(rig: Rig): Promise<void> {
  const { imported, rounds } = rig.options.sizes.import
  const { github } = await rig.github()
  const { app } = github
  const service = await rig.startService({
    DATABASE_URL: await rig.emptyDatabase(),
    APP_ID: String(app.id),
    PRIVATE_KEY: app.key().replaceAll('\n', '\\n'),
    WEBHOOK_SECRET,
  })
  const deliver = async (webhook: Webhook) => {
    const delivery = signedDelivery({ secret: WEBHOOK_SECRET, ...webhook })
    const response = await fetch(`${service.url}/api/github/webhooks`, { method: 'POST', ...delivery })
    await response.arrayBuffer()
    if (response.status !== 202) throw new Error(`a delivery got status ${response.status}`)
  }
  const open = (full_name: string, n: number, path: string) => {
    const files = [{ filename: path, status: 'modified' as const, patch: editOf(FILE, 10, 1, [`${n}`]) }]
    return github.at(full_name).open({ head: `change-${n}`, author: `person-${n}`, files }).number
  }
  github.repository({ id: FIRST_ID, full_name: LIVE })
  // Each push is to get a comment.
  github.at(LIVE).write('.github/deconflict.yml', 'comment: {budget: 1}')
  const installation = github.app.install({ repositories: [LIVE] })
  await deliver(installationEvent(github, installation, 'created'))
  // Each push conflicts with one of these.
  for (let round = 0; round < rounds; round += 1)
    await deliver(pullRequestEvent(github, LIVE, open(LIVE, round, `src/${round}.ts`), 'opened'))
  await until('the first pull requests', () => github.calls(`GET /repos/${LIVE}/pulls/*/files`) >= rounds)
  const names = Array.from({ length: imported }, (_, index) => `${OWNER}/r${index}`)
  for (const [index, full_name] of names.entries()) {
    github.repository({ id: FIRST_ID + 1 + index, full_name })
    for (let pull = 0; pull < PULLS; pull += 1) open(full_name, pull, `src/${pull % 2}.ts`)
  }
  github.app.addRepositories(installation.id, names)
  github.delayAnswers(GITHUB_MS)
  const lists = () => github.calls(`GET /repos/${OWNER}/r*/pulls`)
  try {
    await deliver(installationEvent(github, installation, 'new_permissions_accepted'))
    await until('the import', () => lists() > 0)
    const times: number[] = []
    for (let round = 0; round < rounds && lists() < imported; round += 1) {
      const number = open(LIVE, rounds + round, `src/${round}.ts`)
      const started = performance.now()
      await deliver(pullRequestEvent(github, LIVE, number, 'opened'))
      await until(`a comment on ${number}`, () => github.at(LIVE).comments(number).length > 0)
      times.push(performance.now() - started)
      await wait(PAUSE_MS)
    }
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    const label = `delivery to comment beside an import of ${imported} repositories, ${times.length} pushes`
    rig.results.add('import.comment.p50', `${label}, p50`, 'ms', [at(0.5)])
    rig.results.add('import.comment.p95', `${label}, p95`, 'ms', [at(0.95)])
    rig.say(`  ${lists()} of ${imported} repositories were imported meanwhile`)
  } finally {
    github.delayAnswers(0)
    await service.stop()
  }
}

async function until(what: string, isDone: () => boolean): Promise<void> {
  const end = performance.now() + TIMEOUT_MS
  while (!isDone()) {
    if (performance.now() > end) throw new Error(`timed out waiting for ${what}`)
    await wait(POLL_MS)
  }
}
