/** Replays a mirror through the front door: the real service gets its events as signed webhooks. */
import { ofPeople, type ReplayOptions, readHistory, withMirror } from '../history.ts'
import { judge } from './judge.ts'
import { playLive } from './play.ts'
import { liveTable } from './table.ts'

/** Returns a table in Markdown. */
export function replayLive(directory: string, options: ReplayOptions): Promise<string> {
  const { report } = options
  return withMirror(directory, async (git, mirror) => {
    const history = await readHistory(mirror, git, options)
    const { absent } = mirror
    const played = await playLive({ git, absent, report }, history)
    const judged = await judge(git, { played, history, report })
    return liveTable(played, judged, ofPeople(history))
  })
}
