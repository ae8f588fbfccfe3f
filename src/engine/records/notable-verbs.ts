/** What a create and an update make of a notable (docs/contract/notables.md). Pure. */
import { later } from '../../vocabulary/clock.ts'
import { newId } from '../../vocabulary/contract/id.ts'
import type { CreateNotable, UpdateNotable } from '../../vocabulary/contract/notable.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import { Failure } from '../../vocabulary/failure.ts'
import type { StoredNotable } from './notable.ts'

/** The notable that a create makes. Throws `validation_error` (`applies_until`). */
export function newNotable(
  input: CreateNotable,
  { now, settings, login }: { now: Date; settings: Pick<Settings, 'notable_ttl_ms'>; login: string | null },
) {
  requireFuture(input.applies_until, now)
  return {
    ...input,
    supersedes: [...new Set(input.supersedes)],
    id: newId('ntb', now),
    status: 'active' as const,
    created_by: login,
    expires_at: later(now, settings.notable_ttl_ms),
    created_at: now,
    updated_at: now,
  }
}

/** Throws `validation_error` (`applies_until`), `invalid_transition` if the notable is not active. */
export function requireChangeable(row: StoredNotable, input: UpdateNotable, now: Date): void {
  requireFuture(input.applies_until, now)
  if (row.status === 'active') return
  throw new Failure('invalid_transition', `the notable is ${row.status}; create a new one that supersedes it`)
}

/** Throws `validation_error` (`supersedes[i]`) for the first id that is not in `found`. */
export function requirePredecessors(requested: readonly string[], found: ReadonlySet<string>): void {
  const missing = requested.findIndex((each) => !found.has(each))
  if (missing < 0) return
  const param = `supersedes[${missing}]`
  throw new Failure('validation_error', `${param}: no such notable in this repository`, { param })
}

function requireFuture(applies_until: Date | null | undefined, now: Date): void {
  if (!applies_until || applies_until > now) return
  throw new Failure('validation_error', 'applies_until: must be in the future', { param: 'applies_until' })
}
