/** `deconflict watch`: live activities, collisions and notables, refreshed at an interval. */
import { setTimeout as wait } from 'node:timers/promises'
import { DeconflictError } from '../client/client.ts'
import { isLive } from '../vocabulary/activity-status.ts'
import { stopwatch } from '../vocabulary/clock.ts'
import type { ListedActivity as Activity } from '../vocabulary/contract/activity.ts'
import type { NotableBrief as Notable } from '../vocabulary/contract/notable.ts'
import type { Overlaps } from '../vocabulary/contract/overlap-list.ts'
import { escapedJson, sanitize } from '../vocabulary/others-text.ts'
import { count } from '../vocabulary/text.ts'
import { type CommandContext, type CommonOptions, displayOf, openContext } from './command-context.ts'
import { nameCollisions, readOverlaps } from './named-collisions.ts'
import { incompleteLines } from './overlap-text.ts'
import { activityLines, notableLines } from './record-text.ts'
import { CliError, EXIT, type ExitCode, type Output, type Runtime } from './runtime.ts'

export interface WatchOptions extends CommonOptions {
  interval: string
  once?: boolean
}

const INTERVAL_MIN_S = 1
const CLEAR_SCREEN = '\u001b[2J\u001b[H'
/** Collisions are read again when a listed activity changes, and after this time, because activities that are not listed may have changed. */
const OVERLAPS_TTL_MS = 60_000

/** A terminal is redrawn each time; other outputs get text only when something has changed. Runs until it is interrupted, or until nobody reads its output. */
export async function watch(runtime: Runtime, options: WatchOptions): Promise<ExitCode> {
  const seconds = Number(options.interval)
  if (!(seconds >= INTERVAL_MIN_S)) throw new CliError(`--interval must be at least ${INTERVAL_MIN_S} second`)
  const context = await openContext(runtime, options)
  const cachedOverlaps = overlapsCache(context)
  const isScreen = runtime.stdout.isTTY === true && !options.once
  let last: string | undefined
  for (;;) {
    const { key, lines } = await readFrame(context, options, cachedOverlaps)
    const text = (isScreen ? fitScreen(lines, runtime.stdout) : lines).join('\n')
    if (isScreen) runtime.stdout.write(`${CLEAR_SCREEN}${text}\n`)
    else if (key !== last) runtime.stdout.write(`${text}\n`)
    last = key
    if (options.once) return EXIT.clear
    await wait(seconds * 1000)
    if (runtime.isOutputClosed?.()) return EXIT.clear
  }
}

type CachedOverlaps = (activities: readonly Activity[]) => Promise<Overlaps | null>

function overlapsCache(context: CommandContext): CachedOverlaps {
  let cached: { key: string; overlaps: Overlaps | null; age_ms: () => number } | undefined
  return async (activities) => {
    const key = JSON.stringify(activities.map(withoutHeartbeat))
    if (cached?.key !== key || cached.age_ms() > OVERLAPS_TTL_MS)
      cached = { key, overlaps: await readOverlaps(context, activities), age_ms: stopwatch() }
    return cached.overlaps
  }
}

/** The fields without those that a heartbeat changes. */
function withoutHeartbeat({
  heartbeat_at: _,
  expires_at: __,
  updated_at: ___,
  ...activity
}: Activity): object {
  return activity
}

/** `key` changes when something other than a heartbeat has changed. */
interface Frame {
  key: string
  lines: string[]
}

async function readFrame(
  context: CommandContext,
  options: WatchOptions,
  cachedOverlaps: CachedOverlaps,
): Promise<Frame> {
  const { client, at } = context
  const input = { limit: 100 }
  try {
    const [activityPage, notablePage] = await Promise.all([
      client.listActivities({ ...at, input }),
      client.listNotables({ ...at, input }),
    ])
    const activities = activityPage.items.filter(({ status }) => isLive(status))
    const { items: notables } = notablePage
    const overlaps = await cachedOverlaps(activities)
    if (options.json) {
      const json = escapedJson({ activities, notables, overlaps: overlaps?.items ?? [] })
      return { key: json, lines: [json] }
    }
    const counts = [
      `${moreThan(activityPage)}${count(activities.length, 'activity', 'activities')}`,
      `${overlaps?.checked_against.complete === false ? 'at least ' : ''}${count(overlaps?.total ?? 0, 'collision', 'collisions')}`,
      `${moreThan(notablePage)}${count(notables.length, 'notable', 'notables')}`,
    ]
    return {
      key: JSON.stringify([activities.map(withoutHeartbeat), notables, overlaps?.items]),
      lines: await frameLines(context, { counts, activities, notables, overlaps }),
    }
  } catch (error) {
    // An unavailable or busy server does not end the command; a rejected token does.
    const isTemporary =
      error instanceof DeconflictError &&
      (error.status === null || error.status === 429 || error.status >= 500)
    if (!isTemporary || options.once) throw error
    return { key: error.message, lines: [`deconflict: ${sanitize(error.message)}; retrying`] }
  }
}

interface Records {
  counts: string[]
  activities: Activity[]
  notables: Notable[]
  overlaps: Overlaps | null
}

async function frameLines(
  context: CommandContext,
  { counts, activities, notables, overlaps }: Records,
): Promise<string[]> {
  const { at, runtime } = context
  const display = displayOf(runtime)
  const collisions = overlaps ? await nameCollisions(context, activities, overlaps) : new Map()
  const head = `${display.paint('bold', `${at.owner}/${at.repo}`)}  ${counts.join(', ')}`
  return [
    `${head}  ${display.paint('dim', display.now.toISOString().slice(11, 19))}`,
    ...activityLines(activities, collisions, display),
    ...(overlaps ? incompleteLines(overlaps) : []),
    ...(notables.length > 0 ? ['', ...notableLines(notables, display)] : []),
  ]
}

/** `more than ` if there are records beyond the page that was read, else empty. */
function moreThan({ next_cursor }: { next_cursor: string | null }): string {
  return next_cursor === null ? '' : 'more than '
}

/** Cuts the lines to the rows of the screen. If some are left out, the last line says how many. */
function fitScreen(lines: string[], { rows = Number.POSITIVE_INFINITY }: Output): string[] {
  // The final newline takes a row.
  const max = Math.max(2, rows - 1)
  if (lines.length <= max) return lines
  return [...lines.slice(0, max - 1), `… ${lines.length - max + 1} more lines; run deconflict list for all`]
}
