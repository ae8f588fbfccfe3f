/** The pairs that the service chooses in a real history, and for comparison pairs drawn at random from the same pull requests. */

import { MERGEABLE } from '../../src/server/ledger/ledger.ts'
import { SETTINGS_PATH } from '../../src/server/repositories/settings-refresh.ts'
import { OUTCOME } from '../../src/server/tracking/outcomes.ts'
import { RECHECK } from '../../src/server/tracking/recheck.ts'
import { RECONCILE_ALL } from '../../src/server/tracking/reconcile.ts'
import { PAIRS_CHOSEN_MAX, type PairReason, type ProofChoice } from '../../src/vocabulary/contract/proof.ts'
import { installationEvent, pullRequestEvent, pushEvent } from '../../test/support/webhooks.ts'
import { type Random, randomOf, shuffled } from '../random.ts'
import { type Git, scratchOf } from '../replay/git.ts'
import { type Changed, isStacked } from '../replay/heads.ts'
import { type History, type ReplayOptions, readHistory } from '../replay/history.ts'
import { backlogOf, eventsOf, type LiveEvent } from '../replay/live/events.ts'
import { mirrorGithub } from '../replay/live/mirror-github.ts'
import { type LiveService, startLiveService } from '../replay/live/service.ts'
import { openMirror } from '../replay/mirror.ts'

const FULL_NAME = 'replayed/repository'
const TOKEN = 'ada'
const DAY = 86_400
/** Comments and what becomes of the pairs that they name have no part in the choice, except for `changed_together`. */
const SKIPPED = [RECHECK, MERGEABLE, OUTCOME, RECONCILE_ALL]
/** Nothing reconciles, so that no open pull request may end by itself. */
const SETTINGS = 'activity_ttl_ms: 31536000000'

/** A pair at the time when one side was opened or pushed. */
export interface Candidate {
  group: 'chosen' | 'random'
  /** Null for `random`. */
  reason: PairReason | null
  /** The one that was opened or pushed comes first. */
  pull_requests: [number, number]
  heads: [string, string]
  /** The commit of the base branch at that time. */
  base: string
}

export interface FindOptions extends ReplayOptions {
  seed: number
  /** Called with each pair, in the order of time. */
  onPair: (pair: Candidate) => void
}

/** Does not modify the mirror. */
export async function findCandidates(directory: string, options: FindOptions): Promise<void> {
  const mirror = await openMirror(directory)
  const git = await scratchOf(mirror.git, mirror.absent)
  try {
    const history = await readHistory(mirror, git, options)
    const service = await startLiveService(FULL_NAME, new Date(1000 * history.since), SKIPPED)
    try {
      await play(service, { history, git, absent: mirror.absent, options })
    } finally {
      await service.close()
    }
  } finally {
    await git.remove()
  }
}

interface Played {
  history: History
  git: Git
  absent: ReadonlySet<string>
  options: FindOptions
}

/** Delivers the events of a history, and asks for the pairs after each opening and push. */
async function play(service: LiveService, { history, git, absent, options }: Played): Promise<void> {
  const { since, until } = history
  const { seed, onPair, report } = options
  const changed = history.changed.filter(({ revisions }) => revisions.length > 0)
  const world = service.github.github
  world.token(TOKEN, { login: TOKEN, id: 1, permissions: { [FULL_NAME]: 'write' } })
  const repository = world.at(FULL_NAME)
  const github = await mirrorGithub(
    { ...history, git, absent },
    { state: world.state, repository, all: changed },
  )
  for (const { name } of history.branches) if (!repository.branches().includes(name)) repository.push(name)
  repository.write(SETTINGS_PATH, SETTINGS)
  const open = new Map<number, Changed>()
  for (const { pr, revision } of backlogOf(changed, since)) {
    open.set(pr.n, pr)
    github.open(pr, revision)
  }
  const installation = world.app.install({ repositories: [FULL_NAME] })
  await service.deliver(installationEvent(world, installation, 'created'))
  report(`installed on ${open.size} open pull requests`)

  const deliver = (n: number, action: Parameters<typeof pullRequestEvent>[3]) =>
    service.deliver(pullRequestEvent(world, FULL_NAME, n, action))
  const happen = async (event: LiveEvent) => {
    const { pr } = event
    switch (event.kind) {
      case 'declared':
        return
      case 'opened':
        open.set(pr.n, pr)
        github.open(pr, event.revision)
        return deliver(pr.n, 'opened')
      case 'pushed':
        return deliver(pr.n, { action: 'synchronize', push: github.push(pr, event.revision) })
      default: {
        open.delete(pr.n)
        github.end(pr)
        await deliver(pr.n, 'closed')
        const { base } = repository.pull(pr.n)
        if (event.kind === 'merged')
          await service.deliver(pushEvent(world, FULL_NAME, { ref: `refs/heads/${base.ref}` }))
      }
    }
  }
  const random = randomOf(seed)
  let day = 0
  for (const event of eventsOf(changed, { since, until })) {
    const { kind, pr, at } = event
    await service.advanceTo(new Date(1000 * at))
    await happen(event)
    if (kind !== 'opened' && kind !== 'pushed') continue
    const { items } = (await service.get(TOKEN, `/proofs?pull_request=${pr.n}`)) as ProofChoice
    const { head, base } = repository.pull(pr.n)
    for (const { pull_requests, heads, reason } of items)
      onPair({ group: 'chosen', reason, pull_requests, heads, base: base.sha })
    for (const { n } of drawOthers(pr, [...open.values()], random)) {
      const heads: Candidate['heads'] = [head.sha, repository.pull(n).head.sha]
      onPair({ group: 'random', reason: null, pull_requests: [pr.n, n], heads, base: base.sha })
    }
    if (at - since >= (day + 10) * DAY) {
      day = Math.floor((at - since) / DAY)
      report(`day ${day}`)
    }
  }
}

/** As many others as are chosen at most, drawn from those that can be: neither own nor stacked work, on the same branch. */
function drawOthers(pr: Changed, open: readonly Changed[], random: Random): Changed[] {
  const others = open.filter(
    (each) => each.author !== pr.author && each.branch === pr.branch && !isStacked(each, pr),
  )
  return shuffled(others, random).slice(0, PAIRS_CHOSEN_MAX)
}
