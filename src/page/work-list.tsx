/** The live work that matches the filter, one line each. */
import { memo } from 'preact/compat'
import { pullRequestName } from '../vocabulary/pull-request-name.ts'
import { CONSEQUENCE_WORDS } from '../vocabulary/verdict-words.ts'
import { AgentIcon, Avatar } from './avatar.tsx'
import type { LiveWork } from './live-work.ts'
import type { Person } from './people.ts'
import type { Activity } from './records.ts'
import { changeView } from './use-address.ts'

const SHOWN_MAX = 60

export const WorkList = memo(({ name, work, shown }: { name: string; work: LiveWork; shown: Activity[] }) => (
  <section class="card deferred" aria-labelledby="work-heading">
    <h2 id="work-heading">Live work</h2>
    {shown.length === 0 && (
      <p class="empty">
        No activity matches. <a href={`#/${name}`}>Show all {work.activities.size}</a>
      </p>
    )}
    <ul class="plain">
      {shown.slice(0, SHOWN_MAX).map((activity) => (
        <li key={activity.id}>
          <Row activity={activity} work={work} />
        </li>
      ))}
    </ul>
    {shown.length > SHOWN_MAX && (
      <p class="hint">
        {shown.length - SHOWN_MAX} more: search, or choose a person, a file or an area to see them.
      </p>
    )}
  </section>
))

function Row({ activity, work }: { activity: Activity; work: LiveWork }) {
  const { id, title, agent, status, risk, pr_url, branch } = activity
  const person = work.people.get(id) as Person
  // The most severe collision comes first.
  const worst = work.collisions_of.get(id)?.[0]
  return (
    <button
      type="button"
      class={`work-row edge-${worst?.severity ?? 'none'}`}
      data-item
      onClick={() => changeView({ record: id })}
    >
      <Avatar person={person} />
      <span class="title">{title}</span>
      <span class="soft">{pullRequestName(pr_url) ?? branch}</span>
      <AgentIcon agent={agent} />
      <span class="soft">
        {person.name}, {status}
        {risk !== 'low' && `, ${risk} risk`}
      </span>
      {worst && (
        <span class={`pill severity-${worst.severity}`}>
          {CONSEQUENCE_WORDS[worst.consequence]}, {worst.severity}
        </span>
      )}
    </button>
  )
}
