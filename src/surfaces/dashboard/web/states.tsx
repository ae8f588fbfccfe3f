/** What is said in place of the picture, or above it: nothing there, refused, or more than is shown. */
import type { Problem } from './api.ts'
import type { Loaded } from './repository.tsx'

/** What is not shown is said, so that an empty place is not taken for nobody's. */
export function LeftOut({ activities, notables, overlaps, is_whole }: Loaded) {
  const { complete } = overlaps.checked_against
  if (is_whole && complete) return null
  return (
    <p class="hint" role="note">
      {!is_whole &&
        `This repository has more than one page can show: these are its newest ${activities.length} activities and ${notables.length} notables. `}
      {!complete && 'Not all of its work was compared, so there may be more collisions than these. '}A check
      of your own paths, such as <code>deconflict check</code>, is not limited to these, and says when it did
      not get through all.
    </p>
  )
}

export function Empty({ isFiltered, name }: { isFiltered: boolean; name: string }) {
  if (isFiltered) return <p class="card empty">Nothing that the filters let through.</p>
  return (
    <div class="card empty">
      <p>Nobody has announced work in {name}, and no open pull request is followed.</p>
      <p class="hint">Install the GitHub App to see its pull requests, or announce work:</p>
      <pre>
        <code>deconflict start "Retry payments" --paths "src/checkout/**"</code>
      </pre>
    </div>
  )
}

export function Refused({ problem, onRefused }: { problem: Problem; onRefused: () => void }) {
  return (
    <section class="card" role="alert">
      <h1>{problem.status === 403 ? 'You cannot see this repository' : 'This did not work'}</h1>
      <p>{problem.message}</p>
      {problem.status === 401 && (
        <button type="button" onClick={onRefused}>
          Sign in again
        </button>
      )}
    </section>
  )
}
