/** What each stored row has to be: within the limits of its fields, and in itself consistent (contract §4 and §5). */
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
import type { PullRequestRow } from '../pull-requests/table.ts'
import { labelKey, Scope, ShownScope } from '../scope/scope.ts'
import type { StoredKey } from './store.ts'

/** What is wrong with a row: the field, and why. */
export interface Flaw {
  field: string
  problem: string
}

const instant = z.date({ error: 'is no instant' })
const repoId = z.int().positive()
/** Longer than any of GitHub's. */
const login = text(1, 100)
/** Of a fork, `owner:branch`. */
const storedBranch = text(1, 300)

const StoredActivity = z.object({
  repo_id: repoId,
  id: z.string().refine((id) => isId('act', id), { error: 'is no id of an activity' }),
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
  id: z.string().refine((id) => isId('ntb', id), { error: 'is no id of a notable' }),
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
  head_sha: z.string().regex(/^[0-9a-f]{40,64}$/, 'is no commit'),
  opened_at: instant,
  changed_at: instant,
  told_at: instant.nullable(),
  related_ids: z.array(z.string().refine((id) => isId('act', id) || isId('ntb', id), { error: 'is no id' })),
})

const StoredKeySchema = z.object({
  repo_id: repoId,
  caller: z.string().regex(/^(user|token):./, 'is no caller'),
  operation: z.enum(['createActivity', 'createNotable']),
  key: z.string().regex(/^[\x20-\x7e]{1,255}$/, 'is no Idempotency-Key'),
  input_hash: z.string().regex(/^[0-9a-f]{64}$/, 'is no hash'),
  answer: z
    .string()
    .refine((answer) => isJson(answer), { error: 'is no JSON' })
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

export function flawsOfActivity(row: ActivityRow): Flaw[] {
  const isArchived = row.status === 'archived'
  const scope = row.scope_is_literal ? [] : flawsBy(Scope, row.scope, 'scope')
  return [
    ...flawsBy(StoredActivity, row),
    ...scope,
    ...flawIf(isArchived && !row.archived_at, 'archived_at', 'is missing though the activity is archived'),
    ...flawIf(!isArchived && row.archived_at, 'archived_at', `is set though the activity is ${row.status}`),
    ...flawIf(
      isArchived && !row.archive_reason,
      'archive_reason',
      'is missing though the activity is archived',
    ),
    ...flawIf(
      !isArchived && row.archive_reason,
      'archive_reason',
      `is set though the activity is ${row.status}`,
    ),
    ...flawIf(!isArchived && row.archived_by, 'archived_by', `is set though the activity is ${row.status}`),
    ...flawIf(
      row.status === 'merged' && !row.merged_at,
      'merged_at',
      'is missing though the activity is merged',
    ),
    ...flawIf(row.expires_at < row.created_at, 'expires_at', 'lies before created_at'),
    ...flawIf(
      (row.pr_url === null) !== (row.pr_number === null),
      'pr_number',
      'and pr_url do not belong together',
    ),
    ...flawIf(
      row.pr_url !== null && row.pr_number !== null && !row.pr_url.endsWith(`/pull/${row.pr_number}`),
      'pr_number',
      'is not that of pr_url',
    ),
    ...flawIf(row.source === 'pull_request' && row.pr_number === null, 'pr_number', 'is missing'),
  ]
}

/** `successors`: the notables of the repository that are there, among those that rows name. */
export function flawsOfNotable(row: NotableRow, successors: Set<string>): Flaw[] {
  const isArchived = row.status === 'archived'
  const scope = ShownScope.safeParse(row.scope)
  const keys = new Set(scope.data?.areas.map(labelKey))
  const { superseded_by } = row
  return [
    ...flawsBy(StoredNotable, row),
    ...flawIf(isArchived && !row.archived_at, 'archived_at', 'is missing though the notable is archived'),
    ...flawIf(!isArchived && row.archived_at, 'archived_at', `is set though the notable is ${row.status}`),
    ...flawIf(!isArchived && superseded_by, 'superseded_by', `is set though the notable is ${row.status}`),
    ...flawIf(
      superseded_by !== null && !successors.has(superseded_by),
      'superseded_by',
      'names no notable of this repository',
    ),
    ...flawIf(row.expires_at < row.created_at, 'expires_at', 'lies before created_at'),
    ...flawIf(
      row.area_keys.length !== keys.size || row.area_keys.some((key) => !keys.has(key)),
      'area_keys',
      'are not those of its scope',
    ),
  ]
}

export function flawsOfPullRequest(row: PullRequestRow): Flaw[] {
  return flawsBy(StoredPullRequest, row)
}

/** `records`: those that are there, among those that keys name. */
export function flawsOfKey(row: StoredKey, records: Set<string>): Flaw[] {
  return [
    ...flawsBy(StoredKeySchema, row),
    ...flawIf(!records.has(row.record_id), 'record_id', 'names no record of this repository'),
  ]
}

export function flawsOfRepository(row: RepositoryRow): Flaw[] {
  const isBoth = row.left_at !== null && row.installation_id !== null
  return [
    ...flawsBy(StoredRepository, row),
    ...flawIf(isBoth, 'left_at', 'is set though the App is installed'),
  ]
}

function flawsBy(schema: z.ZodType, value: unknown, root?: string): Flaw[] {
  const parsed = schema.safeParse(value)
  const issues = parsed.success ? [] : parsed.error.issues
  return issues.map(({ path, message }) => ({
    field: [...(root ? [root] : []), ...path].join('.'),
    problem: message,
  }))
}

function flawIf(condition: unknown, field: string, problem: string): Flaw[] {
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
