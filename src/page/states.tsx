/** Messages that are shown above the work or instead of it: no data, access refused, out of date, or incomplete. */
import { useRef } from 'preact/hooks'
import type { SettingsSource } from '../vocabulary/contract/settings.ts'
import type { Problem } from './api.ts'
import { duration } from './duration.ts'
import type { Records, RepositorySettings } from './records.ts'

/** What went wrong; nothing for an empty text. */
export function ProblemText({ text }: { text: string }) {
  if (text === '') return null
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  )
}

/** A warning that the page is stale, which would otherwise look current. */
export function OutOfDate({
  problem,
  read_at_ms,
  onRetry,
}: {
  problem: Problem
  /** When everything was read last; null if never. */
  read_at_ms: number | null
  onRetry: () => void
}) {
  return (
    <div class="problem out-of-date line" role="alert">
      <p>
        {read_at_ms === null
          ? 'Not everything could be loaded. '
          : `Out of date: last refreshed at ${new Date(read_at_ms).toLocaleTimeString()}. `}
        The page keeps trying. Reason: {problem.message}
      </p>
      <button type="button" class="quiet" onClick={onRetry}>
        Try now
      </button>
    </div>
  )
}

/** A note that not everything is shown. Without it, a part of the repository that was not loaded would look unused. */
export function Incomplete({ activities, notables, overlaps }: Records) {
  const is_listed = activities?.is_complete !== false && notables?.is_complete !== false
  const is_compared = overlaps?.checked_against.complete !== false
  if (is_listed && is_compared) return null
  return (
    <p class="hint" role="note">
      {!is_listed &&
        `This repository has more records than the page can show: these are the newest ${activities?.items.length ?? 0} activities and ${notables?.items.length ?? 0} notables. `}
      {!is_compared && `There may be more collisions. ${overlaps?.checked_against.reason ?? ''} `}
      To check your own paths against all of them, run <code>deconflict check</code>.
    </p>
  )
}

/** Why nothing is posted, by the source of `comment.mode`. */
const SILENCED: Record<SettingsSource, string> = {
  repository: 'by .github/deconflict.yml',
  organisation: 'by the settings of the organisation',
  farewell: 'because the repository was left, until the App is installed again',
  watched: 'because the repository is watched without the App',
  read_only: 'because the App may only read and not comment',
  default: 'by default',
}

/** For those who may write: what keeps the App from posting. */
export function Publishing({ errors, comment: { mode }, sources, is_left_out }: RepositorySettings) {
  const state = mode === 'off' ? 'Comments are off' : 'Shadow mode'
  return (
    <>
      {errors.length > 0 && (
        <div class="problem" role="note">
          <code>.github/deconflict.yml</code> is invalid and not in force:
          <ul>
            {errors.map(({ line, message }) => (
              <li key={`${line} ${message}`}>
                {line !== null && `line ${line}, `}
                {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {mode !== 'on' && (
        <p class="hint" role="note">
          {is_left_out ? 'Not rolled out to this repository' : state}{' '}
          {SILENCED[sources['comment.mode'] ?? 'default']}: nothing is posted
          {mode === 'off' ? ' or recorded.' : '. The signal shows what would be.'}
        </p>
      )}
    </>
  )
}

type ImportProgress = NonNullable<RepositorySettings['importing']>

/** Below this many, the pace says little. */
const PACE_MIN = 20

/** How far an import is, and how long it still takes at the pace that this tab has seen. */
export function Importing({ done, left, now_ms }: ImportProgress & { now_ms: number }) {
  const first = useRef<{ done: number; at_ms: number } | null>(null)
  first.current ??= { done, at_ms: now_ms }
  const seen = done - first.current.done
  const left_ms = (left * (now_ms - first.current.at_ms)) / seen
  return (
    <p class="hint" role="status">
      Importing pull requests{left > 0 ? `: ${done} of ${done + left}` : ''}
      {left > 0 && seen >= PACE_MIN ? `, about ${duration(left_ms)} left` : ' …'}
    </p>
  )
}

/** What there is to say about a repository without live work. `settings`: null until they are read. */
export function Empty({ name, settings }: { name: string; settings: RepositorySettings | null }) {
  if (settings === null) return <p class="loading">Loading {name} …</p>
  const { importing, is_tracked } = settings
  const [title, next] = importing
    ? ['The pull requests are being read', 'They appear here one by one, and work when it is announced:']
    : is_tracked
      ? ['Nothing is open', 'Pull requests appear here when they are opened, and work when it is announced:']
      : [
          'No work is announced',
          'Pull requests are not tracked: install the GitHub App, or announce what you are about to change:',
        ]
  return <NoWork title={`${title} in ${name}.`} next={next} />
}

/** `next`: what to do, above the command that announces work. */
export function NoWork({ title, next }: { title: string; next: string }) {
  return (
    <section class="card empty" aria-label="No live work">
      <p>
        <strong>{title}</strong>
      </p>
      <p class="hint">{next}</p>
      <pre>
        <code>deconflict start "Retry payments" --paths "src/checkout/**"</code>
      </pre>
    </section>
  )
}

const REFUSALS: Record<number, { title: string; next: string }> = {
  403: {
    title: 'You cannot see this repository',
    next: 'Check the name in the address. If you can see it on GitHub, your token may lack access to it: sign out, and sign in with one that has it.',
  },
  429: { title: 'Too many requests', next: 'The page continues by itself.' },
}

interface RefusedProps {
  problem: Problem
  what?: string
  onSignOut: () => void
}

/** Shown instead of everything if nothing could be loaded. */
export function Refused({ problem, what = 'The repository', onSignOut }: RefusedProps) {
  const { title, next } = REFUSALS[problem.status] ?? {
    title: `${what} could not be loaded`,
    next: 'The page keeps trying.',
  }
  return (
    <section class="card empty" role="alert">
      <h1>{title}</h1>
      <p>{next}</p>
      <p class="hint">The service says: {problem.message}</p>
      <p class="line center">
        {problem.status === 403 && (
          <button type="button" onClick={onSignOut}>
            Sign in again
          </button>
        )}
        <a class="button quiet" href="/#/">
          Your repositories
        </a>
      </p>
    </section>
  )
}
