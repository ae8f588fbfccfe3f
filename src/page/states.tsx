/** Messages that are shown above the work or instead of it: no data, access refused, out of date, or incomplete. */
import { useRef } from 'preact/hooks'
import type { Problem } from './api.ts'
import { duration } from './duration.ts'
import type { Records } from './records.ts'

export function Freshness({ isOutdated }: { isOutdated: boolean }) {
  return (
    <p class={isOutdated ? 'freshness outdated' : 'freshness'} role="status">
      {isOutdated ? 'Out of date' : 'Live'}
    </p>
  )
}

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

/** For those who may write: what keeps the App from posting. */
export function Publishing({ settings_errors: errors, mode }: Records) {
  if (errors.length === 0 && mode === 'on') return null
  if (errors.length === 0)
    return (
      <p class="hint" role="note">
        {mode === 'off'
          ? 'Comments are off.'
          : 'Shadow mode: nothing is posted. The signal shows what would be.'}
      </p>
    )
  return (
    <div class="problem" role="note">
      <p>
        <code>.github/deconflict.yml</code> is invalid and not in force:
      </p>
      <ul>
        {errors.map(({ line, key, message }) => (
          <li key={`${line} ${key} ${message}`}>
            {line !== null && `line ${line}, `}
            {key !== null && <code>{key}</code>} {message}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Below this many, the pace says little. */
const PACE_MIN = 20

/** How far an import is, and how long it still takes at the pace that this tab has seen. */
export function Importing({ importing, now_ms }: Pick<Records, 'importing'> & { now_ms: number }) {
  const first = useRef<{ done: number; at_ms: number } | null>(null)
  if (importing === null) return null
  const { done, left } = importing
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

export function Empty({ name, isTracked }: { name: string; isTracked: boolean }) {
  return (
    <section class="card empty" aria-label="No live work">
      <p>
        <strong>Nothing is open in {name}.</strong>
      </p>
      <p class="hint">
        {isTracked
          ? 'Pull requests appear here when they are opened, and work when it is announced:'
          : 'Its pull requests are not tracked: install the GitHub App, or announce what you are about to change:'}
      </p>
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
        <a class="button quiet" href="#/">
          Your repositories
        </a>
      </p>
    </section>
  )
}
