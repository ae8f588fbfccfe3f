/** The table of a live replay, in Markdown. Pure. */
import type { Changed } from '../heads.ts'
import { ratio, share, table } from '../markdown.ts'
import { DAY } from '../pull-requests.ts'
import type { Judged } from './judge.ts'
import type { LivePlay } from './play.ts'

const HOUR = 3600

/** `people`: the pull requests by people that were opened in the period. */
export function liveTable(played: LivePlay, judged: Judged, people: readonly Changed[]): string {
  const { since, until, backlog, writes, calls } = played
  const { told, live_conflicts } = judged
  const posted = writes.filter(({ kind }) => kind === 'posted')
  const commented = new Set(posted.map(({ on }) => on.n))
  const delays = delaysOf(played)
  const perHour = new Map<number, number>()
  for (const at of calls) perHour.set(Math.floor(at / HOUR), (perHour.get(Math.floor(at / HOUR)) ?? 0) + 1)
  const counts = [...perHour.values()]
  return table(
    ['played as webhooks', ''],
    [
      ['open pull requests when the App was installed', String(backlog)],
      ['comments posted on the first day', String(posted.filter(({ at }) => at < since + DAY).length)],
      [
        'pull requests by people commented',
        share(people.filter(({ n }) => commented.has(n)).length, people.length),
      ],
      [
        'pairs told: git conflicts, else the same work twice, neither',
        `${told.conflicting}, ${told.duplicate}, ${told.neither}`,
      ],
      [
        'conflicts between live work that nobody was told of',
        share(live_conflicts.untold, live_conflicts.all),
      ],
      [
        'calls to GitHub per hour: mean, 99th percentile, most',
        `${ratio(calls.length, (until - since) / HOUR)}, ${at(counts, 0.99)}, ${at(counts, 1)}`,
      ],
      [
        'from a delivery to the comment: median, 95th percentile',
        `${at(delays, 0.5)} s, ${at(delays, 0.95)} s`,
      ],
    ],
  )
}

/** Seconds from an opening or push to the next write to the comment of its pull request, within the hour. */
function delaysOf({ deliveries, writes }: LivePlay): number[] {
  return deliveries.flatMap(({ at, on }) => {
    const next = writes.find((write) => write.on.n === on && write.at >= at)
    return next && next.at - at < HOUR ? [next.at - at] : []
  })
}

/** A percentile; 0 if there are no values. */
function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}
