/** The section below the timeline: which pairs were shown, their outcomes, and where conflicts come from. */
import type { ComponentChildren } from 'preact'
import { OUTCOME_WORDS } from '../vocabulary/outcome.ts'
import { pullRequestName } from '../vocabulary/pull-request-name.ts'
import { FILES_SHOWN_MAX } from '../vocabulary/shown.ts'
import { capitalized } from '../vocabulary/text.ts'
import { kindOf, linesText, OVERLAP_WORDS } from '../vocabulary/verdict-words.ts'
import type { Repository } from './api.ts'
import { Fact } from './detail.tsx'
import { ExternalLink } from './external-link.tsx'
import type { Signal } from './records.ts'
import { noiseShares, percentText } from './signal-words.ts'
import { usePolling } from './use-polling.ts'

const FILES_MAX = 10
const INTERVAL_MS = 60_000
type RecentSide = Signal['recent'][number]['sides'][number]

export function SignalCard({ repository }: { repository: Repository }) {
  // If a read fails, the last report stays.
  const { data: signal } = usePolling(repository.signal, INTERVAL_MS)
  if (signal === null || isEmpty(signal)) return null
  return (
    <section class="card signal deferred" aria-labelledby="signal-heading">
      <h2 id="signal-heading">Were the warnings right?</h2>
      <Mode {...signal} />
      <div class="parts">
        <Figures {...signal} />
        <Months months={signal.months} />
        <Noise {...signal} />
        <HotFiles files={signal.hot_files} />
      </div>
      <Recent {...signal} />
    </section>
  )
}

/** Whether there is nothing to report, for example because the App is not installed. */
function isEmpty({ pull_requests, recorded, months }: Signal): boolean {
  return pull_requests === 0 && recorded === 0 && months.length === 0
}

function Mode({ mode, days }: Signal) {
  if (mode === 'off') return <p class="hint">Comments are off, so no pairs are recorded.</p>
  if (mode === 'on') return <p class="hint">The comments of the last {days} days.</p>
  return (
    <p class="hint">
      Shadow mode: nothing is posted. This is what would have been shown in the last {days} days. Comments
      need the GitHub App and <code>comment: {'{mode: on}'}</code>, the default, in{' '}
      <code>.github/deconflict.yml</code>.
    </p>
  )
}

function Figures({ pairs, precision, done, pull_requests, commented, feedback, budget }: Signal) {
  const share = pull_requests === 0 ? '' : ` (${percentText(commented / pull_requests)})`
  return (
    <div>
      <h3>Pairs of pull requests or branches</h3>
      <dl>
        <Fact name="Shown">{pairs.shown}</Fact>
        {(['came_true', 'resolved', 'given_up', 'wrong', 'open'] as const).map((outcome) => (
          <Fact key={outcome} name={capitalized(OUTCOME_WORDS[outcome])}>
            {pairs[outcome]}
          </Fact>
        ))}
        <Fact name="Precision">
          {precision === null ? 'shown when 10 pairs are decided' : percentText(precision)}
        </Fact>
        {done.shown > 0 && (
          <Fact name="Done already">{`${done.shown}, of which ${done.given_up} were closed and ${done.merged} merged`}</Fact>
        )}
        <Fact name="Pull requests with a comment">{`${commented} of ${pull_requests}${share}`}</Fact>
        <Fact name="Feedback">{`${feedback.up} thumbs up, ${feedback.down} down`}</Fact>
      </dl>
      <p class="hint">{budgetText(budget)}</p>
    </div>
  )
}

function budgetText({ share, limit, in_force }: Signal['budget']): string {
  if (share === null) return 'No pull request was opened in the last 30 days.'
  const shares = `${percentText(share)} of the pull requests of the last 30 days have a comment, the budget is ${percentText(limit)}`
  return in_force
    ? `The budget is in force: ${shares}. New comments need conflicts in two files, a duplicate or raised risk.`
    : `The budget is not in force: ${shares}.`
}

function Months({ months }: Pick<Signal, 'months'>) {
  if (months.length === 0) return null
  return (
    <Table caption="By month" columns={['Month', 'Shown', 'Right', 'Wrong', 'Precision']}>
      {months.map(({ month, shown, came_true, resolved, wrong, precision }) => (
        <tr key={month}>
          <th scope="row">{month}</th>
          <td>{shown}</td>
          <td>{came_true + resolved}</td>
          <td>{wrong}</td>
          <td>{precision === null ? '–' : percentText(precision)}</td>
        </tr>
      ))}
    </Table>
  )
}

function HotFiles({ files }: { files: Signal['hot_files'] }) {
  if (files.length === 0) return null
  return (
    <Table caption="Files with the most conflicts" columns={['File', 'Pairs', 'People']}>
      {files.slice(0, FILES_MAX).map(({ path, pairs, people }) => (
        <tr key={path}>
          <th scope="row">
            <code>{path}</code>
          </th>
          <td>{pairs}</td>
          <td>{people}</td>
        </tr>
      ))}
    </Table>
  )
}

interface TableProps {
  caption: string
  columns: string[]
  children: ComponentChildren
}

function Table({ caption, columns, children }: TableProps) {
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

function Noise(signal: Signal) {
  const shares = noiseShares(signal)
  if (shares.length === 0) return null
  return (
    <div>
      <h3>Mechanical conflicts, which are not shown</h3>
      <ul class="noise">
        {shares.map(({ noise, share, files, cure }) => (
          <li key={noise}>
            {percentText(share)} of all pairs share only {files}: {cure}.
          </li>
        ))}
      </ul>
    </div>
  )
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
              <small>and {pair.files.length - FILES_SHOWN_MAX} more files</small>
            )}
            <small>
              {[
                pair.kind === 'proof' && OVERLAP_WORDS.proof.label,
                pair.kind === 'done' && 'done already',
                pair.verdict && OVERLAP_WORDS[kindOf(pair)].label,
                pair.duplicate && OVERLAP_WORDS.duplicate.label,
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
      {pr_url === null ? (
        <code>{branch}</code>
      ) : (
        <ExternalLink url={pr_url} text={pullRequestName(pr_url) ?? pr_url} />
      )}{' '}
      <small>
        {author}
        {shown_at !== null && `, ${shown}`}
      </small>
    </>
  )
}
