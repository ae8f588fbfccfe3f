/** A notable as it is stored, its lifecycle, what a create and an update make of it, and its forms in responses (docs/contract/notables.md). Pure. */

import { later } from '../../vocabulary/clock.ts'
import { newId } from '../../vocabulary/contract/field.ts'
import {
  type ArchivedNotable,
  Category,
  type CreateNotable,
  type Importance,
  type Notable,
  type NotableBrief,
  type NotableStatus,
  type UpdateNotable,
} from '../../vocabulary/contract/notable.ts'
import type { Scope } from '../../vocabulary/contract/scope.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { notableWeight } from '../../vocabulary/severity.ts'
import type { Outline } from '../record.ts'
import { storedScopeOf } from './activity.ts'

export interface StoredNotable {
  id: string
  title: string
  summary: string
  category: Category
  importance: Importance
  status: NotableStatus
  decision_url: string | null
  supersedes: string[]
  superseded_by: string | null
  applies_until: Date | null
  scope: Scope
  blocking: boolean
  created_by: string | null
  expires_at: Date
  created_at: Date
  updated_at: Date
  archived_at: Date | null
}

/** The notable as of `now`: expired from `expires_at` on, whether or not the sweep has stored that. */
export function asOf<Row extends StoredNotable>(row: Row, now: Date): Row {
  if (row.status !== 'active' || row.expires_at > now) return row
  return { ...row, status: 'expired', updated_at: row.expires_at }
}

/** An active notable as it is compared. */
export function outlineOf(
  row: Pick<StoredNotable, 'id' | 'importance' | 'blocking' | 'scope' | 'expires_at' | 'applies_until'>,
): Outline {
  const { id, expires_at, applies_until } = row
  return {
    id,
    kind: 'notable',
    weight: notableWeight(row),
    branch: null,
    base_branch: null,
    ends_at: Math.min(expires_at.getTime(), applies_until?.getTime() ?? Number.POSITIVE_INFINITY),
    pr_number: null,
    is_cut: false,
    scope: storedScopeOf(row),
  }
}

/** The notable that a create makes. Throws `category_not_allowed`, `validation_error` (`applies_until`). */
export function newNotable(
  input: CreateNotable,
  { now, settings, login }: { now: Date; settings: Settings; login: string | null },
) {
  requireAllowed(settings, input.category)
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

/** Throws `category_not_allowed` if the settings disable the category. */
export function requireAllowed({ disabled_categories }: Settings, category: unknown): void {
  if (!disabled_categories.some((each) => each === category)) return
  const allowed = Category.options.filter((each) => !disabled_categories.includes(each))
  throw new Failure(
    'category_not_allowed',
    `category: this repository has disabled ${category}; allowed: ${allowed.join(', ') || 'none'}`,
    { param: 'category' },
  )
}

function requireFuture(applies_until: Date | null | undefined, now: Date): void {
  if (!applies_until || applies_until > now) return
  throw new Failure('validation_error', 'applies_until: must be in the future', { param: 'applies_until' })
}

export function briefOf(row: StoredNotable): NotableBrief {
  return {
    id: row.id,
    title: row.title,
    category: row.category,
    importance: row.importance,
    status: row.status,
    decision_url: row.decision_url,
    supersedes: row.supersedes,
    superseded_by: row.superseded_by,
    applies_until: row.applies_until?.toISOString() ?? null,
    scope: { areas: row.scope.areas, paths: row.scope.paths },
    blocking: row.blocking,
    created_by: row.created_by,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    archived_at: row.archived_at?.toISOString() ?? null,
  }
}

export function fullOf(row: StoredNotable): Notable {
  return { ...briefOf(row), type: 'notable', summary: row.summary }
}

export function archivedOf(row: StoredNotable): ArchivedNotable {
  return { id: row.id, status: 'archived', archived_at: (row.archived_at as Date).toISOString() }
}
