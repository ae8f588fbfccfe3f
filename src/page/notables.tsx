/** All active notables. */
import type { Notable } from './records.ts'
import { duration } from './time-scale.ts'
import type { ChangeView } from './use-address.ts'

/** `notables`: null until they are loaded. `onNew`: null for readers who may not write. */
export function Notables({
  notables,
  now_ms,
  onChange,
  onNew,
}: {
  notables: readonly Notable[] | null
  now_ms: number
  onChange: ChangeView
  onNew: (() => void) | null
}) {
  return (
    <section class="card" aria-labelledby="notables-heading">
      <div class="head">
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
            <span class={`pill importance-${importance}`}>{importance}</span>
            <button type="button" class="link" data-item onClick={() => onChange({ record: id })}>
              {title}
            </button>
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
