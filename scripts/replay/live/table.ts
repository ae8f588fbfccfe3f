/** The table of a live replay, in Markdown. Pure. */

import type { Changed } from '../heads.ts'
import { figure, percent, ratio, table } from '../markdown.ts'
import type { Judged } from './judge.ts'
import type { LivePlay } from './play.ts'

const DAY = 86_400
const WEEK = 7 * DAY
const HOUR = 3600
const KINDS_MAX = 12

/** `people`: the pull requests by people that were opened in the period. */
export function liveTable(played: LivePlay, judged: Judged, people: readonly Changed[]): string {
  const { since, until, backlog, writes, calls } = played
  const delays = delaysOf(played)
  const times = sorted(played.deliveries.map(({ cpu_ms }) => cpu_ms))
  const posted = writes.filter(({ kind }) => kind === 'posted')
  const edited = writes.filter(({ kind }) => kind === 'edited')
  const firstDay = (all: typeof writes) => all.filter(({ at }) => at < since + DAY).length
  const numbers = new Set(people.map(({ n }) => n))
  const commented = new Set(posted.map(({ on }) => on.n).filter((n) => numbers.has(n)))
  const weeks = (until - since) / WEEK
  const authors = new Set([...people, ...writes.map(({ on }) => on)].map(({ author }) => author)).size
  const { told, live_conflicts } = judged
  const hours = new Map<number, number>()
  for (const { at } of calls) hours.set(Math.floor(at / HOUR), (hours.get(Math.floor(at / HOUR)) ?? 0) + 1)
  const perHour = [...hours.values()].sort((a, b) => a - b)
  const kinds = new Map<string, number>()
  for (const { kind } of calls) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  const totalHours = (until - since) / HOUR
  return [
    table(
      ['played as webhooks', ''],
      [
        ['open pull requests when the App was installed', String(backlog)],
        ['comments posted, edited on the first day', `${firstDay(posted)}, ${firstDay(edited)}`],
        ['comments posted (each notifies) per author and week', (posted.length / authors / weeks).toFixed(3)],
        ['edits (silent) per author and week', (edited.length / authors / weeks).toFixed(3)],
        [
          'pull requests by people commented',
          `${figure(commented.size, people.length)} % (${commented.size} of ${people.length})`,
        ],
        [
          'pairs told: git conflicts, else the same work twice, neither',
          `${told.conflicting}, ${told.duplicate}, ${told.neither}`,
        ],
        [
          'conflicts between live work that nobody was told of',
          `${percent(live_conflicts.untold, live_conflicts.all)} (${live_conflicts.untold} of ${live_conflicts.all})`,
        ],
        [
          'calls to GitHub per hour: mean, 99th percentile, most',
          `${ratio(calls.length, totalHours)}, ${at(perHour, 0.99)}, ${perHour.at(-1) ?? 0}`,
        ],
        [
          'from a delivery to the comment: median, 95th percentile',
          `${at(sorted(delays), 0.5)} s, ${at(sorted(delays), 0.95)} s`,
        ],
        [
          'processor time of the service and the fake GitHub for a delivery and all that it causes: median, 95th percentile',
          `${at(times, 0.5).toFixed(0)} ms, ${at(times, 0.95).toFixed(0)} ms`,
        ],
      ],
    ),
    table(
      ['call', 'number', 'per hour'],
      [...kinds]
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, KINDS_MAX)
        .map(([kind, count]) => [`\`${kind}\``, String(count), (count / totalHours).toFixed(2)]),
    ),
  ].join('\n\n')
}

/** Seconds from an opening or push to the next write to the comment of its pull request, within the hour. */
function delaysOf({ deliveries, writes }: LivePlay): number[] {
  return deliveries.flatMap(({ at, on }) => {
    const next = writes.find((write) => write.on.n === on && write.at >= at)
    return next && next.at - at < HOUR ? [next.at - at] : []
  })
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b)
}

/** A percentile of sorted values; 0 if there are none. */
function at(values: readonly number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0
}
