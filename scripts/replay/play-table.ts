/** The tables of a play: who got a comment, its outcome, and the budget, in Markdown (docs/line-verdicts.md). Pure. */

import type { Changed } from './heads.ts'
import { figure, percent, ratio, table } from './markdown.ts'
import { OUTCOMES, type Outcome } from './outcomes.ts'
import type { Comment, Played, PlayedPair } from './play.ts'

export interface Play extends Played {
  /** The budget: a share of the pull requests. 1: none. */
  limit: number
  /** The pairs that comments of the period named, and their outcomes in the same order. */
  shown: PlayedPair[]
  outcomes: Outcome[]
}

export interface Period {
  /** The first and the last second of the replayed period. */
  since: number
  until: number
  /** The pull requests by people that were opened in it. */
  people: readonly Changed[]
}

export function playTables(plays: readonly Play[], period: Period): string {
  const head = plays.map(({ limit }) => (limit < 1 ? `budget of ${100 * limit} %` : 'no budget'))
  const row = (label: string, cell: (play: Play) => string) => [label, ...plays.map(cell)]
  return [
    table(
      ['opens, pushes and merges played in order', ...head],
      [
        row('pull requests by people commented', (play) => shareText(commentsOf(play, period), period)),
        row('others named in a comment when it was posted', (play) =>
          meanText(commentsOf(play, period), ({ posted }) => posted),
        ),
        row('… with those that were added later', (play) =>
          meanText(commentsOf(play, period), ({ named }) => named.size),
        ),
        row('the budget was in force', (play) =>
          percent(timeInForce(play, period), period.until - period.since),
        ),
        row('precision: came_true and resolved of those and wrong', precisionText),
      ],
    ),
    table(
      ['outcome of the pairs shown', ...plays.map(({ shown }, index) => `${head[index]}: ${shown.length}`)],
      (Object.keys(OUTCOMES) as Outcome[]).map((outcome) =>
        row(`\`${outcome}\`: ${OUTCOMES[outcome]}`, ({ outcomes }) => {
          const count = outcomes.filter((each) => each === outcome).length
          return `${count} (${percent(count, outcomes.length)})`
        }),
      ),
    ),
  ].join('\n\n')
}

/** Comments on pull requests of the period. */
function commentsOf({ comments }: Play, { people }: Period): Play['comments'] {
  const counted = new Set(people)
  return comments.filter(({ on }) => counted.has(on))
}

function shareText(comments: Play['comments'], { people }: Period): string {
  return `${figure(comments.length, people.length)} % (${comments.length} of ${people.length})`
}

function meanText(comments: Play['comments'], numberOf: (comment: Comment) => number): string {
  return ratio(
    comments.reduce((sum, comment) => sum + numberOf(comment), 0),
    comments.length,
  )
}

/** How long the budget was in force, in seconds, by its state after each event. */
export function timeInForce(
  { budget }: Pick<Played, 'budget'>,
  { since, until }: Pick<Period, 'since' | 'until'>,
): number {
  return budget.reduce((sum, { at, in_force }, index) => {
    const end = Math.min(budget[index + 1]?.at ?? until, until)
    return sum + (in_force ? Math.max(0, end - Math.max(at, since)) : 0)
  }, 0)
}

function precisionText({ outcomes }: Play): string {
  const count = (...kinds: Outcome[]) => outcomes.filter((each) => kinds.includes(each)).length
  const right = count('came_true', 'resolved')
  return `${figure(right, right + count('wrong'))} % (${right} of ${right + count('wrong')})`
}
