/** Records that are read at once, and again in an interval while the tab is visible; those of one repository when the version of its live work changes. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isLive } from '../vocabulary/activity-status.ts'
import { systemClock } from '../vocabulary/clock.ts'
import { type Problem, problemOf, type Repository, repositoryAt } from './api.ts'
import type { Activity, List, Records } from './records.ts'

/** How often the page asks whether something changed. */
const POLL_MS = 10_000
/** Notables are not part of the version, so everything is read again after this time. */
const FRESH_MS = 60_000

const NOTHING_READ: Records = {
  activities: null,
  notables: null,
  overlaps: null,
  merge_order: null,
  settings: null,
}

export function useRepository(name: string) {
  const [records, setRecords] = useState(NOTHING_READ)
  const repository = useMemo(() => repositoryAt(name), [name])
  const read = useMemo(
    () => recordsReader(repository, (part) => setRecords((before) => ({ ...before, ...part }))),
    [repository],
  )
  const { problem, read_at_ms, refresh } = usePolling(read, POLL_MS)
  return { repository, records, problem, read_at_ms, refresh }
}

type Show = (part: Partial<Records>) => void

/** Reads what may have changed, and shows each part as soon as it arrives. Rejects if a part failed. */
function recordsReader(repository: Repository, show: Show) {
  /** The version of what is shown; undefined until everything was read, and while more than the version can change. */
  let version: string | undefined
  let read_at_ms = 0
  return async (signal: AbortSignal, isRequested: boolean): Promise<void> => {
    const now_ms = systemClock().getTime()
    const isDue = isRequested || version === undefined || now_ms - read_at_ms > FRESH_MS
    const found = repository.overlaps(signal, isDue ? undefined : version)
    if (!isDue && (await found) === null) return
    // After a failure, everything is read again.
    version = undefined
    version = await readAll(repository, { signal, found, show, isFirst: read_at_ms === 0 })
    read_at_ms = now_ms
  }
}

/** The version; undefined if what is shown is not of one time, or is about to change without one. */
async function readAll(
  repository: Repository,
  given: { signal: AbortSignal; found: ReturnType<Repository['overlaps']>; show: Show; isFirst: boolean },
): Promise<string | undefined> {
  const { signal, found, show, isFirst } = given
  const showActivities = (list: List<Activity>) => {
    // The list also holds finished work.
    const live = { ...list, items: list.items.filter(({ status }) => isLive(status)) }
    show({ activities: live })
    return live
  }
  const all = [
    // At first, the newest activities are shown as soon as the first page has arrived.
    repository.activities(signal, isFirst ? showActivities : undefined).then(showActivities),
    found.then((read) => {
      if (read) show({ overlaps: read.answer })
      return read
    }),
    repository.settings(signal).then((settings) => {
      show({ settings })
      return settings
    }),
    repository.notables(signal).then((notables) => show({ notables })),
    repository.mergeOrder(signal).then((merge_order) => show({ merge_order })),
  ] as const
  // A read ends when its last request does: two reads never run at a time.
  await Promise.allSettled(all)
  const [{ items, is_complete }, read, { importing, is_tracked }] = await Promise.all(all)
  // The install of the App and the progress of its import are in no version.
  if (importing !== null || (!is_tracked && items.length === 0)) return undefined
  // A list from before the collisions may lack what they are about. Then everything is read again.
  const { activities: compared, complete } = read?.answer.checked_against ?? {}
  return complete && is_complete && items.length !== compared ? undefined : read?.version
}

export interface Polling<Data> {
  /** The last answer; null until the first one. */
  data: Data | null
  /** Why the last read failed; null after a success. */
  problem: Problem | null
  /** When the last read succeeded, by the reader's clock; null if none did. */
  read_at_ms: number | null
  /** Reads now. Resolves when a read that began after this call has ended, whether or not it succeeded. */
  refresh(): Promise<void>
}

/** `read` gets whether the user waits for the result. One read runs at a time, and none is aborted until the page leaves. */
export function usePolling<Data>(
  read: (signal: AbortSignal, isRequested: boolean) => Promise<Data>,
  interval_ms: number,
): Polling<Data> {
  const [data, setData] = useState<Data | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [read_at_ms, setReadAt] = useState<number | null>(null)
  const current = useRef<() => Promise<void>>(async () => {})
  useEffect(() => {
    const leaving = new AbortController()
    let running: Promise<void> | undefined
    /** Not earlier, because the service asked for it. */
    let not_before_ms = 0
    const readOnce = async (isRequested: boolean) => {
      try {
        const answer = await read(leaving.signal, isRequested)
        setData(() => answer)
        setProblem(null)
        setReadAt(systemClock().getTime())
      } catch (error) {
        if (leaving.signal.aborted) return
        const found = problemOf(error)
        not_before_ms = systemClock().getTime() + found.retry_after_ms
        setProblem(found)
      }
    }
    const start = (isRequested: boolean) => {
      running = readOnce(isRequested).finally(() => {
        running = undefined
      })
      return running
    }
    const poll = () => {
      if (!running && !document.hidden && systemClock().getTime() >= not_before_ms) void start(false)
    }
    current.current = async () => {
      while (running) await running
      await start(true)
    }
    void start(false)
    const timer = setInterval(poll, interval_ms)
    document.addEventListener('visibilitychange', poll)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', poll)
      leaving.abort()
    }
  }, [read, interval_ms])
  return { data, problem, read_at_ms, refresh: () => current.current() }
}
