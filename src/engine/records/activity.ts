/** An activity as it is stored: in the database of a service, or in a file of a clone. */
import type {
  ActivitySource,
  ActivityStatus,
  ArchiveReason,
  Risk,
} from '../../vocabulary/contract/activity.ts'
import type { Scope } from '../../vocabulary/contract/scope.ts'
import type { ChangedFile } from '../lines/change.ts'

/** What a check needs of an activity. */
export interface ComparedActivity {
  id: string
  scope: Scope
  /** The paths are file names from GitHub, without wildcards. */
  scope_is_literal: boolean
  /** `scope.changes`, in the order in which they were sent. */
  changed_files: ChangedFile[]
  /** The changed files of its pull request or branch; null if they were not read. */
  pushed_files: ChangedFile[] | null
  pr_url: string | null
  pr_number: number | null
  draft_pr: boolean
  title: string
  summary: string
  actor: string
  created_by: string | null
  assignee: string | null
  is_by_newcomer: boolean
  issue: number | null
  closes: number[] | null
  source: ActivitySource
  base_sha: string | null
  pushed_base_sha: string | null
  changes_complete: boolean
  branch: string | null
  base_branch: string | null
  risk: Risk
  blocking: boolean
  status: ActivityStatus
  declared_at: Date | null
  created_at: Date
  updated_at: Date
  /** The root of its working tree in one clone, as the answer names it. */
  worktree?: string | null
}

export interface MergedActivity extends ComparedActivity {
  merged_at: Date | null
}

export interface StoredActivity extends MergedActivity {
  agent: string | null
  heartbeat_at: Date | null
  expires_at: Date
  /** Its own time to live, if it has one. */
  ttl_ms: number | null
  archived_at: Date | null
  archive_reason: ArchiveReason | null
  archived_by: string | null
}

/**
 * The login of the author; null if unknown. The actor of an activity that was created from GitHub is a login, but that of
 * a declared activity can be any name.
 */
export function authorLogin({
  source,
  actor,
  created_by,
}: Pick<ComparedActivity, 'source' | 'actor' | 'created_by'>): string | null {
  return source === 'api' ? created_by : actor
}
