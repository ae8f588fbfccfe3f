/** What a comment on a pull request shows of its overlaps, and why not. Read when the user asks. */
import { useState } from 'preact/hooks'
import { pullRequestName } from '../vocabulary/pull-request-name.ts'
import { HIDDEN_BECAUSE } from '../vocabulary/shown.ts'
import { CONSEQUENCE_WORDS } from '../vocabulary/verdict-words.ts'
import type { Problem, Repository } from './api.ts'
import { ExternalLink } from './external-link.tsx'
import { RecordLink } from './record-link.tsx'
import type { Why as Answer } from './records.ts'
import { ProblemText } from './states.tsx'

export function Why({ number, repository }: { number: number; repository: Repository }) {
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [problem, setProblem] = useState('')
  const ask = () => void repository.why(number).then(setAnswer, (error: Problem) => setProblem(error.message))
  if (answer === null)
    return (
      <>
        <button type="button" class="quiet" onClick={ask}>
          Why was this (not) commented?
        </button>
        <ProblemText text={problem} />
      </>
    )
  return (
    <>
      <h3>{answer.is_commented ? 'Commented' : 'Not commented'}</h3>
      {answer.pairs.length === 0 && <p class="hint">It overlaps with nothing.</p>}
      <ul>
        {answer.pairs.map(({ activity_id, title, actor, pr_url, consequence, reason, decided_by }) => (
          <li key={activity_id ?? pr_url}>
            {activity_id !== null ? (
              <RecordLink id={activity_id}>{title ?? pullRequestName(pr_url) ?? activity_id}</RecordLink>
            ) : (
              pr_url && <ExternalLink url={pr_url} text={pullRequestName(pr_url) ?? pr_url} />
            )}
            {actor && ` by ${actor}`}
            {consequence && `, ${CONSEQUENCE_WORDS[consequence]}`}:{' '}
            {reason === null ? 'shown' : `not shown, ${HIDDEN_BECAUSE[reason]} (${decided_by})`}
          </li>
        ))}
      </ul>
    </>
  )
}
