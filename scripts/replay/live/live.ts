/** Replays a mirror through the front door: the real service gets its events as signed webhooks. */
import { scratchOf } from '../git.ts'
import { type ReplayOptions, readHistory } from '../history.ts'
import { openMirror } from '../mirror.ts'
import { judge } from './judge.ts'
import { playLive } from './play.ts'
import { liveTable } from './table.ts'

/** Returns a table in Markdown. Does not modify the mirror. Throws an Error that says what is wrong with it. */
export async function replayLive(directory: string, options: ReplayOptions): Promise<string> {
  const { report } = options
  const mirror = await openMirror(directory)
  const git = await scratchOf(mirror.git, mirror.absent)
  try {
    const history = await readHistory(mirror, git, options)
    const { since, until } = history
    const played = await playLive({ git, absent: mirror.absent, report }, history)
    const judged = await judge(git, { played, history, report })
    const people = history.changed.filter(
      ({ opened, is_bot, last: { files } }) =>
        opened >= since && opened <= until && !is_bot && files.length > 0,
    )
    return liveTable(played, judged, people)
  } finally {
    await git.remove()
  }
}
