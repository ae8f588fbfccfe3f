/** How many files of `src` run in six acts of users, in the built service on PostgreSQL, warm. */
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { apiAt } from '../../test/support/api.ts'
import { type Deployment, startDeployment } from '../../test/support/deployment.ts'
import type { FakeRepository } from '../../test/support/github-repository.ts'
import { editOf } from '../../test/support/lines.ts'
import { freePort, startCluster } from '../../test/support/postgres.ts'
import { pullRequestEvent, pushEvent } from '../../test/support/webhooks.ts'
import { until } from '../bench/measure.ts'

/** The first round warms the service up. What ran in all others belongs to the act, and not to a timer. */
const ROUNDS = 4
/** After an act, for the jobs that are due at once. */
const PAUSE_MS = 1000
/** Before an act, no job of an earlier one is due within this time. */
const QUIET_S = 4
const SETTINGS_PATH = '.github/deconflict.yml'
const COVERAGE = fileURLToPath(new URL('coverage.mjs', import.meta.url))

/** Figures by the names of `LIMITS`. */
export async function countFilesOfActs(): Promise<Record<string, number>> {
  const names = Array.from({ length: ROUNDS }, (_, round) => `acme/shop-${round}`)
  const cluster = await startCluster()
  const sql = postgres(cluster.url, { max: 1 })
  const becomesQuiet = () =>
    until('no job is due', async () => {
      const due = sql`select 1 from jobs where state = 'pending' and run_at < now() + ${QUIET_S} * interval '1 s'`
      return (await due).length === 0
    })
  const deployment = await startDeployment(names)
  try {
    const port = await freePort()
    const program = ['--import', COVERAGE, 'dist/main.js']
    const env = { DATABASE_URL: cluster.url, COVERAGE_PORT: String(port) }
    const [service] = await deployment.start(1, env, program)
    const rounds: Record<string, string[]>[] = []
    for (const name of names) {
      const addresses = { url: service?.url as string, coverage: `http://127.0.0.1:${port}` }
      const github = deployment.github.at(name)
      rounds.push(await filesOfRound({ deployment, github, becomesQuiet, ...addresses }))
    }
    const measured = rounds.slice(1)
    return Object.fromEntries(
      Object.entries(measured[0] ?? {}).map(([act, files]) => [
        act,
        files.filter((file) => measured.every((round) => round[act]?.includes(file))).length,
      ]),
    )
  } finally {
    await sql.end()
    await deployment.close()
    await cluster.remove()
  }
}

interface Round {
  deployment: Deployment
  /** Of the service. */
  url: string
  github: FakeRepository
  /** Address of `coverage.mjs`. */
  coverage: string
  becomesQuiet(): Promise<unknown>
}

/** The files that ran in each act, in a repository without any work. */
async function filesOfRound(round: Round): Promise<Record<string, string[]>> {
  const { github } = round
  const api = apiAt(round.url, 'ada')
  const send = async (method: string, path: string, body?: object) => {
    const { status } = await api(method, `/api/v1/repos/${github.repository.full_name}${path}`, { body })
    if (status >= 400) throw new Error(`${method} ${path}: ${status}`)
  }
  const work = (actor: string, path: string) => ({
    title: 'Retries',
    summary: 'Retries.',
    actor,
    scope: { paths: [path] },
  })
  const files: Record<string, string[]> = {}
  const act = async (name: string, run: () => Promise<void>) => {
    await round.becomesQuiet()
    await filesRun(round)
    await run()
    await wait(PAUSE_MS)
    files[name] = await filesRun(round)
  }
  // Makes the repository known, so that its registration is not part of the first act.
  await send('GET', '/overlaps')
  await act('files run by POST /activity, alone', () =>
    send('POST', '/activity', work('ada', 'src/pay/retry.ts')),
  )
  await act('files run by POST /activity, with an overlap', () =>
    send('POST', '/activity', work('ben', 'src/pay/**')),
  )
  await act('files run by POST /activity/check', () =>
    send('POST', '/activity/check', { scope: { paths: ['src/pay/retry.ts'] } }),
  )
  await act('files run by GET /overlaps', () => send('GET', '/overlaps'))

  await open(round, { author: 'ada', path: 'src/cart.ts' })
  await act('files run by pull_request.opened, until its comment', async () => {
    const number = await open(round, { author: 'ben', path: 'src/cart.ts' })
    await until('a comment', () => github.comments(number).length > 0)
  })

  await pushSettings(round, 'ignore_paths: [src/menu.ts]\n')
  await round.becomesQuiet()
  await open(round, { author: 'ada', path: 'src/menu.ts' })
  const number = await open(round, { author: 'ben', path: 'src/menu.ts' })
  await act('files run by a push of the settings, with two open pull requests', async () => {
    await pushSettings(round, 'ignore_paths: []\n')
    await until('a comment', () => github.comments(number).length > 0)
  })
  return files
}

async function open(round: Round, of: { author: string; path: string }): Promise<number> {
  const { deployment, github, url } = round
  const base = Array.from({ length: 20 }, (_, at) => `line ${at}`)
  const patch = editOf(base, 10, 1, [`by ${of.author}`])
  const { number } = github.open({
    title: `Change ${of.path}`,
    author: of.author,
    files: [{ filename: of.path, status: 'modified', patch }],
  })
  const { github: world } = deployment
  await deployment.deliver(url, pullRequestEvent(world, github.repository.full_name, number, 'opened'))
  return number
}

async function pushSettings({ deployment, github, url }: Round, text: string): Promise<void> {
  const push = github.write(SETTINGS_PATH, text)
  const { github: world } = deployment
  await deployment.deliver(
    url,
    pushEvent(world, github.repository.full_name, { ...push, modified: [SETTINGS_PATH] }),
  )
}

async function filesRun({ coverage }: Round): Promise<string[]> {
  const response = await fetch(coverage)
  return (await response.json()) as string[]
}
