/** The issues that several live activities are on. */
import { count } from '../vocabulary/text.ts'
import { sharedIssues } from './issues.ts'
import { type LiveWork, nameOf } from './live-work.ts'
import { RecordLink } from './record-link.tsx'

const SHOWN_MAX = 5
const NAMED_MAX = 5

export function Issues({ work }: { work: LiveWork }) {
  const issues = sharedIssues(work)
  if (issues.length === 0) return null
  return (
    <section class="card" aria-labelledby="issues-heading">
      <div class="head line">
        <h2 id="issues-heading">Issues</h2>
        <p class="hint">Several work on one issue. The first is the oldest.</p>
      </div>
      <ul class="notables">
        {issues.slice(0, SHOWN_MAX).map(({ number, activities }) => (
          <li key={number}>
            <span class="pill severity-high">#{number}</span>
            <span>{activities.length} at work:</span>
            {activities.slice(0, NAMED_MAX).map((activity) => (
              <RecordLink key={activity.id} id={activity.id}>
                {nameOf(activity)} <small>{activity.actor}</small>
              </RecordLink>
            ))}
            {activities.length > NAMED_MAX && <small>and {activities.length - NAMED_MAX} more</small>}
          </li>
        ))}
      </ul>
      {issues.length > SHOWN_MAX && (
        <p class="hint">and {count(issues.length - SHOWN_MAX, 'more issue', 'more issues')}</p>
      )}
    </section>
  )
}
