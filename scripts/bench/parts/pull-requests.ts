/** What authors of pull requests wait for: the time from a delivery to its comment, also beside an import. */
import { setTimeout as wait } from 'node:timers/promises'
import { editOf } from '../../../test/support/lines.ts'
import { installationEvent, pullRequestEvent } from '../../../test/support/webhooks.ts'
import { TOKEN } from '../load.ts'
import { interleaved, timeOf, until } from '../measure.ts'
import type { Rig } from '../rig.ts'

const FILE_LINES = 400
/** How long GitHub takes to answer. */
const GITHUB_MS = 100
/** Both pull requests may get a comment, and GitHub asks Apps to leave a second between writes. */
const PAUSE_MS = 3000

/** From the delivery of an opened pull request that conflicts with another one to its comment. */
export async function pullRequestsPart(rig: Rig): Promise<void> {
  const { imported, rounds } = rig.sizes.pulls
  const app = await startApp(rig, 'acme/commented')
  for (let n = 0; n < imported; n += 1) await app.opened(n, n)
  await until(`${imported} pull requests`, async () => {
    const headers = { authorization: `Bearer ${TOKEN}` }
    const response = await fetch(`${app.url}/api/v1/repos/acme/commented/overlaps`, { headers })
    const { checked_against } = (await response.json()) as { checked_against: { activities: number } }
    return checked_against.activities >= imported
  })
  rig.deployment.github.delayAnswers(GITHUB_MS)
  const { comment } = await interleaved(rounds, {
    comment: async (round) => {
      await wait(PAUSE_MS)
      return app.commented(imported + round, round)
    },
  })
  const label = `delivery to comment, ${imported} open, GitHub takes ${GITHUB_MS} ms`
  rig.results.add('pulls.comment', label, 'ms', comment)
  await app.close()
}

const FLEET = 'fleet'
const FIRST_ID = 900_001
/** The open pull requests of each imported repository. */
const PULLS = 5

/** The same while many repositories are imported. */
export async function importPart(rig: Rig): Promise<void> {
  const { imported, rounds } = rig.sizes.import
  const { github } = rig.deployment
  const live = `${FLEET}/live`
  github.repository({ id: FIRST_ID, full_name: live })
  // Each push is to get a comment.
  github.at(live).write('.github/deconflict.yml', 'comment: {budget: 1}')
  const installation = github.app.install({ repositories: [live] })
  const app = await startApp(rig, live)
  await app.deliver(installationEvent(github, installation, 'created'))
  for (let round = 0; round < rounds; round += 1) await app.opened(round, round)
  await until('the first pull requests', () => github.calls(`GET /repos/${live}/pulls/*/files`) >= rounds)
  const names = Array.from({ length: imported }, (_, index) => `${FLEET}/r${index}`)
  for (const [index, full_name] of names.entries()) {
    github.repository({ id: FIRST_ID + 1 + index, full_name })
    for (let n = 0; n < PULLS; n += 1) open(rig, full_name, { n, file: n % 2 })
  }
  github.app.addRepositories(installation.id, names)
  github.delayAnswers(GITHUB_MS)
  const lists = () => github.calls(`GET /repos/${FLEET}/r*/pulls`)
  await app.deliver(installationEvent(github, installation, 'new_permissions_accepted'))
  await until('the import', () => lists() > 0)
  const times: number[] = []
  for (let round = 0; round < rounds && lists() < imported; round += 1) {
    times.push(await app.commented(rounds + round, round))
    await wait(PAUSE_MS / 2)
  }
  const label = `delivery to comment beside an import of ${imported} repositories, ${times.length} pushes`
  rig.results.addTimes('import.comment', label, times)
  rig.say(`  ${lists()} of ${imported} repositories were imported meanwhile`)
  await app.close()
}

/** Opens a pull request that changes one line of one file, always the same, to a text of its own. */
function open({ deployment }: Rig, full_name: string, { n, file }: { n: number; file: number }): number {
  const lines = Array.from({ length: FILE_LINES }, (_, at) => `  const value${at} = compute(${file}, ${at})`)
  const patch = editOf(lines, 10, 1, [`  changed(${n})`])
  const files = [{ filename: `src/file-${file}.ts`, status: 'modified' as const, patch }]
  return deployment.github
    .at(full_name)
    .open({ title: `Change ${n}`, head: `change-${n}`, author: `person-${n}`, files }).number
}

/** The service as the App, and pull requests of one repository. */
async function startApp(rig: Rig, full_name: string) {
  const { deployment } = rig
  const { github } = deployment
  const service = await rig.startService(await rig.emptyDatabase(), { has_app: true })
  const deliver = async (webhook: Parameters<typeof deployment.deliver>[1]) => {
    const status = await deployment.deliver(service.url, webhook)
    if (status !== 202) throw new Error(`a delivery got status ${status}`)
  }
  const opened = async (n: number, file: number) => {
    const number = open(rig, full_name, { n, file })
    await deliver(pullRequestEvent(github, full_name, number, 'opened'))
    return number
  }
  return {
    url: service.url,
    deliver,
    opened,
    /** Opens a pull request; returns the milliseconds until its comment. */
    commented: (n: number, file: number) =>
      timeOf(async () => {
        const number = await opened(n, file)
        await until(`a comment on ${number}`, () => github.at(full_name).comments(number).length > 0)
      }),
    async close() {
      github.delayAnswers(0)
      await service.kill('SIGTERM')
    },
  }
}
