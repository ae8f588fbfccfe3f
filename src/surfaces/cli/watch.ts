/** `deconflict watch`: who works on what and where it collides, live. */
import { setTimeout as wait } from 'node:timers/promises'
import { isLive } from '../../activities/lifecycle.ts'
import { stopwatch } from '../../base/clock.ts'
import { DeconflictError } from '../../client/client.ts'
import type { OutputOf } from '../../operations/contract.ts'
import { collisionsOf, type Overlaps, overlapsAmong } from './collisions.ts'
import { count, incompleteLines } from './overlap-text.ts'
import { activityLines, notableLines } from './record-text.ts'
import { type CommonOptions, lookOf, openSession, type Session } from './session.ts'
import { CliError, EXIT, type ExitCode, type Output, type World } from './world.ts'

export interface WatchOptions extends CommonOptions {
  interval: string
  once?: boolean
}

type Activity = OutputOf<'listActivities'>['items'][number]

const INTERVAL_MIN_S = 1
const CLEAR_SCREEN = '\u001b[2J\u001b[H'
/** Collisions are read again when the activities have changed, and after this long: work that is not shown may have. */
const OVERLAPS_MS = 60_000

/** On a terminal the picture is drawn anew each time; elsewhere it is written when it has changed. Ends with an interrupt. */
export async function watch(world: World, options: WatchOptions): Promise<ExitCode> {
  const seconds = Number(options.interval)
  if (!(seconds >= INTERVAL_MIN_S)) throw new CliError(`--interval must be ${INTERVAL_MIN_S} or more seconds`)
  const session = await openSession(world, options)
  const readOverlaps = overlapsReader(session)
  const isScreen = world.stdout.isTTY === true && !options.once
  let last: string | undefined
  for (;;) {
    const { key, lines } = await picture(session, options, readOverlaps)
    const text = (isScreen ? fitted(lines, world.stdout) : lines).join('\n')
    if (isScreen) world.stdout.write(`${CLEAR_SCREEN}${text}\n`)
    else if (key !== last) world.stdout.write(`${text}\n`)
    last = key
    if (options.once) return EXIT.clear
    await wait(seconds * 1000)
  }
}

type ReadOverlaps = (activities: readonly Activity[]) => Promise<Overlaps | null>

function overlapsReader(session: Session): ReadOverlaps {
  let known: { of: string; overlaps: Overlaps | null; age_ms: () => number } | undefined
  return async (activities) => {
    const of = JSON.stringify(activities.map(withoutHeartbeat))
    if (known?.of !== of || known.age_ms() > OVERLAPS_MS)
      known = { of, overlaps: await overlapsAmong(session, activities), age_ms: stopwatch() }
    return known.overlaps
  }
}

/** A heartbeat is no change to anybody who looks on. */
function withoutHeartbeat({
  heartbeat_at: _,
  expires_at: __,
  updated_at: ___,
  ...activity
}: Activity): object {
  return activity
}

/** What is on record now. `key` is the same as long as nothing has changed, though times pass. */
async function picture(
  session: Session,
  options: WatchOptions,
  readOverlaps: ReadOverlaps,
): Promise<{ key: string; lines: string[] }> {
  const { client, at, world } = session
  const look = lookOf(world)
  const input = { limit: 100 }
  try {
    const [works, signals] = await Promise.all([
      client.listActivities({ ...at, input }),
      client.listNotables({ ...at, input }),
    ])
    const activities = works.items.filter(({ status }) => isLive(status))
    const { items: notables } = signals
    const overlaps = await readOverlaps(activities)
    if (options.json) {
      const key = JSON.stringify({ activities, notables, overlaps: overlaps?.items ?? [] })
      return { key, lines: [key] }
    }
    const counts = [
      `${atLeast(works)}${count(activities.length, 'activity', 'activities')}`,
      `${overlaps?.checked_against.complete === false ? 'at least ' : ''}${count(overlaps?.total ?? 0, 'collision', 'collisions')}`,
      `${atLeast(signals)}${count(notables.length, 'notable', 'notables')}`,
    ]
    const collisions = overlaps ? await collisionsOf(session, activities, overlaps) : new Map()
    const lines = [
      ...activityLines(activities, collisions, look),
      ...(overlaps ? incompleteLines(overlaps) : []),
      ...(notables.length > 0 ? ['', ...notableLines(notables, look)] : []),
    ]
    const head = `${look.paint('bold', `${at.owner}/${at.repo}`)}  ${counts.join(', ')}`
    const key = JSON.stringify([activities.map(withoutHeartbeat), notables, overlaps?.items])
    return { key, lines: [`${head}  ${look.paint('dim', look.now.toISOString().slice(11, 19))}`, ...lines] }
  } catch (error) {
    // A server that is away for a moment, or busy, ends nobody's watch; a token that is refused does.
    const isPassing =
      error instanceof DeconflictError &&
      (error.status === null || error.status === 429 || error.status >= 500)
    if (!isPassing || options.once) throw error
    return { key: error.message, lines: [`deconflict: ${error.message}; trying again`] }
  }
}

/** What is shown is one page, the newest. */
function atLeast({ next_cursor }: { next_cursor: string | null }): string {
  return next_cursor === null ? '' : 'more than '
}

/** As many lines as the screen has; the last one says how many are left out. */
function fitted(lines: string[], { rows = Number.POSITIVE_INFINITY }: Output): string[] {
  // The line end after the last one takes a row of its own.
  const max = Math.max(2, rows - 1)
  if (lines.length <= max) return lines
  return [...lines.slice(0, max - 1), `… ${lines.length - max + 1} more lines; deconflict list shows all`]
}
