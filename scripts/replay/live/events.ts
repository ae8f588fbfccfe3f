/** What happens to the pull requests of a history, in the order of time. Pure. */
import type { Changed } from '../heads.ts'

export type Revision = Changed['revisions'][number]

export type LiveEvent =
  /** An agent declares the work before it opens the pull request. */
  | { kind: 'declared'; at: number; pr: Changed; revision: Revision }
  | { kind: 'opened'; at: number; pr: Changed; revision: Revision }
  | { kind: 'pushed'; at: number; pr: Changed; revision: Revision }
  | { kind: 'merged' | 'closed'; at: number; pr: Changed }

/** How long before the opening an agent declares its work, in seconds. */
const DECLARED_S = 1800
/** One of so many pull requests is an agent's. */
const AGENT_EVERY = 10

/** Whether an agent opened it: every tenth pull request by a person. */
export function isByAgent({ n, is_bot }: Changed): boolean {
  return n % AGENT_EVERY === 0 && !is_bot
}

/** The pull requests that are open at `since`, each with its revision of that time. */
export function backlogOf(all: readonly Changed[], since: number): { pr: Changed; revision: Revision }[] {
  return all.flatMap((pr) => {
    const revision = pr.revisions.findLast(({ at }) => at < since)
    return pr.opened < since && pr.ended > since && revision ? [{ pr, revision }] : []
  })
}

/**
 * The events from `since` to `until`. An end comes before a push of the same time, and a lower number before a higher one. A
 * pull request of which no push before `since` is known is opened at the first one that is.
 */
export function eventsOf(
  all: readonly Changed[],
  { since, until }: { since: number; until: number },
): LiveEvent[] {
  const events = all.flatMap((pr): LiveEvent[] => {
    const [first] = pr.revisions
    if (first === undefined || pr.ended <= Math.max(since, first.at)) return []
    const pushes = pr.revisions.filter(({ at }) => at < pr.ended)
    const isOpenedIn = first.at >= since
    const opening: LiveEvent[] = isOpenedIn ? [{ kind: 'opened', at: first.at, pr, revision: first }] : []
    const declared: LiveEvent[] =
      isOpenedIn && isByAgent(pr)
        ? [{ kind: 'declared', at: Math.max(since, first.at - DECLARED_S), pr, revision: first }]
        : []
    return [
      ...declared,
      ...opening,
      ...pushes
        .filter((revision) => revision !== first || !isOpenedIn)
        .map((revision): LiveEvent => ({ kind: 'pushed', at: revision.at, pr, revision })),
      { kind: pr.merged === null ? 'closed' : 'merged', at: pr.ended, pr },
    ]
  })
  const isEnd = ({ kind }: LiveEvent) => kind === 'merged' || kind === 'closed'
  return events
    .filter(({ at }) => at >= since && at <= until)
    .sort((a, b) => a.at - b.at || Number(isEnd(b)) - Number(isEnd(a)) || a.pr.n - b.pr.n)
}
