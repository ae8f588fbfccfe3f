/** The agents of the organisation: each has an activity, sends its heartbeats, and checks what it is about to change. */
import type { GithubWorld } from '../../../test/support/github-world.ts'
import { atPace } from '../measure.ts'
import { fileOf, fullNameOf } from './repositories.ts'

/** As often as the hooks of a working agent: 12 heartbeats and 40 checks an hour. */
const HEARTBEAT_EVERY_MS = 300_000
const CHECK_EVERY_MS = 90_000

/** Of each agent, its activity and a function that posts below the activities of its repository. */
export type Agents = { id: string; post(path: string, body: object): Promise<Created> }[]
interface Created {
  activity: { id: string }
}

/** Creates an activity for each agent. */
export async function createAgents(
  github: GithubWorld,
  { urls, count, repositories }: { urls: string[]; count: number; repositories: number },
): Promise<Agents> {
  const agents: Agents = []
  for (let agent = 0; agent < count; agent += 1) {
    const login = `agent-${agent}`
    const full_name = fullNameOf(Math.floor((agent * repositories) / count))
    github.token(login, { login, id: 1 + agent, permissions: { [full_name]: 'write' } })
    const post = async (path: string, body: object) => {
      const response = await fetch(`${urls[agent % urls.length]}/api/v1/repos/${full_name}/activity${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${login}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const answer = await response.json()
      if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
      return answer as Created
    }
    const { activity } = await post('', {
      title: `Work of agent ${agent}`,
      summary: 'What this agent was asked to do.',
      actor: login,
      branch: `agent/work-${agent}`,
      base_branch: 'main',
      scope: { paths: [`docs/agent-${agent}/**`] },
    })
    agents.push({ id: activity.id, post })
  }
  return agents
}

/** Lets the agents work for `ms`, spread evenly. Returns how long their requests took, in milliseconds. */
export async function runAgents(agents: Agents, ms: number) {
  const each = (every_ms: number, work: (agent: Agents[number], n: number) => Promise<unknown>) =>
    atPace({ every_ms: every_ms / agents.length, ms }, (n) =>
      work(agents[n % agents.length] as Agents[number], n),
    )
  const [heartbeat, check] = await Promise.all([
    each(HEARTBEAT_EVERY_MS, ({ id, post }) => post(`/${id}/heartbeat`, {})),
    each(CHECK_EVERY_MS, ({ post }, n) => post('/check', proposalOf(n % agents.length))),
  ])
  return { heartbeat, check }
}

/** Three files, one of which an open pull request changes at the same lines. */
function proposalOf(agent: number): object {
  const theirs = fileOf(3 + (agent % 5), 0, `agent ${agent}`)
  const own = [`src/agent-${agent}.ts`, `docs/agent-${agent}.md`].map((path) => ({ path }))
  const changes = [{ path: theirs.filename, patch: theirs.patch }, ...own]
  return { scope: { changes }, branch: `agent/work-${agent}`, base_branch: 'main' }
}
