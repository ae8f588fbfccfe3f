/** Plays a history as webhooks into the service, beginning with the installation of the App, and records what it does on GitHub. */
import type { OverlapResult } from '../../../src/vocabulary/contract/overlap.ts'
import { findingOf } from '../../../src/vocabulary/finding.ts'
import type { GithubWorld } from '../../../test/support/github-world.ts'
import { installationEvent, pullRequestEvent, pushEvent } from '../../../test/support/webhooks.ts'
import type { Git } from '../git.ts'
import type { Changed } from '../heads.ts'
import type { History } from '../history.ts'
import { DAY } from '../pull-requests.ts'
import { isByAgent, type LiveEvent, liveEvents, type Revision } from './events.ts'
import { type MirrorGithub, mirrorGithub } from './mirror-github.ts'
import { type LiveService, startLiveService } from './service.ts'

const FULL_NAME = 'replayed/repository'
/** The last patches of a declaration are left out beyond this. */
const PATCHES_BYTES_MAX = 400_000

/** The author of a pull request was told of others. */
export interface Told {
  on: Changed
  /** In seconds. */
  at: number
  /** By a comment, or by the answer to an agent before it opened the pull request. */
  by: 'posted' | 'edited' | 'answered'
  /** The numbers of the others. */
  named: number[]
  /** The revisions at that time, of the pull request and of those that are named. */
  revisions: Map<number, Revision>
}

export interface LivePlay {
  since: number
  backlog: number
  told: Told[]
}

export async function playLive(
  { git, absent, report }: { git: Git; absent: ReadonlySet<string>; report: (line: string) => void },
  history: History,
): Promise<LivePlay> {
  const { since, until } = history
  const changed = history.changed.filter(({ revisions }) => revisions.length > 0)
  const service = await startLiveService(FULL_NAME, new Date(1000 * since))
  try {
    const world = service.github
    const played: LivePlay = { since, backlog: 0, told: [] }
    const at = () => Math.floor(service.clock.now.getTime() / 1000)
    const now = new Map<number, Revision>()
    const byNumber = new Map(changed.map((pr) => [pr.n, pr]))
    const repository = world.at(FULL_NAME)
    const mirror = await mirrorGithub(
      { ...history, git, absent },
      { state: world.state, repository, all: changed },
    )
    record(world, { byNumber, now, at, played })
    for (const { name } of history.branches) if (!repository.branches().includes(name)) repository.push(name)
    for (const pr of changed.filter(isByAgent)) {
      const login = mirror.loginOf(pr)
      world.token(login, { login, id: 1_000_000 + pr.n, permissions: { [FULL_NAME]: 'write' } })
    }

    const { backlog, events } = liveEvents(changed, { since, until })
    played.backlog = backlog.length
    for (const [pr, revision] of backlog) {
      now.set(pr.n, revision)
      mirror.open(pr, revision)
    }
    const installation = world.app.install({ repositories: [FULL_NAME] })
    await service.deliver(installationEvent(world, installation, 'created'))
    report(`installed on ${backlog.length} open pull requests`)

    let days = 0
    for (const event of events) {
      await service.advanceTo(new Date(1000 * event.at))
      await happen(service, { event, mirror, now, played })
      const day = Math.floor((event.at - since) / DAY)
      if (day > days) report(`day ${day}`)
      days = Math.max(day, days)
    }
    await service.advanceTo(new Date(1000 * until))
    return played
  } finally {
    await service.close()
  }
}

interface Happening {
  event: LiveEvent
  mirror: MirrorGithub
  now: Map<number, Revision>
  played: LivePlay
}

async function happen(service: LiveService, { event, mirror, now, played }: Happening): Promise<void> {
  const { pr } = event
  const world = service.github
  const deliver = (action: Parameters<typeof pullRequestEvent>[3]) =>
    service.deliver(pullRequestEvent(world, FULL_NAME, pr.n, action))
  switch (event.kind) {
    case 'declared': {
      const declaration = declarationOf(mirror, pr, event.revision)
      const api = service.api(mirror.loginOf(pr))
      const path = `/api/v1/repos/${FULL_NAME}/activity`
      const { body: created } = await api('POST', path, { body: declaration })
      const { body } = await api('GET', `${path}/${created.activity.id}`)
      const conflicts = (body.overlap.matches as OverlapResult['matches']).filter(
        ({ findings }) => findingOf(findings, 'lines')?.verdict === 'conflict',
      )
      const named = conflicts.flatMap(({ pr_url }) => (pr_url ? [Number(pr_url.split('/').at(-1))] : []))
      const revisions = revisionsAt(new Map([...now, [pr.n, event.revision]]), [pr.n, ...named])
      played.told.push({ on: pr, at: event.at, by: 'answered', named, revisions })
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

function revisionsAt(now: ReadonlyMap<number, Revision>, numbers: readonly number[]): Map<number, Revision> {
  return new Map(numbers.flatMap((n) => (now.has(n) ? [[n, now.get(n) as Revision]] : [])))
}

function declarationOf(mirror: MirrorGithub, pr: Changed, revision: Revision): object {
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
  },
): void {
  const { byNumber, now, at, played } = given
  const { answer } = world
  const commented = new Map<string, number>()
  world.answer = async (request) => {
    const path = request.path.replace(/\?.*$/, '')
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
    played.told.push({ on, at: at(), by: posted ? 'posted' : 'edited', named, revisions })
    return answered
  }
}
