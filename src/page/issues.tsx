/** The issues that several live activities are on. */
import { useContext } from 'preact/hooks'
import { GithubUrl } from './avatar.tsx'
import { ExternalLink } from './external-link.tsx'
import { sharedIssues } from './issues.ts'
import { Limited } from './limited.tsx'
import { type LiveWork, nameOf } from './live-work.ts'
import { RecordLink } from './record-link.tsx'

const SHOWN_MAX = 3

export function Issues({ work, name }: { work: LiveWork; name: string }) {
  const github_url = useContext(GithubUrl)
  const issues = sharedIssues(work)
  if (issues.length === 0) return null
  return (
    <section class="card" aria-labelledby="issues-heading">
      <h2 id="issues-heading">Issues with two or more</h2>
      <Limited items={issues} max={SHOWN_MAX}>
        {({ number, activities }) => (
          <li key={number} class="issue">
            <ExternalLink url={`${github_url}/${name}/issues/${number}`} text={`#${number}`} />{' '}
            <span class="soft">{activities.length} at work</span>
            <Limited items={activities} max={SHOWN_MAX}>
              {(activity) => (
                <li key={activity.id}>
                  <RecordLink id={activity.id}>{activity.title}</RecordLink>{' '}
                  <small>
                    {activity.actor} {nameOf(activity)}
                  </small>
                </li>
              )}
            </Limited>
          </li>
        )}
      </Limited>
    </section>
  )
}
