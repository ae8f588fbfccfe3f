/** The agents of the organisation: each has an activity, sends its heartbeats, and checks what it is about to change. */
import { setTimeout as wait } from 'node:timers/promises'
import { fileOf, repositoryOf, tokenOf } from './state.ts'

/** As often as the hooks of a working agent: 12 heartbeats and 40 checks an hour. */
const HEARTBEAT_EVERY_MS = 300_000
const CHECK_EVERY_MS = 90_000
const CREATED_AT_ONCE = 8

export interface Agents {
  count: number
  repositories: number
  /** The ids of their activities. */
  ids: string[]
}

export interface AgentTimes {
  heartbeat: number[]
  check: number[]
}

/** Creates an activity for each agent. */
export async function createAgents(
  urls: string[],
  { count, repositories }: { count: number; repositories: number },
): Promise<Agents> {
  const agents: Agents = { count, repositories, ids: [] }
  let next = 0
  const createSome = async () => {
    for (let agent = next++; agent < count; agent = next++) {
      const body = {
        title: `Work of agent ${agent}`,
        summary: 'What this agent was asked to do.',
        actor: `agent-${agent}`,
        branch: `agent/work-${agent}`,
        base_branch: 'main',
        scope: { paths: [`docs/agent-${agent}/**`] },
      }
      const { activity } = (await send(urls, agents, agent, { path: '', body })) as {
        activity: { id: string }
      }
      agents.ids[agent] = activity.id
    }
  }
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, createSome))
  return agents
}

/** Lets the agents work for `ms`. Returns how long their requests took, in milliseconds. */
export async function runAgents(urls: string[], agents: Agents, ms: number): Promise<AgentTimes> {
  const times: AgentTimes = { heartbeat: [], check: [] }
  const requests = Array.from({ length: agents.count }, (_, agent) => [
    ...instants(agent, agents.count, { every_ms: HEARTBEAT_EVERY_MS, ms }).map((at) => ({
      at,
      kind: 'heartbeat' as const,
      agent,
      request: { path: `/${agents.ids[agent]}/heartbeat`, body: {} },
    })),
    ...instants(agent, agents.count, { every_ms: CHECK_EVERY_MS, ms }).map((at) => ({
      at,
      kind: 'check' as const,
      agent,
      request: { path: '/check', body: proposalOf(agent) },
    })),
  ]).flat()
  const started = performance.now()
  const running: Promise<void>[] = []
  for (const { at, kind, agent, request } of requests.toSorted((one, other) => one.at - other.at)) {
    await wait(Math.max(0, at - (performance.now() - started)))
    const sent = performance.now()
    running.push(
      send(urls, agents, agent, request).then(() => void times[kind].push(performance.now() - sent)),
    )
  }
  await Promise.all(running)
  await wait(Math.max(0, ms - (performance.now() - started)))
  return times
}

/** When an agent acts; the agents are spread evenly. */
function instants(
  agent: number,
  count: number,
  { every_ms, ms }: { every_ms: number; ms: number },
): number[] {
  const first = (agent / count) * every_ms
  return Array.from(
    { length: Math.max(0, Math.ceil((ms - first) / every_ms)) },
    (_, n) => first + n * every_ms,
  )
}

/** Three files, one of which an open pull request changes at the same lines. */
function proposalOf(agent: number): object {
  const theirs = fileOf(3 + (agent % 5), 0, `agent ${agent}`)
  const changes = [
    { path: theirs.filename, patch: theirs.patch },
    { path: `src/agent-${agent}.ts` },
    { path: `docs/agent-${agent}.md` },
  ]
  return { scope: { changes }, branch: `agent/work-${agent}`, base_branch: 'main' }
}

async function send(
  urls: string[],
  { count, repositories }: { count: number; repositories: number },
  agent: number,
  { path, body }: { path: string; body: object },
): Promise<unknown> {
  const full_name = repositoryOf(agent, { agents: count, repositories })
  const response = await fetch(`${urls[agent % urls.length]}/api/v1/repos/${full_name}/activity${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf(agent)}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}
