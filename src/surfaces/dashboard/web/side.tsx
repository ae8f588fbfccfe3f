/** Beside the timeline: the collisions in words, and the notables. */
import { judgedFrom, shortText } from '../../../lines/verdict-words.ts'
import type { Activity, Notable, Overlap } from './records.ts'
import { duration } from './time-scale.ts'

const COLLISIONS_MAX = 50

export function Collisions({
  overlaps,
  activities,
  outside,
  onShow,
}: {
  overlaps: Overlap[]
  activities: Map<string, Activity>
  outside: ReadonlySet<string>
  onShow: (id: string) => void
}) {
  if (overlaps.length === 0) return null
  return (
    <section class="card" aria-labelledby="collisions-heading">
      <h2 id="collisions-heading">Collisions</h2>
      <ul class="collisions">
        {overlaps.slice(0, COLLISIONS_MAX).map((overlap) => {
          const { activity_ids, severity, paths, areas } = overlap
          const relation = shortText(judgedFrom(activity_ids[0], overlap))
          return (
            <li key={activity_ids.join()}>
              <span class={`pill severity-${severity}`}>{severity}</span>
              {activity_ids.map((id) => (
                <button key={id} type="button" class="link" onClick={() => onShow(id)}>
                  {activities.get(id)?.title ?? id}{' '}
                  <small>
                    {activities.get(id)?.actor}
                    {outside.has(id) && ', outside the filter'}
                  </small>
                </button>
              ))}
              <code>{paths[0]?.example ?? `area ${areas.join(', ')}`}</code>
              {relation && <small>{relation}</small>}
            </li>
          )
        })}
      </ul>
      {overlaps.length > COLLISIONS_MAX && (
        <p class="hint">{overlaps.length - COLLISIONS_MAX} more: filter to see them.</p>
      )}
    </section>
  )
}

/** `notables`: null until they are loaded. `onNew`: null for readers who may not write. */
export function Notables({
  notables,
  onShow,
  onNew,
}: {
  notables: Notable[] | null
  onShow: (id: string) => void
  onNew: (() => void) | null
}) {
  return (
    <section class="card" aria-labelledby="notables-heading">
      <div class="head">
        <h2 id="notables-heading">Notables</h2>
        {onNew && (
          <button type="button" onClick={onNew}>
            New notable
          </button>
        )}
      </div>
      {notables === null && <p class="hint">Loading …</p>}
      {notables?.length === 0 && <p class="hint">No active notables.</p>}
      <ul class="notables">
        {notables?.map(({ id, title, importance, category, blocking, created_by, expires_at }) => (
          <li key={id}>
            <span class={`pill importance-${importance}`}>{importance}</span>
            <button type="button" class="link" onClick={() => onShow(id)}>
              {title}
            </button>
            <small>
              {category}
              {blocking && ', blocking'}
              {created_by && `, by ${created_by}`}, expires in {duration(Date.parse(expires_at) - Date.now())}
            </small>
          </li>
        ))}
      </ul>
    </section>
  )
}
