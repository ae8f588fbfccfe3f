/** The records of one repository that the page shows: read once, and then kept up to date by the event stream. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { systemClock } from '../vocabulary/clock.ts'
import { type Problem, problemOf, type Repository, repositoryAt } from './api.ts'
import { followEvents } from './event-stream.ts'
import { mayConflict } from './live-work.ts'
import type { Activity, Change, List } from './records.ts'
import { applied, type Records } from './records-after-event.ts'
import { freshFor, LIVE_FRESH_MAX_MS, type LoadResult, Refresher } from './refresh.ts'

export type Connection = 'connecting' | 'live' | 'lost'

export interface RefreshFailure {
  problem: Problem
  /** When the page last read everything, by the reader's clock; null if never. */
  last_success_ms: number | null
}

const NOTHING_READ: Records = { activities: null, notables: null, overlaps: null, merge_order: null }
/** How often the ages on the page are updated if nothing else changes. */
const CLOCK_MS = 60_000

export function useRepository(name: string) {
  const repository = useMemo(() => repositoryAt(name), [name])
  const [records, setRecords] = useState(NOTHING_READ)
  const [failure, setFailure] = useState<RefreshFailure | null>(null)
  const [connection, setConnection] = useState<Connection>('connecting')
  const [mayWrite, setMayWrite] = useState(false)
  const refresher = useRef<Refresher | null>(null)

  useEffect(() => {
    const leaving = new AbortController()
    let last_success_ms: number | null = null
    let isLive = false
    /** Events that arrived during the load. A list that was read before an event does not contain its changes. */
    let during_load: Change[] | null = null
    const load = async (): Promise<LoadResult> => {
      // Nobody looks at it, and the page loads everything again when it is visible.
      if (document.hidden && last_success_ms !== null)
        return { kind: 'loaded', fresh_for_ms: LIVE_FRESH_MAX_MS }
      const events: Change[] = []
      during_load = events
      try {
        const expiries = await read(repository, leaving.signal, {
          has_nothing: last_success_ms === null,
          show: (part) => setRecords((before) => events.reduce(applied, { ...before, ...part })),
        })
        last_success_ms = systemClock().getTime()
        setFailure(null)
        return { kind: 'loaded', fresh_for_ms: freshFor({ ...expiries, is_live: isLive }) }
      } catch (error) {
        const problem = problemOf(error)
        if (!leaving.signal.aborted) setFailure({ problem, last_success_ms })
        return { kind: 'failed', retry_after_ms: problem.retry_after_ms }
      } finally {
        during_load = null
      }
    }
    const current = new Refresher(load)
    refresher.current = current
    const listener = {
      onOpen: (may_write: boolean) => {
        isLive = true
        setMayWrite(may_write)
        setConnection('live')
        void current.refresh()
      },
      onChange: (change: Change) => {
        during_load?.push(change)
        setRecords((before) => applied(before, change))
      },
      onOutdated: () => current.changed(),
      onLost: () => {
        isLive = false
        setConnection('lost')
        current.lost()
      },
      onHidden: () => {
        isLive = false
        setConnection('connecting')
      },
      onVisible: () => current.awaitStream(),
    }
    void followEvents(name, listener, leaving.signal)
    const clock = setInterval(() => setRecords(laterByClock), CLOCK_MS)
    return () => {
      clearInterval(clock)
      leaving.abort()
      current.stop()
    }
  }, [name, repository])

  const refresh = async () => refresher.current?.refresh()
  return { repository, records, failure, connection, mayWrite, refresh }
}

/** Moves the time of the records on by `CLOCK_MS`. */
function laterByClock(records: Records): Records {
  const { activities } = records
  if (activities === null) return records
  return { ...records, activities: { ...activities, as_of_ms: activities.as_of_ms + CLOCK_MS } }
}

/** Reads everything, and shows each part as soon as it arrives. Resolves to when records expire; rejects if a part failed. */
async function read(
  repository: Repository,
  signal: AbortSignal,
  { has_nothing, show }: { has_nothing: boolean; show: (part: Partial<Records>) => void },
): Promise<{ expiries: string[]; as_of_ms: number }> {
  const showActivities = (list: List<Activity>) => {
    show({ activities: { ...list, items: list.items.filter(isLive) } })
    return list
  }
  // At first, the newest activities are shown as soon as the first page has arrived.
  const activities = repository
    .activities(signal, has_nothing ? showActivities : undefined)
    .then(showActivities)
  const notables = repository.notables(signal).then((list) => {
    show({ notables: list })
    return list
  })
  const overlaps = repository.overlaps(signal).then((found) => {
    show({ overlaps: found })
    return found
  })
  const merge_order = Promise.all([activities, overlaps]).then(async ([{ items }, found]) => {
    show({ merge_order: mayConflict(items, found) ? await repository.mergeOrder(signal) : null })
  })
  // A load ends when its last request does: two loads never run at a time.
  await Promise.allSettled([activities, notables, overlaps, merge_order])
  const [{ items, as_of_ms }, { items: signals }] = await Promise.all([activities, notables, merge_order])
  return { expiries: [...items, ...signals].map(({ expires_at }) => expires_at), as_of_ms }
}

/** The list also holds finished work, which the page does not show. */
function isLive({ status }: Activity): boolean {
  return status !== 'merged' && status !== 'abandoned'
}
