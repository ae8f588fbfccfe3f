/** Representations of notables in responses. */
import type { ArchivedNotable, Notable, NotableBrief } from '../../vocabulary/contract/notable.ts'
import type { StoredNotable } from './notable.ts'

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
