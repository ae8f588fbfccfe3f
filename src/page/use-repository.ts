/** The records of one repository that the page shows. They are read again when the version of its live work changes. */
import { useMemo, useState } from 'preact/hooks'
import { systemClock } from '../vocabulary/clock.ts'
import { type Repository, repositoryAt } from './api.ts'
import type { Activity, List, Records } from './records.ts'
import { usePolling } from './use-polling.ts'

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
    const live = { ...list, items: list.items.filter(isLive) }
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

/** The list also holds finished work, which the page does not show. */
function isLive({ status }: Activity): boolean {
  return status !== 'merged' && status !== 'abandoned'
}
