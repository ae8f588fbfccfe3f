/** A large organisation on two instances: bursts of deliveries, agents, and an import, with GitHub's limits enforced (docs/operations.md#a-large-organisation). */
import { setTimeout as wait } from 'node:timers/promises'
import postgres from 'postgres'
import { startTask, type Task } from '../child.ts'
import { type Agents, type AgentTimes, createAgents, runAgents } from '../organisation/agents.ts'
import { copyTemplate } from '../organisation/copies.ts'
import type {
  GithubGreeting,
  GithubReply,
  GithubReport,
  GithubSetUp,
  GithubTask,
} from '../organisation/messages.ts'
import { openSampler, type ProcessorTime, type Sample, type Sampler } from '../organisation/samples.ts'
import { type Rig, WEBHOOK_SECRET } from '../rig.ts'

/** How long GitHub takes to answer. */
const GITHUB_MS = 100
const SAMPLE_MS = 5000
const POLL_MS = 250
const DRAIN_MAX_MS = 1_800_000
const FILL_MAX_MS = 3_600_000

export async function organisationPart(rig: Rig): Promise<void> {
  const sizes = rig.options.sizes.organisation
  const { repositories, pulls, merged, agents: count, imported } = sizes
  const setUp: GithubSetUp = { pulls, repositories, agents: count, secret: WEBHOOK_SECRET }
  const github = await startTask<GithubReply, GithubGreeting>('organisation-github', { setUp })
  const { url: github_url, app_id, key } = github.greeting
  const DATABASE_URL = await rig.emptyDatabase()
  const start = () =>
    rig.startService({
      DATABASE_URL,
      GITHUB_API_URL: github_url,
      GITHUB_WEB_URL: github_url,
      APP_ID: String(app_id),
      PRIVATE_KEY: key.replaceAll('\n', '\\n'),
      WEBHOOK_SECRET,
      // The default.
      PERMISSION_TTL_MS: '60000',
    })
  const sql = postgres(DATABASE_URL, { max: 1, onnotice: () => {} })
  const idle = () => untilIdle(sql)
  try {
    const first = await start()
    await tell(github, { do: 'install', urls: [first.url] })
    await until('the import of the template', async () => {
      const [row] = await sql<{ count: number }[]>`select count(*)::int as count from pull_requests`
      return row?.count === pulls
    })
    await idle()
    for (const step of ['opened', 'merged'] as const) {
      await tell(github, { do: step, urls: [first.url], count: merged })
      await idle()
    }
    await first.stop()
    await tell(github, { do: 'copy' })
    await copyTemplate(DATABASE_URL, repositories)
    rig.say(
      `  ${repositories} repositories of ${pulls} open and ${merged} merged pull requests in the database`,
    )
    const instances = [await start(), await start()]
    const urls = instances.map(({ url }) => url)
    await until('the first reconciliation', async () => {
      const [row] = await sql<{ count: number }[]>`select count(distinct repo_id)::int as count from etags`
      return row?.count === repositories
    })
    const agents = await createAgents(urls, { count, repositories })
    await idle()
    rig.say(`  reconciled once, ${count} agents at work`)
    const sampler = await openSampler(DATABASE_URL, {
      instances: instances.map(({ pid }) => pid),
      github: github.pid,
    })
    const load = { rig, github, urls, agents, sampler, idle }
    await measure(load, 'organisation', 'a large organisation')
    if (imported > 0) {
      const task = { do: 'add', urls, count: imported } as const
      await measure(
        load,
        'organisation.import',
        `the same beside an import of ${imported} repositories`,
        task,
      )
    }
    for (const { name, rows, megabytes } of await sampler.tables()) {
      if (rows === 0) continue
      rig.results.add(`organisation.table.${name}.rows`, `rows of ${name}`, 'rows', [rows])
      rig.results.add(`organisation.table.${name}.size`, `size of ${name}, with indexes`, 'MB', [megabytes])
    }
    await sampler.close()
    for (const instance of instances) await instance.stop()
  } finally {
    await sql.end()
    await github.close()
  }
}

interface Load {
  rig: Rig
  github: Task<GithubReply>
  urls: string[]
  agents: Agents
  sampler: Sampler
  idle(): Promise<void>
}

/** Bursts and agents for a while, after `first`. GitHub's hour begins anew. */
async function measure(
  { rig, github, urls, agents, sampler, idle }: Load,
  id: string,
  label: string,
  first?: GithubTask,
): Promise<void> {
  const { bursts, burst, burst_ms, conflicts } = rig.options.sizes.organisation
  await tell(github, { do: 'begin', delay_ms: GITHUB_MS })
  if (first) await tell(github, first)
  const stopped = new AbortController()
  const sampled = sampler.run(SAMPLE_MS, stopped.signal)
  const began = { at: performance.now(), cpu: sampler.processorTime() }
  const working = runAgents(urls, agents, bursts * burst_ms)
  const acknowledged: number[] = []
  const statuses: Record<string, number> = {}
  for (let each = 0; each < bursts; each += 1) {
    await wait(Math.max(0, each * burst_ms - (performance.now() - began.at)))
    const { burst: sent } = await tell(github, { do: 'burst', urls, deliveries: burst, conflicts })
    acknowledged.push(sent?.ms ?? Number.NaN)
    for (const [status, times] of Object.entries(sent?.statuses ?? {}))
      statuses[status] = (statuses[status] ?? 0) + times
  }
  const times = await working
  const seconds = (performance.now() - began.at) / 1000
  const used = difference(sampler.processorTime(), began.cpu)
  const drain = performance.now()
  await idle()
  const drain_s = (performance.now() - drain) / 1000
  stopped.abort()
  const samples = await sampled
  const { report } = await tell(github, { do: 'report' })
  if (!report) throw new Error('GitHub did not report')
  const wrong = Object.keys(statuses).filter((status) => status !== '202')
  if (wrong.length > 0) throw new Error(`deliveries got status ${wrong.join()}`)
  rig.say(`  ${label}: ${bursts * burst} deliveries in ${Math.round(seconds)} s`)
  const add = rig.results.add.bind(rig.results)
  add(`${id}.acknowledged`, `a burst of ${burst} deliveries acknowledged`, 'ms', acknowledged)
  addComments(rig, id, report)
  addSamples(rig, id, samples)
  add(`${id}.drained`, 'after the last burst, until nothing is due', 's', [drain_s])
  for (const [name, cpu_s] of Object.entries(used))
    add(`${id}.cpu.${name}`, `processor time of ${name}`, '%', [(100 * cpu_s) / seconds])
  addAgents(rig, id, times)
  addCalls(rig, id, report)
}

function addComments({ results }: Rig, id: string, { comments }: GithubReport): void {
  const arrived = comments.filter((ms) => ms !== null)
  const label = `delivery to comment, ${comments.length} conflicts`
  addPercentiles(results, `${id}.comment`, { label, times: arrived, shares: [0.5, 0.95, 0.99] })
  results.add(`${id}.missing`, 'conflicts without a comment', 'comments', [comments.length - arrived.length])
}

function addSamples({ results }: Rig, id: string, samples: Sample[]): void {
  const of = (value: (sample: Sample) => number) => samples.map(value)
  results.add(
    `${id}.queue.live`,
    'due jobs of deliveries and rechecks',
    'jobs',
    of(({ live }) => live),
  )
  results.add(
    `${id}.queue.rest`,
    'due jobs of imports and reconciliations',
    'jobs',
    of(({ rest }) => rest),
  )
  results.add(
    `${id}.queue.oldest`,
    'age of the oldest live job',
    's',
    of(({ oldest_s }) => oldest_s),
  )
  results.add(
    `${id}.connections`,
    'connections to PostgreSQL',
    'connections',
    of((each) => each.connections),
  )
  for (const [index] of (samples[0]?.memory ?? []).entries())
    results.add(
      `${id}.memory.${index + 1}`,
      `resident memory of instance ${index + 1}`,
      'MB',
      of(({ memory }) => memory[index] ?? Number.NaN),
    )
}

function addAgents({ results }: Rig, id: string, times: AgentTimes): void {
  for (const [kind, all] of Object.entries(times))
    addPercentiles(results, `${id}.${kind}`, {
      label: `${kind} of an agent, ${all.length} requests`,
      times: all,
      shares: [0.5, 0.99],
    })
}

function addCalls({ results, say }: Rig, id: string, { calls, counted, refused }: GithubReport): void {
  results.add(`${id}.calls`, 'calls that count for the limit of 12,500 an hour', 'calls', [counted])
  const all = Object.values(refused).reduce((sum, times) => sum + times, 0)
  results.add(`${id}.refused`, 'calls refused by a limit', 'calls', [all])
  for (const [limit, times] of Object.entries(refused)) say(`  refused by ${limit}: ${times}`)
  for (const [kind, times] of Object.entries(calls).toSorted(([, one], [, other]) => other - one))
    results.add(`${id}.calls.${kind}`, kind, 'calls', [times])
}

function addPercentiles(
  results: Rig['results'],
  id: string,
  { label, times, shares }: { label: string; times: number[]; shares: number[] },
): void {
  const sorted = times.toSorted((a, b) => a - b)
  for (const share of shares) {
    const at = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
    results.add(`${id}.p${100 * share}`, `${label}, p${100 * share}`, 'ms', [at])
  }
}

function difference(after: ProcessorTime, before: ProcessorTime): ProcessorTime {
  return {
    instances: after.instances - before.instances,
    postgres: after.postgres - before.postgres,
    github: after.github - before.github,
  }
}

async function tell(github: Task<GithubReply>, task: GithubTask): Promise<GithubReply> {
  return github.request(task)
}

/** Waits until no job is due, runs, or waits for its turn to write. */
async function untilIdle(sql: postgres.Sql): Promise<void> {
  await until(
    'the queue',
    async () => {
      const [due] = await sql<{ count: number }[]>`
        select count(*)::int as count from jobs
        where state = 'pending' and (run_at <= now() or leased_until > now() or write_at is not null)`
      return due?.count === 0
    },
    DRAIN_MAX_MS,
  )
}

async function until(what: string, isDone: () => Promise<boolean>, max_ms = FILL_MAX_MS): Promise<void> {
  const end = performance.now() + max_ms
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`timed out waiting for ${what}`)
    await wait(POLL_MS)
  }
}
