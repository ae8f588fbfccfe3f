/** For somebody with admin permission: says in all comments that nobody watches the repository any more, before the App is uninstalled. */
import { useState } from 'preact/hooks'
import { count } from '../vocabulary/text.ts'
import type { Problem, Repository } from './api.ts'

const QUESTION =
  'Deconflict edits every comment that it made in this repository, and posts nothing there any more, until the App is installed again or the settings file says comment: {mode: on}. Leave?'

export function Farewell({ repository }: { repository: Repository }) {
  const [said, setSaid] = useState('')
  const leave = () => {
    if (!confirm(QUESTION)) return
    repository.leave().then(
      ({ left }) =>
        setSaid(
          left === 0
            ? 'Everything is edited.'
            : `${count(left, 'pull request', 'pull requests')} left to edit.`,
        ),
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
