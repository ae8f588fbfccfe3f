/** Notables of high importance, above everything else. */
import { isHigh } from '../vocabulary/weight.ts'
import { duration } from './duration.ts'
import { RecordLink } from './record-link.tsx'
import type { Notable } from './records.ts'

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
