/** All active notables. */

import { duration } from './duration.ts'
import { RecordLink } from './record-link.tsx'
import type { Notable } from './records.ts'

interface Props {
  /** Null until they are loaded. */
  notables: readonly Notable[] | null
  now_ms: number
  /** Null for readers who may not write. */
  onNew: (() => void) | null
}

export function Notables({ notables, now_ms, onNew }: Props) {
  return (
    <section class="card" aria-labelledby="notables-heading">
      <div class="head line">
        <h2 id="notables-heading">Notables</h2>
        {onNew && (
          <button type="button" class="quiet" onClick={onNew}>
            New notable
          </button>
        )}
      </div>
      {notables === null && <p class="hint">Loading …</p>}
      {notables?.length === 0 && (
        <p class="hint">No active notables. A notable announces something to everyone, such as a freeze.</p>
      )}
      <ul class="notables">
        {notables?.map(({ id, title, importance, category, blocking, created_by, expires_at }) => (
          <li key={id}>
            <span class={`pill severity-${importance}`}>{importance}</span>
            <RecordLink id={id}>{title}</RecordLink>
            <small>
              {category}
              {blocking && ', blocking'}
              {created_by && `, by ${created_by}`}, expires in {duration(Date.parse(expires_at) - now_ms)}
            </small>
          </li>
        ))}
      </ul>
    </section>
  )
}
