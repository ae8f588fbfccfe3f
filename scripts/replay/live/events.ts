/** What happens to the pull requests of a history, in the order of time. Pure. */
import { type Changed, eventsOf } from '../heads.ts'

export type Revision = Changed['revisions'][number]

export type LiveEvent =
  /** `declared`: an agent declares the work before it opens the pull request. */
  | { kind: 'declared' | 'opened' | 'pushed'; at: number; pr: Changed; revision: Revision }
  | { kind: 'merged' | 'closed'; at: number; pr: Changed }

/** How long before the opening an agent declares its work, in seconds. */
const DECLARED_S = 1800
/** One of so many pull requests is an agent's. */
const AGENT_EVERY = 10

/** Whether an agent opened it: every tenth pull request by a person. */
export function isByAgent({ n, is_bot }: Changed): boolean {
  return n % AGENT_EVERY === 0 && !is_bot
}

/**
 * The pull requests that are open at `since`, each with its revision of that time, and the events until `until`. A pull request
 * of which no push before `since` is known is opened at the first one that is.
 */
export function liveEvents(all: readonly Changed[], { since, until }: { since: number; until: number }) {
  const backlog = new Map<Changed, Revision>()
  const open = new Set<Changed>()
  const events: LiveEvent[] = []
  for (const { at, pr, revision } of eventsOf(all)) {
    if (at > until) break
    if (at < since) {
      if (revision) backlog.set(pr, revision)
      else backlog.delete(pr)
    } else if (revision === null) {
      if (open.has(pr) || backlog.has(pr)) events.push({ kind: pr.merged ? 'merged' : 'closed', at, pr })
    } else {
      const isKnown = open.has(pr) || backlog.has(pr)
      if (!isKnown && isByAgent(pr))
        events.push({ kind: 'declared', at: Math.max(since, at - DECLARED_S), pr, revision })
      events.push({ kind: isKnown ? 'pushed' : 'opened', at, pr, revision })
      open.add(pr)
    }
  }
  return { backlog: [...backlog], events: events.toSorted((a, b) => a.at - b.at) }
}
