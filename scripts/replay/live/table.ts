/** The table of a live replay, in Markdown. Pure. */
import type { Changed } from '../heads.ts'
import { share, table } from '../markdown.ts'
import { DAY } from '../pull-requests.ts'
import type { Judged, ToldPair } from './judge.ts'
import type { LivePlay, Told } from './play.ts'

const HOUR = 3600

/** `people`: the pull requests by people that were opened in the period. */
export function liveTable(played: LivePlay, judged: Judged, people: readonly Changed[]): string {
  const { since, backlog } = played
  const { told, live_conflicts } = judged
  const posted = played.told.filter(({ by }) => by === 'posted')
  const commented = new Set(posted.map(({ on }) => on.n))
  const authors = [...new Set(people.map(({ author }) => author))]
  const eachOf = (how: Told['by']) => {
    const to = played.told.filter(({ by }) => by === how).map(({ on }) => on.author)
    const each = authors.map((author) => to.filter((one) => one === author).length)
    const all = each.reduce((sum, one) => sum + one, 0)
    return `${(all / authors.length).toFixed(2)}, ${Math.max(0, ...each)}`
  }
  const led = (...to: ToldPair['consequence'][]) => told.filter(({ consequence }) => to.includes(consequence))
  const known = led('conflict').filter(({ truth }) => truth !== 'unknown')
  const inGit = known.filter(({ truth }) => truth === 'conflict')
  const second = told.filter(({ later }) => later.opened >= since)
  const soon = second.filter((pair) => pair.at <= pair.later.opened + HOUR)
  return table(
    ['played as webhooks', ''],
    [
      ['open pull requests when the App was installed', String(backlog)],
      ['comments posted on the first day', String(posted.filter(({ at }) => at < since + DAY).length)],
      [
        'pull requests by people commented',
        share(people.filter(({ n }) => commented.has(n)).length, people.length),
      ],
      ['people who opened them', String(authors.length)],
      ['comments for each of them: mean, most', eachOf('posted')],
      ['edits of comments for each of them: mean, most', eachOf('edited')],
      [
        'pairs told: conflict, same work, same number, other',
        [led('conflict'), led('same_work'), led('same_number'), led('possible', 'same_file', null)]
          .map(({ length }) => length)
          .join(', '),
      ],
      ['… of the conflicts, in git', share(inGit.length, known.length)],
      ['… told within an hour of the opening of the second', share(soon.length, second.length)],
      [
        'conflicts between live work that nobody was told of',
        share(live_conflicts.untold, live_conflicts.all),
      ],
    ],
  )
}
