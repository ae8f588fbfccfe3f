/** Representations of activities in responses. */
import type {
  Activity,
  ActivityBrief,
  ArchivedActivity,
  Heartbeat,
  ListedActivity,
} from '../../vocabulary/contract/activity.ts'
import { listedScope } from '../../vocabulary/scope/limits.ts'
import type { StoredActivity } from './activity.ts'
import { issuesOf } from './compared-scope.ts'

export function briefOf(row: StoredActivity): ActivityBrief {
  return {
    id: row.id,
    title: row.title,
    actor: row.actor,
    agent: row.agent,
    status: row.status,
    risk: row.risk,
    branch: row.branch,
    base_branch: row.base_branch,
    scope: {
      areas: row.scope.areas,
      paths: row.scope.paths,
      changes: shownFilesOf(row).map(({ path, previous_path, status, blob_sha }) => ({
        path,
        previous_path,
        status,
        blob_sha,
      })),
    },
    base_sha: row.scope_is_literal ? row.pushed_base_sha : row.base_sha,
    ...(row.is_by_newcomer && { by_newcomer: true }),
    changes_complete: row.changes_complete,
    pr_url: row.pr_url,
    draft_pr: row.draft_pr,
    blocking: row.blocking,
    issue: issuesOf(row)[0] ?? null,
    heartbeat_at: row.heartbeat_at?.toISOString() ?? null,
    expires_at: row.expires_at.toISOString(),
    ttl_ms: row.ttl_ms,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    archived_at: row.archived_at?.toISOString() ?? null,
    archive_reason: row.archive_reason,
    created_by: row.created_by,
    archived_by: row.archived_by,
    source: row.source,
  }
}

export function listedOf(row: StoredActivity): ListedActivity {
  const brief = briefOf(row)
  return { ...brief, scope: listedScope(brief.scope) }
}

/** The declared files, or the files that GitHub lists if the activity was created from GitHub. */
function shownFilesOf(row: StoredActivity) {
  return row.scope_is_literal ? (row.pushed_files ?? []) : row.changed_files
}

export function fullOf(row: StoredActivity): Activity {
  return { ...briefOf(row), type: 'activity', summary: row.summary }
}

export function heartbeatOf(row: StoredActivity): Heartbeat {
  const { id, heartbeat_at, expires_at } = briefOf(row)
  return { id, heartbeat_at: heartbeat_at as string, expires_at }
}

export function archivedOf(row: StoredActivity): ArchivedActivity {
  return { id: row.id, status: 'archived', archived_at: (row.archived_at as Date).toISOString() }
}
