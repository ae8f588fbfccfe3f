/** Schemas of stored rows, and rules between their columns (contract §4 and §5). Pure. */
import { z } from 'zod'
import {
  ActivitySource,
  ActivityStatus,
  ArchiveReason,
  CreateActivity,
  Risk,
} from '../activities/activity.ts'
import type { ActivityRow } from '../activities/table.ts'
import { text } from '../base/field.ts'
import { isId } from '../base/id.ts'
import { FileSettings, Settings, SettingsProblem } from '../context/settings.ts'
import type { RepositoryRow } from '../context/store.ts'
import { Category, CreateNotable, Importance, NotableStatus } from '../notables/notable.ts'
import type { NotableRow } from '../notables/table.ts'
import type { StoredKey } from '../operations/store.ts'
import type { PullRequestRow } from '../pull-requests/table.ts'
import { labelKey, Scope, ShownScope } from '../scope/scope.ts'

/** The field, and what is wrong with it. */
export interface RowProblem {
  field: string
  problem: string
}

const instant = z.date({ error: 'is not an instant' })
const repoId = z.int().positive()
/** Longer than any login at GitHub. */
const login = text(1, 100)
/** `owner:branch` for a fork. */
const storedBranch = text(1, 300)

const StoredActivity = z.object({
  repo_id: repoId,
  id: z.string().refine((id) => isId('act', id), { error: 'is not the id of an activity' }),
  title: CreateActivity.shape.title,
  summary: CreateActivity.shape.summary,
  actor: CreateActivity.shape.actor,
  agent: CreateActivity.shape.agent,
  status: ActivityStatus,
  risk: Risk,
  branch: storedBranch.nullable(),
  base_branch: storedBranch.nullable(),
  scope: ShownScope,
  pr_url: text(1, 2048).nullable(),
  pr_number: z.int().positive().nullable(),
  draft_pr: z.boolean(),
  blocking: z.boolean(),
  source: ActivitySource,
  heartbeat_at: instant.nullable(),
  expires_at: instant,
  created_at: instant,
  updated_at: instant,
  archived_at: instant.nullable(),
  archive_reason: ArchiveReason.nullable(),
  created_by: login.nullable(),
  archived_by: login.nullable(),
  merged_at: instant.nullable(),
})

const StoredNotable = z.object({
  repo_id: repoId,
  id: z.string().refine((id) => isId('ntb', id), { error: 'is not the id of a notable' }),
  title: CreateNotable.shape.title,
  summary: CreateNotable.shape.summary,
  category: Category,
  importance: Importance,
  status: NotableStatus,
  decision_url: CreateNotable.shape.decision_url,
  supersedes: CreateNotable.shape.supersedes,
  scope: Scope,
  blocking: z.boolean(),
  created_by: login.nullable(),
  expires_at: instant,
  created_at: instant,
  updated_at: instant,
  applies_until: instant.nullable(),
  archived_at: instant.nullable(),
})

const StoredPullRequest = z.object({
  repo_id: repoId,
  number: z.int().positive(),
  head_sha: z.string().regex(/^[0-9a-f]{40,64}$/, 'is not a commit hash'),
  opened_at: instant,
  changed_at: instant,
  told_at: instant.nullable(),
  related_ids: z.array(
    z.string().refine((id) => isId('act', id) || isId('ntb', id), { error: 'is not an id' }),
  ),
})

const StoredKeySchema = z.object({
  repo_id: repoId,
  caller: z.string().regex(/^(user|token):./, 'is not a caller'),
  operation: z.enum(['createActivity', 'createNotable']),
  key: z.string().regex(/^[\x20-\x7e]{1,255}$/, 'is not an Idempotency-Key'),
  input_hash: z.string().regex(/^[0-9a-f]{64}$/, 'is not a hash'),
  answer: z
    .string()
    .refine((answer) => isJson(answer), { error: 'is not JSON' })
    .nullable(),
  created_at: instant,
})

const StoredRepository = z.object({
  repo_id: repoId,
  owner: z.string().min(1),
  name: z.string().min(1),
  settings: FileSettings.nullable(),
  labeler_areas: Settings.shape.areas.nullable(),
  settings_errors: z.array(SettingsProblem),
  created_at: instant,
  swept_at: instant,
})

export function checkActivity(row: ActivityRow): RowProblem[] {
  const isArchived = row.status === 'archived'
  const scope = row.scope_is_literal ? [] : problemsBy(Scope, row.scope, 'scope')
  return [
    ...problemsBy(StoredActivity, row),
    ...scope,
    ...problemIf(isArchived && !row.archived_at, 'archived_at', 'is missing though the activity is archived'),
    ...problemIf(
      !isArchived && row.archived_at,
      'archived_at',
      `is set though the activity is ${row.status}`,
    ),
    ...problemIf(
      isArchived && !row.archive_reason,
      'archive_reason',
      'is missing though the activity is archived',
    ),
    ...problemIf(
      !isArchived && row.archive_reason,
      'archive_reason',
      `is set though the activity is ${row.status}`,
    ),
    ...problemIf(
      !isArchived && row.archived_by,
      'archived_by',
      `is set though the activity is ${row.status}`,
    ),
    ...problemIf(
      row.status === 'merged' && !row.merged_at,
      'merged_at',
      'is missing though the activity is merged',
    ),
    ...problemIf(row.expires_at < row.created_at, 'expires_at', 'is before created_at'),
    ...problemIf(
      (row.pr_url === null) !== (row.pr_number === null),
      'pr_number',
      'must be set if and only if pr_url is',
    ),
    ...problemIf(
      row.pr_url !== null && row.pr_number !== null && !row.pr_url.endsWith(`/pull/${row.pr_number}`),
      'pr_number',
      'is not the number in pr_url',
    ),
    ...problemIf(row.source === 'pull_request' && row.pr_number === null, 'pr_number', 'is missing'),
  ]
}

/** `successors`: which of the notables in `superseded_by` exist in the repository. */
export function checkNotable(row: NotableRow, successors: Set<string>): RowProblem[] {
  const isArchived = row.status === 'archived'
  const scope = ShownScope.safeParse(row.scope)
  const keys = new Set(scope.data?.areas.map(labelKey))
  const { superseded_by } = row
  return [
    ...problemsBy(StoredNotable, row),
    ...problemIf(isArchived && !row.archived_at, 'archived_at', 'is missing though the notable is archived'),
    ...problemIf(!isArchived && row.archived_at, 'archived_at', `is set though the notable is ${row.status}`),
    ...problemIf(!isArchived && superseded_by, 'superseded_by', `is set though the notable is ${row.status}`),
    ...problemIf(
      superseded_by !== null && !successors.has(superseded_by),
      'superseded_by',
      'is not a notable of this repository',
    ),
    ...problemIf(row.expires_at < row.created_at, 'expires_at', 'is before created_at'),
    ...problemIf(
      row.area_keys.length !== keys.size || row.area_keys.some((key) => !keys.has(key)),
      'area_keys',
      'do not match the areas of its scope',
    ),
  ]
}

export function checkPullRequest(row: PullRequestRow): RowProblem[] {
  return problemsBy(StoredPullRequest, row)
}

/** `records`: which of the records that keys refer to exist in the repository. */
export function checkKey(row: StoredKey, records: Set<string>): RowProblem[] {
  return [
    ...problemsBy(StoredKeySchema, row),
    ...problemIf(!records.has(row.record_id), 'record_id', 'is not a record of this repository'),
  ]
}

export function checkRepository(row: RepositoryRow): RowProblem[] {
  const isBoth = row.left_at !== null && row.installation_id !== null
  return [
    ...problemsBy(StoredRepository, row),
    ...problemIf(isBoth, 'left_at', 'is set though the App is installed'),
  ]
}

function problemsBy(schema: z.ZodType, value: unknown, root?: string): RowProblem[] {
  const parsed = schema.safeParse(value)
  const issues = parsed.success ? [] : parsed.error.issues
  return issues.map(({ path, message }) => ({
    field: [...(root ? [root] : []), ...path].join('.'),
    problem: message,
  }))
}

function problemIf(condition: unknown, field: string, problem: string): RowProblem[] {
  return condition ? [{ field, problem }] : []
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}
