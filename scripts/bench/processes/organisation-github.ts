/** GitHub for the load of a large organisation: holds its repositories, sends its deliveries, and notes when comments arrive. */
import type { ReceivedRequest } from '../../../test/support/github-world.ts'
import type { Webhook } from '../../../test/support/webhook-payload.ts'
import {
  installationEvent,
  installationRepositoriesEvent,
  signedDelivery,
} from '../../../test/support/webhooks.ts'
import { startFakeGithubServer } from '../../fake-github-server.ts'
import { Organisation } from '../organisation/deliveries.ts'
import type {
  BurstResult,
  GithubGreeting,
  GithubReply,
  GithubReport,
  GithubSetUp,
  GithubTask,
} from '../organisation/messages.ts'
import { addCopies, fullNameOf, history, openTemplate, repositoryOf, tokenOf } from '../organisation/state.ts'

process.once('message', (setUp: GithubSetUp) => {
  serve(setUp).catch((error: Error) => {
    process.stderr.write(`${error.stack}\n`)
    process.exit(1)
  })
})

async function serve({ pulls, repositories, agents, secret }: GithubSetUp): Promise<void> {
  const { url, github } = await startFakeGithubServer()
  const installation = openTemplate(github, pulls)
  for (let agent = 0; agent < agents; agent += 1) {
    const full_name = repositoryOf(agent, { agents, repositories })
    github.token(tokenOf(agent), {
      login: `agent-${agent}`,
      id: 1 + agent,
      permissions: { [full_name]: 'write' },
    })
  }
  const organisation = new Organisation(github, repositories)
  let known = repositories
  let from = 0
  let conflicts: { full_name: string; number: number; sent_at: number }[] = []

  const deliver = async (url: string | undefined, webhook: Webhook): Promise<number> => {
    const response = await fetch(`${url}/api/github/webhooks`, {
      method: 'POST',
      ...signedDelivery({ secret, ...webhook }),
    })
    await response.arrayBuffer()
    return response.status
  }
  const burst = async ({ urls, deliveries, conflicts: count }: Extract<GithubTask, { do: 'burst' }>) => {
    const sent = organisation.next(deliveries, count)
    const began_at = Date.now()
    const result: BurstResult = { ms: 0, statuses: {} }
    await Promise.all(
      sent.map(async ({ webhook, conflict }, index) => {
        if (conflict) conflicts.push({ ...conflict, sent_at: Date.now() })
        const status = await deliver(urls[index % urls.length], webhook)
        result.statuses[status] = (result.statuses[status] ?? 0) + 1
      }),
    )
    result.ms = Date.now() - began_at
    return result
  }
  const report = (): GithubReport => {
    const all = github.requests().slice(from)
    const created = new Map(
      all
        .filter(({ status }) => status === 201)
        .map(({ route, received_at }) => [route, received_at.getTime()]),
    )
    const comments = conflicts.map(({ full_name, number, sent_at }) => {
      const at = created.get(`POST /repos/${full_name}/issues/${number}/comments`)
      return at === undefined ? null : at - sent_at
    })
    const isCounted = ({ token, status }: ReceivedRequest) => token?.startsWith('ghs_') && status !== 304
    return {
      calls: countBy(all, ({ route, status, token }) =>
        [kindOf(route), status, token?.startsWith('agent-') ? 'of agents' : ''].join(' ').trim(),
      ),
      counted: all.filter(isCounted).length,
      refused: countBy(
        all.filter(({ refused_by }) => refused_by),
        ({ refused_by }) => `${refused_by}`,
      ),
      comments,
    }
  }
  const perform = async (task: GithubTask): Promise<GithubReply> => {
    switch (task.do) {
      case 'install':
        await deliver(task.urls[0], installationEvent(github, installation, 'created'))
        return {}
      case 'opened':
      case 'merged':
        for (const webhook of history(github, task.do, task.count)) await deliver(task.urls[0], webhook)
        return {}
      case 'copy':
        addCopies(github, installation, { first: 1, count: repositories - 1 })
        return {}
      case 'add': {
        addCopies(github, installation, { first: known, count: task.count })
        const names = Array.from({ length: task.count }, (_, index) => fullNameOf(known + index))
        known += task.count
        await deliver(task.urls[0], installationRepositoriesEvent(github, installation, 'added', names))
        return {}
      }
      case 'begin':
        github.delayAnswers(task.delay_ms)
        github.enforceLimits()
        from = github.requests().length
        conflicts = []
        return {}
      case 'burst':
        return { burst: await burst(task) }
      case 'report':
        return { report: report() }
    }
  }
  process.on('message', (task: GithubTask) => {
    perform(task).then(
      (reply) => process.send?.(reply),
      (error: Error) => {
        process.stderr.write(`${error.stack}\n`)
        process.exit(1)
      },
    )
  })
  const greeting: GithubGreeting = { url, app_id: github.app.id, key: github.app.key() }
  process.send?.(greeting)
}

function countBy<Item>(items: Item[], keyOf: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1
  return counts
}

/** `GET /repos/large/r00001/pulls/7/files` → `GET /pulls/{number}/files`. */
function kindOf(route: string): string {
  return route
    .replace(/ \/repos\/[^/]+\/[^/]+/, ' ')
    .replace(/\/(branches|compare)\/.+/, '/$1/{name}')
    .replace(/\/\d+/g, '/{number}')
    .replace(/ $/, ' repository')
}
