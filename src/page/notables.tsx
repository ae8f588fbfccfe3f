/** All active notables, and above everything else those of high importance. */

import { isHigh } from '../vocabulary/severity.ts'
import { RecordLink } from './controls.tsx'
import { duration } from './duration.ts'
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

const SHOWN_MAX = 3

export function Banner({ notables, now_ms }: { notables: readonly Notable[]; now_ms: number }) {
  const high = notables.filter(isHigh)
  if (high.length === 0) return null
  return (
    <section class="banner" aria-label="Important notables">
      <ul class="plain">
        {high.slice(0, SHOWN_MAX).map(({ id, title, scope, expires_at, importance, blocking }) => (
          <li key={id} class="line">
            <span class="pill severity-high">{blocking ? 'blocking' : importance}</span>
            <RecordLink id={id}>{title}</RecordLink>
            <span class="soft">
              {[...scope.paths, ...scope.areas].slice(0, 3).join(', ') || 'the whole repository'} · expires in{' '}
              {duration(Date.parse(expires_at) - now_ms)}
            </span>
          </li>
        ))}
      </ul>
      {high.length > SHOWN_MAX && <p class="hint">{high.length - SHOWN_MAX} more below.</p>}
    </section>
  )
}
