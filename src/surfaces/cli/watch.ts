/** `deconflict watch`: who works on what, live. */
import { setTimeout as wait } from 'node:timers/promises'
import { DeconflictError } from '../../client/client.ts'
import { activityTable, count, notableTable } from './record-text.ts'
import { type CommonOptions, openSession, type Session } from './session.ts'
import { CliError, EXIT, type ExitCode, type World } from './world.ts'

export interface WatchOptions extends CommonOptions {
  interval: string
  once?: boolean
}

const INTERVAL_MIN_S = 1
const CLEAR_SCREEN = '\u001b[2J\u001b[H'

/** On a terminal the picture is drawn anew each time; elsewhere it is written when it has changed. Ends with an interrupt. */
export async function watch(world: World, options: WatchOptions): Promise<ExitCode> {
  const seconds = Number(options.interval)
  if (!(seconds >= INTERVAL_MIN_S)) throw new CliError(`--interval must be ${INTERVAL_MIN_S} or more seconds`)
  const session = await openSession(world, options)
  let last: string | undefined
  for (;;) {
    const { key, text } = await picture(session, options)
    if (world.stdout.isTTY && !options.once) world.stdout.write(`${CLEAR_SCREEN}${text}\n`)
    else if (key !== last) world.stdout.write(`${text}\n`)
    last = key
    if (options.once) return EXIT.clear
    await wait(seconds * 1000)
  }
}

/** What is on record now. `key` is the same as long as nothing has changed, though times pass. */
async function picture(session: Session, options: WatchOptions): Promise<{ key: string; text: string }> {
  const { client, at, world } = session
  const look = { ...session.look, now: world.clock() }
  const input = { limit: 100 }
  try {
    const [works, signals] = await Promise.all([
      client.listActivities({ ...at, input }),
      client.listNotables({ ...at, input }),
    ])
    const { items: activities } = works
    const { items: notables } = signals
    const key = JSON.stringify({ activities, notables })
    if (options.json) return { key, text: key }
    const title = look.paint('bold', `${at.owner}/${at.repo}`)
    const lines = [
      `${title}  ${atLeast(works)}${count(activities.length, 'activity', 'activities')}, ${atLeast(signals)}${count(notables.length, 'notable', 'notables')}  ${look.paint('dim', look.now.toISOString().slice(11, 19))}`,
      ...activityTable(activities, look),
      ...(notables.length > 0 ? ['', ...notableTable(notables, look)] : []),
    ]
    return { key, text: lines.join('\n') }
  } catch (error) {
    // A server that is away for a moment, or busy, ends nobody's watch; a token that is refused does.
    const isPassing =
      error instanceof DeconflictError &&
      (error.status === null || error.status === 429 || error.status >= 500)
    if (!isPassing || options.once) throw error
    return { key: error.message, text: `deconflict: ${error.message}; trying again` }
  }
}

/** What is shown is one page, the newest. */
function atLeast({ next_cursor }: { next_cursor: string | null }): string {
  return next_cursor === null ? '' : 'more than '
}
