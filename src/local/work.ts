/** What a clone knows of the work in it: records that were declared, and what git shows. */
import { createHash } from 'node:crypto'
import type { StoredFile } from '../engine/check/source.ts'
import type { StoredActivity } from '../engine/records/activity.ts'
import { idOfBytes } from '../vocabulary/contract/field.ts'

export type WorkKind = 'declared' | 'worktree' | 'branch' | 'pull_request'

export interface LocalActivity extends StoredActivity {
  /** The root of its working tree; null if it has none in this clone. */
  worktree: string | null
}

export interface LocalWork {
  kind: WorkKind
  activity: LocalActivity
  files: readonly StoredFile[]
  reserved: { directory: string; number: string }[]
  /** When it came to its issue; null if it has none. */
  issue_since: string | null
  idempotency_key: string | null
  /** Its branch was checked out when it was declared or changed: only such a branch can count as deleted. */
  had_branch: boolean
  /** Of what git shows: see `patchIdOf`. */
  patch_id?: string
}

export const UNCLAIMED = { reserved: [], issue_since: null, idempotency_key: null }

/** What git shows of a working tree or branch. */
export interface Diff {
  /** The commit that it starts from; null before the first commit. */
  base_sha: string | null
  files: readonly StoredFile[]
  /** See `patchIdOf`. */
  patch_id: string
  /** More files changed. */
  is_cut?: boolean
  /** See `ChangedFiles`. */
  late_ms?: number
  /** When the first commit was made, in milliseconds since 1970. */
  begun_at?: number
  /** `user.name` in a working tree. */
  actor?: string
}

/** Work without anything declared, as git shows it. */
export function derivedWork(
  kind: Exclude<WorkKind, 'declared'>,
  given: Partial<LocalActivity> & Pick<LocalActivity, 'id' | 'title' | 'actor' | 'created_at' | 'expires_at'>,
  { patch_id, ...diff }: Diff,
): LocalWork {
  const { created_at } = given
  const work: LocalWork = {
    kind,
    files: diff.files,
    patch_id,
    ...UNCLAIMED,
    had_branch: true,
    activity: {
      ...NO_FIELDS,
      summary: given.title,
      created_by: given.actor,
      updated_at: created_at,
      ...given,
      source: kind === 'pull_request' ? 'pull_request' : 'branch',
      scope_is_literal: true,
    },
  }
  return withFiles(work, diff)
}

export function withFiles(
  work: LocalWork,
  { files, base_sha, is_cut = false }: Pick<Diff, 'files' | 'base_sha' | 'is_cut'>,
): LocalWork {
  const { kind } = work
  const activity = { ...work.activity, changes_complete: !is_cut }
  const listed = files.map(({ origin: _, changed_lines: __, digest: ___, ...file }) => file)
  return kind === 'declared'
    ? {
        ...work,
        files: files.map((file) => ({ ...file, origin: 'declared' })),
        activity: { ...activity, changed_files: listed, base_sha },
      }
    : { ...work, files, activity: { ...activity, pushed_files: listed, pushed_base_sha: base_sha } }
}

/** What git shows of derived work. */
export function diffOf({ files, activity }: LocalWork): Pick<Diff, 'files' | 'base_sha' | 'is_cut'> {
  return { files, base_sha: activity.pushed_base_sha, is_cut: !activity.changes_complete }
}

type Given = 'id' | 'title' | 'summary' | 'actor' | 'created_by' | 'created_at' | 'updated_at' | 'expires_at'

/** What work is if nothing else is known of it. */
export const NO_FIELDS: Omit<LocalActivity, Given | 'source'> = {
  scope_is_literal: false,
  pushed_files: null,
  agent: null,
  status: 'active',
  risk: 'low',
  branch: null,
  base_branch: null,
  scope: { areas: [], paths: [] },
  changed_files: [],
  base_sha: null,
  pushed_base_sha: null,
  changes_complete: true,
  pr_url: null,
  pr_number: null,
  draft_pr: false,
  assignee: null,
  is_by_newcomer: false,
  conflicts_with_base: false,
  closes: null,
  issue: null,
  blocking: false,
  heartbeat_at: null,
  ttl_ms: null,
  declared_at: null,
  archived_at: null,
  archive_reason: null,
  archived_by: null,
  merged_at: null,
  worktree: null,
}

/** The id of derived work: the same for the same name and time, and ordered by time as other ids are. */
export function derivedId(name: string, at: Date): string {
  const time = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return idOfBytes('act', time + createHash('sha256').update(name).digest('hex').slice(0, 20))
}
