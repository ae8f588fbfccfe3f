/** The records of one repository that the page shows, refreshed while the page is open. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { systemClock } from '../../../base/clock.ts'
import { type List, Problem, type Repository, repositoryAt } from './api.ts'
import { followEvents } from './event-stream.ts'
import { mayConflict } from './live-work.ts'
import type { Activity, MergeOrder, Notable, Overlaps } from './records.ts'
import { freshFor, type LoadResult, Refresher } from './refresh.ts'

/** Each part is null until it was first read: the lists are shown before the collisions are known. */
export interface Records {
  activities: List<Activity> | null
  notables: List<Notable> | null
  overlaps: Overlaps | null
  /** Also null if no pull requests conflict: then it is not requested. */
  merge_order: MergeOrder | null
}

export type Connection = 'connecting' | 'live' | 'lost'

export interface RefreshFailure {
  problem: Problem
  /** When the page last read everything, by the reader's clock; null if never. */
  last_success_ms: number | null
}

const NOTHING_READ: Records = { activities: null, notables: null, overlaps: null, merge_order: null }

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
    const load = async (): Promise<LoadResult> => {
      try {
        const fresh_for_ms = await read(repository, leaving.signal, (part) =>
          setRecords((before) => ({ ...before, ...part })),
        )
        last_success_ms = systemClock().getTime()
        setFailure(null)
        return { kind: 'loaded', fresh_for_ms }
      } catch (error) {
        const problem = error instanceof Problem ? error : new Problem(0, String(error))
        if (!leaving.signal.aborted) setFailure({ problem, last_success_ms })
        return { kind: 'failed', retry_after_ms: problem.retry_after_ms }
      }
    }
    const current = new Refresher(load)
    refresher.current = current
    const listener = {
      onOpen: (may_write: boolean) => {
        setMayWrite(may_write)
        setConnection('live')
        void current.refresh()
      },
      onChange: () => current.changed(),
      onLost: () => setConnection('lost'),
    }
    void followEvents(name, listener, leaving.signal)
    return () => {
      leaving.abort()
      current.stop()
    }
  }, [name, repository])

  const refresh = async () => refresher.current?.refresh()
  return { repository, records, failure, connection, mayWrite, refresh }
}

/** Reads everything, and shows each part as soon as it arrives. Resolves to how long it stays valid; rejects if a part failed. */
async function read(
  repository: Repository,
  signal: AbortSignal,
  show: (part: Partial<Records>) => void,
): Promise<number> {
  const activities = repository.activities(signal).then((list) => {
    show({ activities: { ...list, items: list.items.filter(isLive) } })
    return list
  })
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
  return freshFor(
    [...items, ...signals].map(({ expires_at }) => expires_at),
    as_of_ms,
  )
}

/** The list also holds finished work, which the page does not show. */
function isLive({ status }: Activity): boolean {
  return status !== 'merged' && status !== 'abandoned'
}
