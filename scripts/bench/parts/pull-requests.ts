/** What the lines of pull requests cost in the service: a large one among many, and the time from a delivery to its comment. */
import { setTimeout as wait } from 'node:timers/promises'
import { CreateActivity } from '../../../src/vocabulary/contract/activity.ts'
import { editOf } from '../../../test/support/lines.ts'
import { pullRequestEvent, signedDelivery } from '../../../test/support/webhooks.ts'
import type { FakeGithubServer } from '../../fake-github-server.ts'
import { interleaved, shown } from '../measure.ts'
import type { NamedRepository } from '../names.ts'
import { type Rig, TOKEN, WEBHOOK_SECRET } from '../rig.ts'
import { seed } from '../seed.ts'
import type { ServiceProcess } from '../service.ts'

const FILE_LINES = 400
/** Places of a file, far apart, at which pull requests change a line. */
const SPOTS = 16
/** Of a pull request among many. */
const FILES = 10
/** The repository has so many files that each is changed by about three of the open pull requests. */
const PULLS_PER_FILE = 3
const GITHUB_MS = 100
/** GitHub asks Apps to leave a second between writes, and both pull requests may get a comment; it should not wait for earlier ones. */
const PAUSE_MS = 3000
const TIMEOUT_MS = 120_000
const POLL_MS = 10

export async function pullRequestsPart(rig: Rig): Promise<void> {
  await largePullRequest(rig)
  await deliveryToComment(rig)
}

/** A check of one pull request with many files, by lines and by paths, among open ones. */
async function largePullRequest(rig: Rig): Promise<void> {
  const { open, files } = rig.options.sizes.pulls
  const { pulls } = rig.names
  const { url, pid } = await rig.service()
  const loader = await rig.loader()
  const inAll = Math.ceil((open * FILES) / PULLS_PER_FILE)
  await seed(await rig.database(), pulls, { count: open, work: (n) => pullRequestOf(n, inAll) })
  const sql = await rig.sql()
  await sql`vacuum analyze`
  const changes = Array.from({ length: files }, (_, at) => {
    const file = at * Math.floor(inAll / files)
    return changeOf(file, { n: -1, spot: file % SPOTS })
  })
  const check = (scope: object) => ({
    method: 'POST',
    path: `/api/v1/repos/acme/${pulls.name}/activity/check`,
    body: JSON.stringify({ scope, branch: 'large', base_branch: 'main' }),
  })
  const run = (scope: object) => () =>
    loader.run(
      { urls: [url], token: TOKEN, clients: 1, ms: rig.options.sizes.round_ms, requests: [check(scope)] },
      { status: 200, pid },
    )
  const figures = await interleaved(rig.options.sizes.rounds, {
    lines: run({ changes }),
    paths: run({ paths: changes.map(({ path }) => path) }),
  })
  for (const [name, by] of [
    ['lines', 'by lines'],
    ['paths', 'by paths'],
  ] as const) {
    const label = `check of ${files} files against ${shown(open)} pull requests of ${FILES}, ${by}`
    const of = (what: 'p50' | 'cpu_us') => figures[name].map((each) => each[what])
    rig.results.add(`pulls.${name}.p50`, `${label}, p50`, 'ms', of('p50'))
    rig.results.add(`pulls.${name}.cpu`, `${label}, processor time`, 'µs', of('cpu_us'))
  }
}

/** From the delivery of an opened pull request that conflicts with another one to its comment. */
async function deliveryToComment(rig: Rig): Promise<void> {
  const { imported, rounds } = rig.options.sizes.pulls
  const { github } = await rig.github()
  const { app } = github
  const service = await rig.startService({
    DATABASE_URL: await rig.emptyDatabase(),
    APP_ID: String(app.id),
    PRIVATE_KEY: app.key().replaceAll('\n', '\\n'),
    WEBHOOK_SECRET,
  })
  const repository = `acme/${rig.names.commented.name}`
  const at = github.at(repository)
  const open = (n: number, file: number) => {
    const { path: filename, patch } = changeOf(file, { n, spot: 0 })
    const files = [{ filename, status: 'modified' as const, patch }]
    return at.open({ title: `Change ${n}`, head: `change-${n}`, author: `person-${n}`, files }).number
  }
  // Every file is changed by one of these, so that they get no comments.
  for (let n = 0; n < imported; n++) await deliver(service, github, { repository, number: open(n, n) })
  await untilImported(service, rig.names.commented, imported)
  github.delayAnswers(GITHUB_MS)
  try {
    const { comment } = await interleaved(rounds, {
      comment: async (round) => {
        await wait(PAUSE_MS)
        const number = open(imported + round, round)
        const started = performance.now()
        await deliver(service, github, { repository, number })
        await until(`a comment on pull request ${number}`, () => at.comments(number).length > 0)
        return performance.now() - started
      },
    })
    const label = `delivery to comment, ${imported} open, GitHub takes ${GITHUB_MS} ms`
    rig.results.add('pulls.comment', label, 'ms', comment)
  } finally {
    github.delayAnswers(0)
    await service.stop()
  }
}

/** The `n`th open pull request. Its files are consecutive ones of a repository of `inAll` files. */
function pullRequestOf(n: number, inAll: number): CreateActivity {
  return CreateActivity.parse({
    title: `Change ${n}`,
    summary: `The ${n}th change.`,
    actor: `person-${n}`,
    branch: `change-${n}`,
    base_branch: 'main',
    scope: {
      changes: Array.from({ length: FILES }, (_, step) =>
        changeOf((n * FILES + step) % inAll, { n, spot: (n * 7 + step) % SPOTS }),
      ),
    },
  })
}

/** A change of one line of a file to a text that depends on `n`. Two changes conflict if they are at the same spot. */
function changeOf(file: number, { n, spot }: { n: number; spot: number }): { path: string; patch: string } {
  const base = Array.from(
    { length: FILE_LINES },
    (_, at) => `  const value${at} = compute(file${file}, ${at})`,
  )
  const line = 10 + (spot * FILE_LINES) / SPOTS
  return { path: `src/part-${file % 50}/file-${file}.ts`, patch: editOf(base, line, 1, [`  changed(${n})`]) }
}

async function deliver(
  { url }: ServiceProcess,
  github: FakeGithubServer['github'],
  { repository, number }: { repository: string; number: number },
): Promise<void> {
  const event = pullRequestEvent(github, repository, number, 'opened')
  const delivery = signedDelivery({ secret: WEBHOOK_SECRET, ...event })
  const response = await fetch(`${url}/api/github/webhooks`, { method: 'POST', ...delivery })
  await response.arrayBuffer()
  if (response.status !== 202) throw new Error(`a delivery got status ${response.status}`)
}

/** Waits until the service has as many live activities, and has compared them. */
async function untilImported(
  { url }: ServiceProcess,
  { name }: NamedRepository,
  count: number,
): Promise<void> {
  await until(`${count} imported pull requests`, async () => {
    const headers = { authorization: `Bearer ${TOKEN}` }
    const response = await fetch(`${url}/api/v1/repos/acme/${name}/overlaps`, { headers })
    const { checked_against } = (await response.json()) as { checked_against: { activities: number } }
    return checked_against.activities >= count
  })
}

async function until(what: string, isDone: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + TIMEOUT_MS
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`timed out waiting for ${what}`)
    await wait(POLL_MS)
  }
}
