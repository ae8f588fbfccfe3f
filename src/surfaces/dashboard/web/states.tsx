/** Messages instead of the timeline or above it: no data, access refused, out of date, or incomplete. */
import type { Problem } from './api.ts'
import type { Connection, Records, RefreshFailure } from './use-repository.ts'

const FRESHNESS_LABELS: Record<Connection | 'outdated', string> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, reconnecting',
  outdated: 'Out of date',
}

export function Freshness({ connection, isOutdated }: { connection: Connection; isOutdated: boolean }) {
  const state = isOutdated ? 'outdated' : connection
  return (
    <p class={`freshness ${state}`} role="status">
      {FRESHNESS_LABELS[state]}
    </p>
  )
}

/** Otherwise a stale page would look current. */
export function OutOfDate({ failure, onRetry }: { failure: RefreshFailure; onRetry: () => void }) {
  const { problem, last_success_ms } = failure
  return (
    <div class="problem out-of-date" role="alert">
      <p>
        {last_success_ms === null
          ? 'Not everything could be loaded. '
          : `Out of date: last refreshed at ${new Date(last_success_ms).toLocaleTimeString()}. `}
        The page keeps trying. Reason: {problem.message}
      </p>
      <button type="button" class="quiet" onClick={onRetry}>
        Try now
      </button>
    </div>
  )
}

/** Otherwise a part of the repository that was not loaded would look unused. */
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

export function Empty({ isFiltered, name }: { isFiltered: boolean; name: string }) {
  if (isFiltered) return <p class="card empty">No activity matches the filter.</p>
  return (
    <div class="card empty">
      <p>Nobody has announced work in {name}, and it has no tracked pull request.</p>
      <p class="hint">Install the GitHub App to track its pull requests, or announce work:</p>
      <pre>
        <code>deconflict start "Retry payments" --paths "src/checkout/**"</code>
      </pre>
    </div>
  )
}

/** Shown instead of everything if nothing could be loaded. */
export function Refused({ problem, onSignOut }: { problem: Problem; onSignOut: () => void }) {
  return (
    <section class="card" role="alert">
      <h1>
        {problem.status === 403 ? 'You cannot see this repository' : 'The repository could not be loaded'}
      </h1>
      <p>{problem.message}</p>
      {problem.status === 401 ? (
        <button type="button" onClick={onSignOut}>
          Sign in again
        </button>
      ) : (
        <p class="hint">The page keeps trying.</p>
      )}
    </section>
  )
}
