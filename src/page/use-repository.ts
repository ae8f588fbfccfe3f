/** The records of one repository that the page shows. They are read again when the version of its live work changes. */
import { useMemo, useState } from 'preact/hooks'
import { systemClock } from '../vocabulary/clock.ts'
import { type Repository, repositoryAt } from './api.ts'
import { mayConflict } from './live-work.ts'
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
  may_write: false,
  may_administer: false,
  is_tracked: true,
  importing: null,
  mode: 'on',
  settings_errors: [],
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
function recordsReader(repository: Repository, showPart: Show) {
  /** The progress of an import is not part of the version. */
  let isImporting = false
  const show: Show = (part) => {
    if (part.importing !== undefined) isImporting = part.importing !== null
    showPart(part)
  }
  /** The version of what is shown; undefined until everything was read. */
  let version: string | undefined
  let read_at_ms = 0
  return async (signal: AbortSignal, isRequested: boolean): Promise<void> => {
    const now_ms = systemClock().getTime()
    const isDue = isRequested || isImporting || version === undefined || now_ms - read_at_ms > FRESH_MS
    const found = repository.overlaps(signal, isDue ? undefined : version)
    if (!isDue && (await found) === null) return
    const read = await readAll(repository, { signal, found, show, isFirst: version === undefined })
    if (read !== null) version = read.version
    read_at_ms = now_ms
  }
}

/** Null if the collisions have not changed. `version`: undefined if not all that is shown is of one time. */
async function readAll(
  repository: Repository,
  given: { signal: AbortSignal; found: ReturnType<Repository['overlaps']>; show: Show; isFirst: boolean },
): Promise<{ version: string | undefined } | null> {
  const { signal, found, show, isFirst } = given
  const showActivities = (list: List<Activity>) => {
    show({ activities: { ...list, items: list.items.filter(isLive) } })
    return list
  }
  // At first, the newest activities are shown as soon as the first page has arrived.
  const activities = repository.activities(signal, isFirst ? showActivities : undefined).then(showActivities)
  const overlaps = found.then((read) => {
    if (read) show({ overlaps: read.answer })
    return read
  })
  const notables = repository.notables(signal).then((list) => show({ notables: list }))
  const settings = repository
    .settings(signal)
    .then(({ may_write, may_administer, is_tracked, importing, comment, errors }) =>
      show({ may_write, may_administer, is_tracked, importing, mode: comment.mode, settings_errors: errors }),
    )
  const merge_order = Promise.all([activities, overlaps]).then(async ([{ items }, read]) => {
    if (read)
      show({ merge_order: mayConflict(items, read.answer) ? await repository.mergeOrder(signal) : null })
  })
  const all = [activities, overlaps, notables, settings, merge_order] as const
  // A read ends when its last request does: two reads never run at a time.
  await Promise.allSettled(all)
  const [list, read] = await Promise.all(all)
  if (read === null) return null
  // A list from before the collisions may lack what they are about. Then everything is read again.
  const { activities: compared, complete } = read.answer.checked_against
  const isOther = complete && list.is_complete && list.items.filter(isLive).length !== compared
  return { version: isOther ? undefined : read.version }
}

/** The list also holds finished work, which the page does not show. */
function isLive({ status }: Activity): boolean {
  return status !== 'merged' && status !== 'abandoned'
}
