/** An activity as it is stored, in the database of a service or in a file of a clone, its forms in responses, and the part of it that is compared (docs/contract/lines.md#drift). */
import type {
  Activity,
  ActivityBrief,
  ActivitySource,
  ActivityStatus,
  ArchivedActivity,
  ArchiveReason,
  Heartbeat,
  ListedActivity,
  Risk,
} from '../../vocabulary/contract/activity.ts'
import type { Issue, IssueClaim } from '../../vocabulary/contract/issue.ts'
import type { Scope } from '../../vocabulary/contract/scope.ts'
import { listedScope } from '../../vocabulary/scope/limits.ts'
import { activityWeight } from '../../vocabulary/severity.ts'
import { type ChangedFile, type ChangeOrigin, namesOf } from '../lines/change.ts'
import { manifestPlaces, takenPlaces } from '../lines/taken.ts'
import { issuePlace, type Outline, type StoredScope } from '../record.ts'

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
  conflicts_with_base: boolean
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
export function authorLogin(row: Pick<ComparedActivity, 'source' | 'actor' | 'created_by'>): string | null {
  return row.source === 'api' ? row.created_by : row.actor
}

/** The issues that an activity is on: the one that was sent with it first, then those that its pull request closes. */
export function issuesOf({ issue, closes }: Pick<ComparedActivity, 'issue' | 'closes'>): number[] {
  return [...new Set([...(issue === null ? [] : [issue]), ...(closes ?? [])])]
}

/** The issue of an activity, and whether the activity holds it; null if it has none. */
export async function claimOf(
  activity: StoredActivity,
  readIssue: (number: number) => Promise<Issue>,
): Promise<IssueClaim | null> {
  const [number] = issuesOf(activity)
  if (number === undefined) return null
  const { holder, done_by } = await readIssue(number)
  return { number, claimed: holder?.activity_id === activity.id, holder, done_by }
}

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
    ...(row.conflicts_with_base && { conflicts_with_base: true }),
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

/** The fields that determine the compared scope. */
export type ComparedFields = Pick<
  ComparedActivity,
  | 'scope'
  | 'scope_is_literal'
  | 'changed_files'
  | 'pushed_files'
  | 'pr_number'
  | 'draft_pr'
  | 'issue'
  | 'closes'
>

interface ComparedScope extends Scope {
  /** The paths are file names without wildcards. */
  is_literal: boolean
  files: (ChangedFile & { origin: ChangeOrigin })[]
}

/**
 * The files of a pull request that is ready for review replace the declared paths and files, and so do the files of
 * activities that were created from GitHub. While the pull request is a draft, both count. Declared areas always count.
 */
export function comparedScopeOf(row: ComparedFields): ComparedScope {
  const { scope, scope_is_literal: is_literal, changed_files, pushed_files } = row
  const pushed = (pushed_files ?? []).map((file) => ({ ...file, origin: 'pushed' as const }))
  if (pushed_files !== null && (is_literal || isReady(row)))
    return { areas: scope.areas, paths: [], is_literal, files: pushed }
  const declared = changed_files.map((file) => ({ ...file, origin: 'declared' as const }))
  return { areas: scope.areas, paths: scope.paths, is_literal, files: [...declared, ...pushed] }
}

/** The scope of a stored record that is compared. For an activity with changed files, see `comparedScopeOf`. */
export function storedScopeOf(record: ComparedFields | { scope: Scope }): StoredScope {
  if (!('changed_files' in record)) return { ...record.scope, is_literal: false, files: [], taken: [] }
  const { files, ...scope } = comparedScopeOf(record)
  const taken = [...takenPlaces(files), ...manifestPlaces(files), ...issuesOf(record).map(issuePlace)]
  return { ...scope, files: distinctNames(files), taken }
}

export type OutlinedActivity = ComparedFields &
  Pick<ComparedActivity, 'id' | 'branch' | 'base_branch' | 'risk' | 'blocking' | 'changes_complete'> &
  Pick<Outline, 'ends_at'>

export function outlineOf(row: OutlinedActivity): Outline {
  const { id, branch, base_branch, ends_at, pr_number, changes_complete } = row
  return {
    id,
    kind: 'activity',
    weight: activityWeight(row),
    branch,
    base_branch,
    ends_at,
    pr_number,
    is_cut: !changes_complete,
    scope: storedScopeOf(row),
  }
}

/** Whether the files of a ready pull request take the place of what was declared by a request. */
export function replacesDeclared(row: ComparedFields): boolean {
  return row.pushed_files !== null && !row.scope_is_literal && isReady(row)
}

function isReady({ pr_number, draft_pr }: Pick<ComparedActivity, 'pr_number' | 'draft_pr'>): boolean {
  return pr_number !== null && !draft_pr
}

export function distinctNames(files: readonly Pick<ChangedFile, 'path' | 'previous_path'>[]): string[] {
  return [...new Set(files.flatMap(namesOf))]
}

/** Whether any field in `changes` differs from the record. */
export function changesAnything<Row extends object>(row: Row, changes: Partial<Row>): boolean {
  return Object.entries(changes).some(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(row[name as keyof Row]),
  )
}

/** Whether the changes only move the time until which it lives, and not to an earlier one. A heartbeat keeps `updated_at`. */
export function isHeartbeat(
  before: StoredActivity,
  { heartbeat_at: _, expires_at = before.expires_at, ...changes }: Partial<StoredActivity>,
): boolean {
  return expires_at >= before.expires_at && !changesAnything<Partial<StoredActivity>>(before, changes)
}
