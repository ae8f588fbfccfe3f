/** A large organisation on two instances: bursts of deliveries, agents, and an import, with GitHub's limits enforced (docs/operations.md#capacity). */
import { setTimeout as wait } from 'node:timers/promises'
import postgres from 'postgres'
import { startDeployment } from '../../../test/support/deployment.ts'
import type { GithubWorld, ReceivedRequest } from '../../../test/support/github-world.ts'
import type { ServiceProcess } from '../../../test/support/process.ts'
import type { Webhook } from '../../../test/support/webhook-payload.ts'
import { installationEvent, installationRepositoriesEvent } from '../../../test/support/webhooks.ts'
import { timeOf, until } from '../measure.ts'
import { cpuSeconds, cpuSecondsBeside, memoryOf } from '../processes.ts'
import type { Rig } from '../rig.ts'
import { type Agents, createAgents, runAgents } from './agents.ts'
import { copyTemplate } from './copies.ts'
import { Deliveries } from './deliveries.ts'
import { addCopies, fullNameOf, history, openTemplate } from './repositories.ts'

/** How long GitHub takes to answer. */
const GITHUB_MS = 100
const SAMPLE_MS = 5000
const FILL_MAX_MS = 3_600_000

export async function organisationPart(rig: Rig): Promise<void> {
  const { repositories, pulls, merged, agents: count, imported } = rig.sizes.organisation
  const deployment = await startDeployment([])
  const { github } = deployment
  const DATABASE_URL = await rig.emptyDatabase()
  const sql = postgres(DATABASE_URL, { max: 1, onnotice: () => {} })
  const start = (instances: number) =>
    // The default of how long a permission is reused.
    deployment.start(instances, { NODE_ENV: 'production', DATABASE_URL, PERMISSION_TTL_MS: '60000' })
  /** Waits until no job is due, runs, or waits for its turn to write. */
  const idle = () =>
    until(
      'the queue',
      async () => {
        const [due] = await sql<{ count: number }[]>`
          select count(*)::int as count from jobs
          where state = 'pending' and (run_at <= now() or leased_until > now() or write_at is not null)`
        await wait(100)
        return due?.count === 0
      },
      FILL_MAX_MS,
    )
  const countOf = async (what: string, from: string) => {
    await wait(100)
    const [row] = await sql.unsafe<{ count: number }[]>(`select count(${what})::int as count from ${from}`)
    return row?.count
  }
  try {
    const [first] = (await start(1)) as [ServiceProcess]
    const deliver = async (webhook: Webhook) => void (await deployment.deliver(first.url, webhook))
    const installation = openTemplate(github, pulls)
    await deliver(installationEvent(github, installation, 'created'))
    await until('the template', async () => (await countOf('*', 'pull_requests')) === pulls, FILL_MAX_MS)
    await idle()
    for (const step of ['opened', 'merged'] as const) {
      for (const webhook of history(github, step, merged)) await deliver(webhook)
      await idle()
    }
    await first.kill('SIGTERM')
    addCopies(github, installation, { first: 1, count: repositories - 1 })
    await copyTemplate(DATABASE_URL, repositories)
    rig.say(
      `  ${repositories} repositories of ${pulls} open and ${merged} merged pull requests in the database`,
    )
    const instances = await start(2)
    await until(
      'the first reconciliation',
      async () => (await countOf('distinct repo_id', 'etags')) === repositories,
      FILL_MAX_MS,
    )
    const urls = instances.map(({ url }) => url)
    const agents = await createAgents(github, { urls, count, repositories })
    await idle()
    rig.say(`  reconciled once, ${count} agents at work`)
    const deliveries = new Deliveries(github, repositories)
    const load: Load = { rig, github, deliver: deployment.deliver, instances, agents, deliveries, sql, idle }
    await measure(load, 'organisation', 'a large organisation')
    addCopies(github, installation, { first: repositories, count: imported })
    const names = Array.from({ length: imported }, (_, index) => fullNameOf(repositories + index))
    await deliverTo(instances[0], installationRepositoriesEvent(github, installation, 'added', names))
    await measure(load, 'organisation.import', `the same beside an import of ${imported} repositories`)
  } finally {
    await deployment.close()
    await sql.end()
  }

  async function deliverTo(instance: ServiceProcess | undefined, webhook: Webhook): Promise<void> {
    await deployment.deliver(instance?.url as string, webhook)
  }
}

interface Load {
  rig: Rig
  github: GithubWorld
  deliver(url: string, webhook: Webhook): Promise<number>
  instances: ServiceProcess[]
  agents: Agents
  deliveries: Deliveries
  sql: postgres.Sql
  idle(): Promise<unknown>
}

/** Bursts and agents for a while. GitHub's hour begins anew. */
async function measure(load: Load, id: string, label: string): Promise<void> {
  const { rig, github, instances, agents, deliveries, sql, idle } = load
  const { bursts, burst, burst_ms, conflicts } = rig.sizes.organisation
  github.delayAnswers(GITHUB_MS)
  github.enforceLimits()
  const from = github.requests().length
  const sent: Conflict[] = []
  const [stopped, samples, acknowledged] = [new AbortController(), [] as Sample[], [] as number[]]
  const sampling = sample(load, samples, stopped.signal)
  const [{ pid } = { pid: 0 }] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  const cpu = () => ({
    instances: instances.reduce((sum, instance) => sum + cpuSeconds(instance.pid), 0),
    PostgreSQL: cpuSecondsBeside(pid),
  })
  const [began, used] = [performance.now(), cpu()]
  const working = runAgents(agents, bursts * burst_ms)
  for (let each = 0; each < bursts; each += 1) {
    await wait(Math.max(0, began + each * burst_ms - performance.now()))
    acknowledged.push(await timeOf(() => sendBurst(load, deliveries.next(burst, conflicts), sent)))
  }
  const times = await working
  const seconds = (performance.now() - began) / 1000
  const now = cpu()
  await idle()
  stopped.abort()
  await sampling
  rig.say(`  ${label}: ${bursts * burst} deliveries in ${Math.round(seconds)} s`)
  const add = rig.results.add.bind(rig.results)
  add(`${id}.acknowledged`, `a burst of ${burst} deliveries acknowledged`, 'ms', acknowledged)
  const requests = github.requests().slice(from)
  const comments = delaysOf(sent, requests)
  rig.results.addTimes(`${id}.comment`, `delivery to comment, ${sent.length} conflicts`, comments)
  add(`${id}.missing`, 'conflicts without a comment', 'comments', [sent.length - comments.length])
  for (const [kind, all] of Object.entries(times))
    rig.results.addTimes(`${id}.${kind}`, `${kind} of an agent, ${all.length} requests`, all)
  for (const name of ['instances', 'PostgreSQL'] as const)
    add(`${id}.cpu.${name}`, `processor time of ${name}`, '%', [(100 * (now[name] - used[name])) / seconds])
  const of = (value: (sample: Sample) => number) => samples.map(value)
  add(
    `${id}.queue`,
    'due jobs of deliveries and rechecks',
    'jobs',
    of(({ due }) => due),
  )
  add(
    `${id}.connections`,
    'connections to PostgreSQL',
    'connections',
    of(({ connections }) => connections),
  )
  for (const [index] of instances.entries())
    add(
      `${id}.memory.${index + 1}`,
      `memory of instance ${index + 1}`,
      'MB',
      of(({ memory }) => memory[index] ?? 0),
    )
  const isCounted = ({ token, status }: ReceivedRequest) => token?.startsWith('ghs_') && status !== 304
  const counted = requests.filter(isCounted)
  const files = counted.filter(({ route }) => route.endsWith('/files'))
  add(`${id}.calls`, 'calls that count for the limit of 12,500 an hour', 'calls', [counted.length])
  add(`${id}.calls.files`, '… for the files of pull requests', 'calls', [files.length])
  add(`${id}.refused`, 'calls refused by a limit', 'calls', [
    requests.filter((each) => each.refused_by).length,
  ])
}

/** The pull request that must get a comment. */
interface Conflict {
  full_name: string
  number: number
  sent_at: number
}

/** Sends deliveries to the instances in turn, all at once. */
async function sendBurst(load: Load, burst: ReturnType<Deliveries['next']>, sent: Conflict[]): Promise<void> {
  const statuses = await Promise.all(
    burst.map(({ webhook, conflict }, index) => {
      if (conflict) sent.push({ ...conflict, sent_at: Date.now() })
      return load.deliver(load.instances[index % load.instances.length]?.url as string, webhook)
    }),
  )
  const wrong = statuses.find((status) => status !== 202)
  if (wrong) throw new Error(`a delivery got status ${wrong}`)
}

/** Milliseconds until the comments that arrived. */
function delaysOf(sent: Conflict[], requests: ReceivedRequest[]): number[] {
  const created = new Map(
    requests
      .filter(({ status }) => status === 201)
      .map(({ route, received_at }) => [route, received_at.getTime()]),
  )
  return sent.flatMap(({ full_name, number, sent_at }) => {
    const at = created.get(`POST /repos/${full_name}/issues/${number}/comments`)
    return at === undefined ? [] : [at - sent_at]
  })
}

interface Sample {
  /** Jobs of deliveries and rechecks. */
  due: number
  connections: number
  memory: number[]
}

async function sample({ sql, instances }: Load, samples: Sample[], stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    const [row] = await sql<Omit<Sample, 'memory'>[]>`
      select (select count(*)::int from jobs where state = 'pending' and run_at <= now() and priority < 2) as due,
        (select count(*)::int from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()) as connections`
    if (row) samples.push({ ...row, memory: instances.map(({ pid }) => memoryOf(pid)) })
    await wait(SAMPLE_MS, undefined, { signal: stopped }).catch(() => {})
  }
}
