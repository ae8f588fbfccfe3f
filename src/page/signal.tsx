/** The report: which pairs were shown, and their outcomes; and for somebody with admin permission, how a repository is left. */

import { useState } from 'preact/hooks'
import { FILES_SHOWN_MAX, OUTCOME_WORDS, OUTCOMES } from '../vocabulary/shown.ts'
import { capitalized, count } from '../vocabulary/text.ts'
import { CONSEQUENCE_WORDS, linesText } from '../vocabulary/verdict-words.ts'
import type { Problem, Repository } from './api.ts'
import { PullRequestLink } from './controls.tsx'
import type { Signal } from './records.ts'
import { ProblemText } from './states.tsx'
import { usePolling } from './use-records.ts'

const INTERVAL_MS = 60_000
type RecentSide = Signal['recent'][number]['sides'][number]

export function SignalCard({ repository }: { repository: Repository }) {
  // If a later read fails, the last report stays.
  const { data: signal, problem } = usePolling(repository.signal, INTERVAL_MS)
  if (signal === null && problem) return <ProblemText text={`${problem.message} The page keeps trying.`} />
  if (signal === null) return <p class="loading">Loading …</p>
  return (
    <section class="card signal" aria-labelledby="signal-heading">
      <h2 id="signal-heading">What became of the warnings</h2>
      <Figures {...signal} />
      <Recent {...signal} />
    </section>
  )
}

/** `61 %`. */
function percentText(share: number): string {
  return `${Math.round(100 * share)} %`
}

type Period = Signal['periods'][number]

const FIGURES: [string, (period: Period) => number][] = [
  ['Pairs shown', ({ pairs }) => pairs.shown],
  ...OUTCOMES.map((outcome): [string, (period: Period) => number] => [
    capitalized(OUTCOME_WORDS[outcome]),
    ({ pairs }) => pairs[outcome],
  ]),
  ['Comments posted', ({ comments }) => comments.posted],
  ['Comments edited', ({ comments }) => comments.edited],
  ['Thumbs up', ({ feedback }) => feedback.up],
  ['Thumbs down', ({ feedback }) => feedback.down],
]

function Figures({ periods, budget }: Signal) {
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">In the last</th>
            {periods.map(({ days }) => (
              <th key={days} scope="col">
                {days} days
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {FIGURES.map(([name, count]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {periods.map((period) => (
                <td key={period.days}>{count(period)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">{budgetText(budget)}</p>
    </>
  )
}

function budgetText({ share, limit, in_force }: Signal['budget']): string {
  if (share === null) return 'No pull request was opened in the last 30 days.'
  const shares = `${percentText(share)} of the pull requests of the last 30 days have a comment, the budget is ${percentText(limit)}`
  return in_force
    ? `The budget is in force: ${shares}. New comments need conflicts in two files, a duplicate or raised risk.`
    : `The budget is not in force: ${shares}.`
}

function Recent({ recent, mode }: Signal) {
  if (recent.length === 0) return null
  const shown = mode === 'shadow' ? 'would be shown' : 'shown'
  return (
    <>
      <h3>{mode === 'shadow' ? 'What would have been shown' : 'Shown last'}</h3>
      <ul class="recent">
        {recent.map((pair) => (
          <li key={pair.sides.map(({ pr_url, branch }) => pr_url ?? branch).join()}>
            <span>
              <Side {...pair.sides[0]} shown={shown} /> and <Side {...pair.sides[1]} shown={shown} />
            </span>
            {pair.files.slice(0, FILES_SHOWN_MAX).map(({ path, line_ranges }) => (
              <span key={path}>
                <code>{path}</code> <small>{linesText(...line_ranges)}</small>
              </span>
            ))}
            {pair.files.length > FILES_SHOWN_MAX && (
              <small>and {count(pair.files.length - FILES_SHOWN_MAX, 'more file', 'more files')}</small>
            )}
            <small>
              {[
                CONSEQUENCE_WORDS[pair.consequence],
                OUTCOME_WORDS[pair.outcome],
                new Date(pair.seen_at).toLocaleDateString(),
              ]
                .filter(Boolean)
                .join(', ')}
            </small>
          </li>
        ))}
      </ul>
    </>
  )
}

function Side({ pr_url, branch, author, shown_at, shown }: RecentSide & { shown: string }) {
  return (
    <>
      {pr_url === null ? <code>{branch}</code> : <PullRequestLink url={pr_url} />}{' '}
      <small>
        {author}
        {shown_at !== null && `, ${shown}`}
      </small>
    </>
  )
}

const QUESTION =
  'Deconflict edits every comment that it made in this repository, and posts nothing there any more, until the App is installed again or the settings file says comment: {mode: on}. Leave?'

export function Farewell({ repository, onChanged }: { repository: Repository; onChanged: () => void }) {
  const [said, setSaid] = useState('')
  const leave = () => {
    if (!confirm(QUESTION)) return
    repository.leave().then(
      ({ left }) => {
        setSaid(
          left === 0
            ? 'Everything is edited.'
            : `${count(left, 'pull request', 'pull requests')} left to edit.`,
        )
        onChanged()
      },
      ({ message }: Problem) => setSaid(message),
    )
  }
  return (
    <p class="line">
      <button type="button" class="quiet" onClick={leave}>
        Leave this repository
      </button>
      <span role="status">{said}</span>
    </p>
  )
}
