/** The schemas of activities: enums, request bodies and responses. */
import { z } from 'zod'
import { CLOSED_STATUSES, FINISHED_STATUSES, LIVE_STATUSES } from '../activity-status.ts'
import {
  about,
  baseBranchName,
  boolean,
  branchName,
  listedBranch,
  object,
  onlyTrue,
  outputTimestamp,
  sample,
  text,
  textOrNull,
  timestampOrNull,
} from './field.ts'
import { issueNumber } from './issue.ts'
import { pageParameters } from './pagination.ts'
import {
  ActivityScope,
  baseSha,
  EMPTY_ACTIVITY_SCOPE,
  ListedActivityScope,
  ShownActivityScope,
} from './scope.ts'

export const ActivityStatus = z.enum([...LIVE_STATUSES, ...FINISHED_STATUSES, ...CLOSED_STATUSES])
export type ActivityStatus = z.output<typeof ActivityStatus>

export const Risk = z.enum(['low', 'medium', 'high', 'critical'])
export type Risk = z.output<typeof Risk>

export const ArchiveReason = z.enum([
  'requested',
  'finished',
  'pull_request_merged',
  'pull_request_closed',
  'branch_deleted',
  'branch_merged',
])
export type ArchiveReason = z.output<typeof ArchiveReason>

export const ActivitySource = z.enum(['api', 'pull_request', 'branch'])
export type ActivitySource = z.output<typeof ActivitySource>

const TTL_MIN_MS = 60_000

/** The maximum number of characters of each text. */
export const ACTIVITY_MAX = { title: 200, summary: 4000, actor: 100, agent: 100, pr_url: 2048 }

const title = text(1, ACTIVITY_MAX.title).meta(about('A short name for the work.', 'Retry failed payments'))
const summary = text(1, ACTIVITY_MAX.summary).meta({
  description: 'A description in one or two lines.',
  examples: ['Retries a declined payment twice before the order is cancelled.'],
})
const actor = text(1, ACTIVITY_MAX.actor).meta({
  description: 'The person who is responsible for the work.',
  examples: ['Ada Lovelace'],
})
const agent = text(1, ACTIVITY_MAX.agent).meta({
  description: 'The coding agent in use; null for manual work.',
  examples: ['claude-code'],
})
const branch = branchName.meta(about('The branch of the work.', 'feature/payment-retries'))
const baseBranch = baseBranchName.meta(about('The branch that the work will be merged into.', 'main'))
const prUrl = text(1, ACTIVITY_MAX.pr_url).meta({
  description: 'The URL of the pull request, which must be in this repository.',
  examples: ['https://github.com/acme/shop/pull/7'],
})
const draftPr = boolean('Whether the linked pull request is a draft.')
const blocking = boolean('Whether to warn others prominently. It never blocks them.')
const ttlMs = z
  .int()
  .min(TTL_MIN_MS)
  .meta({
    description:
      'The time to live that heartbeats renew, in milliseconds. Set it if the process that creates the activity may be killed before it archives it. A value above `activity_ttl_ms` is lowered to it. It no longer applies when the activity is linked to a pull request.',
    examples: [900_000],
  })
const risk = Risk.describe('The risk of the work for others.')

export const CreateActivity = object('CreateActivity', {
  title,
  summary,
  actor,
  agent: agent.nullable().default(null),
  branch: branch.nullable().default(null),
  base_branch: baseBranch.nullable().default(null),
  scope: ActivityScope.default(EMPTY_ACTIVITY_SCOPE).describe(
    'The areas, paths and files that the work changes.',
  ),
  base_sha: baseSha.default(null),
  risk: risk.default('low'),
  pr_url: prUrl.nullable().default(null),
  draft_pr: draftPr.default(false),
  blocking: blocking.default(false),
  ttl_ms: ttlMs.nullable().default(null),
  issue: issueNumber.nullable().default(null),
})
export type CreateActivity = z.output<typeof CreateActivity>

export const UpdateActivity = object('UpdateActivity', {
  title: title.optional(),
  summary: summary.optional(),
  branch: branch.nullable().optional(),
  base_branch: baseBranch.nullable().optional(),
  scope: ActivityScope.optional().describe('Replaces the whole scope, and `base_sha` with it.'),
  base_sha: baseSha.optional(),
  risk: risk.optional(),
  pr_url: prUrl.nullable().optional(),
  draft_pr: draftPr.optional(),
  blocking: blocking.optional(),
  issue: issueNumber.nullable().optional(),
  status: ActivityStatus.optional().describe('The new status. A transition that is not allowed gets 409.'),
  heartbeat: z.boolean().optional().describe('If true, sets `heartbeat_at` to now and extends `expires_at`.'),
})
export type UpdateActivity = z.output<typeof UpdateActivity>

function flag(description: string) {
  return z
    .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive', error: 'must be true or false' })
    .optional()
    .meta({ description, override: { type: 'boolean' } })
}

export const ListActivities = z.strictObject({
  status: ActivityStatus.optional().describe('Only this status. Default: all except archived and expired.'),
  risk: Risk.optional().describe('Only this risk.'),
  actor: text(1, 100).optional().describe('Only activities of this actor.'),
  branch: listedBranch.optional().describe('Only activities on this branch; `owner:branch` for a fork.'),
  has_pr: flag('If true, only activities with a pull request; if false, only those without.'),
  draft_pr_only: flag('If true, only activities with a draft pull request.'),
  ...pageParameters('act'),
})
export type ListActivities = z.output<typeof ListActivities>

const activityId = sample('The id of the activity.', 'act_01h455vb4pex5vsknk084sn02q')

/** The abbreviated representation: the response to an update, and, with fewer fields of the scope, the items of a list. */
export const ActivityBrief = object('ActivityBrief', {
  id: activityId,
  title: sample('A short name for the work.', 'Retry declined payments'),
  actor: sample('The person who is responsible for the work.', 'Ada Lovelace'),
  agent: textOrNull('The coding agent in use; null for manual work.'),
  status: ActivityStatus.describe('The status of the work. Archived and expired activities are closed.'),
  risk,
  branch: textOrNull('The branch of the work; `owner:branch` for a fork.'),
  base_branch: textOrNull('The branch that the work will be merged into.'),
  scope: ShownActivityScope.describe('The areas, paths and changed files of the work.'),
  base_sha: textOrNull('The commit that the patches of the changed files start from; null if unknown.'),
  by_newcomer: onlyTrue(
    'Present if its pull request is by somebody who is new to the repository, whose title is not shown to agents.',
  ),
  conflicts_with_base: onlyTrue('Present if GitHub cannot merge its pull request into the base branch.'),
  changes_complete: boolean(
    'False if GitHub cut the list of its changed files, and the others could not be read.',
  ).meta({ examples: [true] }),
  pr_url: textOrNull('The URL of the pull request; null if there is none.'),
  draft_pr: draftPr,
  blocking,
  issue: z
    .int()
    .nullable()
    .describe('The number of its issue: the one that was sent, else the first that its pull request closes.'),
  heartbeat_at: timestampOrNull('When the last heartbeat was received; null if there was none.'),
  expires_at: outputTimestamp.describe('When the activity expires unless it gets a heartbeat.'),
  ttl_ms: z.int().nullable().describe('Its own time to live; null if that of the repository applies.'),
  created_at: outputTimestamp.describe('When the activity was created.'),
  updated_at: outputTimestamp.describe('When the activity was last updated.'),
  archived_at: timestampOrNull('When the activity was archived; null unless the status is `archived`.'),
  archive_reason: ArchiveReason.nullable().describe(
    'Why the activity was archived; null if it is not archived.',
  ),
  created_by: textOrNull(
    'The GitHub login of the creator; null for a token without a user and for a webhook.',
  ),
  archived_by: textOrNull(
    'The GitHub login of the user who archived it; null if it is not archived, and for a token without a user, a webhook and expiry.',
  ),
  source: ActivitySource.describe(
    'What created the activity: a request to the API, a pull request, or a pushed branch. It becomes `pull_request` when a pull request of the pushed branch is opened.',
  ),
})
export type ActivityBrief = z.output<typeof ActivityBrief>

export const ListedActivity = ActivityBrief.extend({
  scope: ListedActivityScope.describe('The areas, paths and changed files of the work.'),
  opened_at: outputTimestamp.optional().describe('When its pull request was opened, if one is tracked.'),
  pushed_at: outputTimestamp.optional().describe('When its pull request was last pushed, if one is tracked.'),
  is_bot: onlyTrue('Present if its pull request is by a bot, but no coding agent.'),
}).meta({ id: 'ListedActivity' })
export type ListedActivity = z.output<typeof ListedActivity>

export const Activity = ActivityBrief.extend({
  type: z.literal('activity').describe('The type of the record.'),
  summary: sample(
    'A description in one or two lines.',
    'Retries a declined payment twice before the order is cancelled.',
  ),
}).meta({ id: 'Activity' })
export type Activity = z.output<typeof Activity>

export const Heartbeat = object('Heartbeat', {
  id: activityId,
  heartbeat_at: outputTimestamp.describe('When the heartbeat was received.'),
  expires_at: outputTimestamp.describe('When the activity expires unless it gets a heartbeat.'),
})
export type Heartbeat = z.output<typeof Heartbeat>

export const ArchivedActivity = object('ArchivedActivity', {
  id: activityId,
  status: z.literal('archived').describe('The new status.'),
  archived_at: outputTimestamp.describe('When the activity was first archived.'),
})
export type ArchivedActivity = z.output<typeof ArchivedActivity>
