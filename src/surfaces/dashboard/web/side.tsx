/** Beside the picture: the collisions in words, and the notables. */
import { duration } from './board.ts'
import type { Activity, Notable, Overlap } from './records.ts'

const SHOWN_MAX = 50

export function Collisions({
  overlaps,
  titles,
  onShow,
}: {
  overlaps: Overlap[]
  titles: Map<string, Activity>
  onShow: (id: string) => void
}) {
  if (overlaps.length === 0) return null
  return (
    <section class="card" aria-labelledby="collisions-heading">
      <h2 id="collisions-heading">Collisions</h2>
      <ul class="collisions">
        {overlaps.slice(0, SHOWN_MAX).map(({ activity_ids, severity, paths, areas }) => (
          <li key={activity_ids.join()}>
            <span class={`pill severity-${severity}`}>{severity}</span>
            {activity_ids.map((id) => (
              <button key={id} type="button" class="link" onClick={() => onShow(id)}>
                {titles.get(id)?.title ?? id} <small>{titles.get(id)?.actor}</small>
              </button>
            ))}
            <code>{paths[0]?.example ?? `area ${areas.join(', ')}`}</code>
          </li>
        ))}
      </ul>
      {overlaps.length > SHOWN_MAX && (
        <p class="hint">And {overlaps.length - SHOWN_MAX} more: use the filters.</p>
      )}
    </section>
  )
}

export function Notables({
  notables,
  onShow,
  onNew,
}: {
  notables: Notable[]
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
      {notables.length === 0 && <p class="hint">No signal is raised here.</p>}
      <ul class="notables">
        {notables.map(({ id, title, importance, category, blocking, created_by, expires_at }) => (
          <li key={id}>
            <span class={`pill importance-${importance}`}>{importance}</span>
            <button type="button" class="link" onClick={() => onShow(id)}>
              {title}
            </button>
            <small>
              {category}
              {blocking && ', blocking'}
              {created_by && `, by ${created_by}`}, for {duration(Date.parse(expires_at) - Date.now())} more
            </small>
          </li>
        ))}
      </ul>
    </section>
  )
}
