/** Plays a history as webhooks into the service, beginning with the installation of the App, and records what it does on GitHub. */
import type { GithubWorld } from '../../../test/support/github-world.ts'
import { installationEvent, pullRequestEvent, pushEvent } from '../../../test/support/webhooks.ts'
import type { ScratchGit } from '../git.ts'
import type { Changed } from '../heads.ts'
import type { History } from '../history.ts'
import { backlogOf, eventsOf, isByAgent, type LiveEvent, type Revision } from './events.ts'
import { mirrorGithub } from './mirror-github.ts'
import { type LiveService, startLiveService } from './service.ts'

const FULL_NAME = 'replayed/repository'
/** The last patches of a declaration are left out beyond this. */
const PATCHES_BYTES_MAX = 400_000
const DAY = 86_400

/** The author of a pull request was told of others. */
export interface Told {
  on: Changed
  /** The numbers of the others. */
  named: number[]
  /** The revisions at that time, of the pull request and of those that are named. */
  revisions: Map<number, Revision>
}

/** A write of the App to a comment. */
export interface CommentWrite extends Told {
  /** In seconds. */
  at: number
  kind: 'posted' | 'edited'
}

/** A call of the App to GitHub. */
export interface GithubCall {
  at: number
  /** The route without numbers and names, such as `GET /repos/{repo}/pulls/{n}/files`. */
  kind: string
}

export interface LivePlay {
  since: number
  until: number
  backlog: number
  writes: CommentWrite[]
  /** The conflicts that answers to agents named, before their pull requests were opened. */
  answers: Told[]
  calls: GithubCall[]
  /** The openings and pushes. `cpu_ms`: the processor time of this process until everything that is due then was done. */
  deliveries: { at: number; on: number; cpu_ms: number }[]
}

export async function playLive(
  { git, absent, report }: { git: ScratchGit; absent: ReadonlySet<string>; report: (line: string) => void },
  history: History,
): Promise<LivePlay> {
  const { since, until } = history
  const changed = history.changed.filter(({ revisions }) => revisions.length > 0)
  const service = await startLiveService(FULL_NAME, new Date(1000 * since))
  try {
    const world = service.github.github
    const played: LivePlay = { since, until, backlog: 0, writes: [], answers: [], calls: [], deliveries: [] }
    const at = () => Math.floor(service.clock.now.getTime() / 1000)
    const now = new Map<number, Revision>()
    const byNumber = new Map(changed.map((pr) => [pr.n, pr]))
    const repository = world.at(FULL_NAME)
    const mirror = await mirrorGithub(
      { ...history, git, absent },
      { state: world.state, repository, all: changed },
    )
    record(world, { byNumber, now, at, played, tryMerge: mirror.tryMerge })
    for (const { name } of history.branches) if (!repository.branches().includes(name)) repository.push(name)
    for (const pr of changed.filter(isByAgent)) {
      const login = mirror.loginOf(pr)
      world.token(login, { login, id: 1_000_000 + pr.n, permissions: { [FULL_NAME]: 'write' } })
    }

    const backlog = backlogOf(changed, since)
    played.backlog = backlog.length
    for (const { pr, revision } of backlog) {
      now.set(pr.n, revision)
      mirror.open(pr, revision)
    }
    const installation = world.app.install({ repositories: [FULL_NAME] })
    await service.deliver(installationEvent(world, installation, 'created'))
    report(`installed on ${backlog.length} open pull requests`)

    let day = 0
    for (const event of eventsOf(changed, { since, until })) {
      await service.advanceTo(new Date(1000 * event.at))
      const before = process.cpuUsage()
      await happen(service, { event, mirror, now, played })
      const { user, system } = process.cpuUsage(before)
      if (event.kind === 'opened' || event.kind === 'pushed')
        played.deliveries.push({ at: event.at, on: event.pr.n, cpu_ms: (user + system) / 1000 })
      const passed = Math.floor((event.at - since) / DAY)
      if (passed > day) {
        day = passed
        report(`day ${day}: ${played.writes.length} writes to comments, ${played.calls.length} calls`)
      }
    }
    await service.advanceTo(new Date(1000 * until))
    return played
  } finally {
    await service.close()
  }
}

async function happen(
  service: LiveService,
  {
    event,
    mirror,
    now,
    played,
  }: {
    event: LiveEvent
    mirror: Awaited<ReturnType<typeof mirrorGithub>>
    now: Map<number, Revision>
    played: LivePlay
  },
): Promise<void> {
  const { pr } = event
  const world = service.github.github
  const deliver = (action: Parameters<typeof pullRequestEvent>[3]) =>
    service.deliver(pullRequestEvent(world, FULL_NAME, pr.n, action))
  switch (event.kind) {
    case 'declared': {
      const declaration = declarationOf(mirror, pr, event.revision)
      const token = mirror.loginOf(pr)
      const { activity } = (await service.post(token, '/activity', declaration)) as Created
      const { overlap } = (await service.get(token, `/activity/${activity.id}`)) as Retrieved
      const conflicts = overlap.matches.filter(({ lines }) => lines === 'conflict')
      const named = conflicts.flatMap(({ pr_url }) => (pr_url ? [Number(pr_url.split('/').at(-1))] : []))
      const revisions = revisionsAt(new Map([...now, [pr.n, event.revision]]), [pr.n, ...named])
      played.answers.push({ on: pr, named, revisions })
      return
    }
    case 'opened':
      now.set(pr.n, event.revision)
      mirror.open(pr, event.revision)
      return deliver('opened')
    case 'pushed': {
      now.set(pr.n, event.revision)
      const push = mirror.push(pr, event.revision)
      return deliver({ action: 'synchronize', push })
    }
    default: {
      mirror.end(pr)
      await deliver('closed')
      now.delete(pr.n)
      if (event.kind === 'closed') return
      const { base } = world.at(FULL_NAME).pull(pr.n)
      return service.deliver(pushEvent(world, FULL_NAME, { ref: `refs/heads/${base.ref}` }))
    }
  }
}

/** The answers of the API, as far as they are read here. */
interface Created {
  activity: { id: string }
}

interface Retrieved {
  overlap: { matches: { pr_url: string | null; lines: string | null }[] }
}

function revisionsAt(now: ReadonlyMap<number, Revision>, numbers: readonly number[]): Map<number, Revision> {
  return new Map(numbers.flatMap((n) => (now.has(n) ? [[n, now.get(n) as Revision]] : [])))
}

function declarationOf(
  mirror: Awaited<ReturnType<typeof mirrorGithub>>,
  pr: Changed,
  revision: Revision,
): object {
  let bytes = 0
  const changes = mirror.filesOf(revision).map(({ filename, previous_filename, status, patch }) => {
    bytes += patch?.length ?? 0
    return {
      path: filename,
      status:
        status === 'copied' ? 'added' : status === 'changed' || status === 'unchanged' ? 'modified' : status,
      ...(status === 'renamed' && { previous_path: previous_filename }),
      ...(patch && bytes < PATCHES_BYTES_MAX && { patch }),
    }
  })
  return {
    title: `Task ${pr.n}`,
    summary: 'Declared before the work starts.',
    actor: mirror.loginOf(pr),
    agent: 'claude-code',
    branch: mirror.headOf(pr),
    scope: { changes },
  }
}

/** Records the calls of the App, and its writes to comments. */
function record(
  world: GithubWorld,
  given: {
    byNumber: Map<number, Changed>
    now: Map<number, Revision>
    at: () => number
    played: LivePlay
    tryMerge: (n: number) => void
  },
): void {
  const { byNumber, now, at, played, tryMerge } = given
  const { answer } = world
  const commented = new Map<string, number>()
  world.answer = async (request) => {
    const path = request.path.replace(/\?.*$/, '')
    const kind = path
      .replace(`/repos/${FULL_NAME}`, '/repos/{repo}')
      .replace(/\/compare\/.*/, '/compare/{basehead}')
      .replace(/\/contents\/.*/, '/contents/{path}')
      .replace(/\/(branches|git\/ref\/heads)\/.*/, '/$1/{branch}')
      .replaceAll(/\/\d+(?=\/|$)/g, '/{n}')
      .replaceAll(/\/[0-9a-f]{40}(?=\/|$)/g, '/{sha}')
    played.calls.push({ at: at(), kind: `${request.method} ${kind}` })
    const [, asked] = request.method === 'GET' ? (/\/pulls\/(\d+)$/.exec(path) ?? []) : []
    if (asked) tryMerge(Number(asked))
    const answered = await answer(request)
    const body = request.body ? (JSON.parse(request.body) as { body?: string }).body : undefined
    const [, posted] = /\/issues\/(\d+)\/comments$/.exec(path) ?? []
    const [, edited] = /\/issues\/comments\/(\d+)$/.exec(path) ?? []
    if (typeof answered !== 'object' || answered.status >= 300 || body === undefined) return answered
    const number =
      request.method === 'POST' && posted
        ? Number(posted)
        : commented.get(request.method === 'PATCH' ? (edited ?? '') : '')
    const on = number === undefined ? undefined : byNumber.get(number)
    if (number === undefined || on === undefined) return answered
    if (posted) commented.set(String((JSON.parse(answered.body) as { id: number }).id), number)
    // Only numbers in code spans are the App's words; text by others is quoted as a whole.
    const named = [...new Set([...body.matchAll(/`#(\d+)`/g)].map(([, n]) => Number(n)))].filter(
      (n) => n !== number,
    )
    const revisions = revisionsAt(now, [number, ...named])
    played.writes.push({ at: at(), kind: posted ? 'posted' : 'edited', on, named, revisions })
    return answered
  }
}
