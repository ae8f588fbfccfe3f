/** The words of an activity: its enums, the forms in which it arrives and is shown (specification §2.1 and §4.1, contract §4). */
import { z } from 'zod'
import { branchName, outputTimestamp, text } from '../base/field.ts'
import { pageParameters } from '../base/page.ts'
import { EMPTY_SCOPE, Scope, ShownScope } from '../scope/scope.ts'

export const LIVE_STATUSES = [
  'planned',
  'active',
  'paused',
  'blocked',
  'draft-pr-open',
  'ready-for-review',
] as const
export const FINISHED_STATUSES = ['merged', 'abandoned'] as const
export const CLOSED_STATUSES = ['archived', 'expired'] as const
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
])
export type ArchiveReason = z.output<typeof ArchiveReason>

export const ActivitySource = z.enum(['api', 'pull_request'])
export type ActivitySource = z.output<typeof ActivitySource>

const title = text(1, 200).meta({
  description: 'Short name for the work.',
  examples: ['Retry failed payments'],
})
const summary = text(1, 4000).meta({
  description: 'One or two lines on the work.',
  examples: ['Retries a declined payment twice before the order is cancelled.'],
})
const actor = text(1, 100).meta({ description: 'The human behind the work.', examples: ['Ada Lovelace'] })
const agent = text(1, 100).meta({
  description: 'The agent tool in use; null for manual work.',
  examples: ['claude-code'],
})
const branch = branchName.meta({
  description: 'The branch that the work happens on.',
  examples: ['feature/payment-retries'],
})
const baseBranch = branchName.meta({ description: 'The branch that it will merge into.', examples: ['main'] })
const prUrl = text(1, 2048).meta({
  description: 'The pull request, in this very repository.',
  examples: ['https://github.com/acme/shop/pull/7'],
})
const draftPr = z.boolean().meta({ description: 'Whether the linked pull request is a draft.' })
const blocking = z.boolean().meta({ description: 'A prominent warning to others; never a hard block.' })
const risk = Risk.meta({ description: 'How risky the work is for others.' })

export const CreateActivity = z
  .strictObject({
    title,
    summary,
    actor,
    agent: agent.nullable().default(null),
    branch: branch.nullable().default(null),
    base_branch: baseBranch.nullable().default(null),
    scope: Scope.default(EMPTY_SCOPE).meta({ description: 'What the work is going to touch.' }),
    risk: risk.default('low'),
    pr_url: prUrl.nullable().default(null),
    draft_pr: draftPr.default(false),
    blocking: blocking.default(false),
  })
  .meta({ id: 'CreateActivity' })
export type CreateActivity = z.output<typeof CreateActivity>

export const UpdateActivity = z
  .strictObject({
    title: title.optional(),
    summary: summary.optional(),
    branch: branch.nullable().optional(),
    base_branch: baseBranch.nullable().optional(),
    scope: Scope.optional().meta({ description: 'Replaces the stored scope as a whole.' }),
    risk: risk.optional(),
    pr_url: prUrl.nullable().optional(),
    draft_pr: draftPr.optional(),
    blocking: blocking.optional(),
    status: ActivityStatus.optional().meta({
      description: 'The status to move to; an illegal move is refused with 409.',
    }),
    heartbeat: z
      .boolean()
      .optional()
      .meta({ description: 'When true, sets `heartbeat_at` and puts `expires_at` off.' }),
  })
  .meta({ id: 'UpdateActivity' })
export type UpdateActivity = z.output<typeof UpdateActivity>

function flag(description: string) {
  return z
    .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive', error: 'must be true or false' })
    .optional()
    .meta({ description, override: { type: 'boolean' } })
}

export const ListActivities = z.strictObject({
  status: ActivityStatus.optional().meta({
    description: 'Only this status. Left out: all but archived and expired.',
  }),
  risk: Risk.optional().meta({ description: 'Only this risk.' }),
  actor: text(1, 100).optional().meta({ description: 'Only the work of this human.' }),
  branch: text(1, 255)
    .optional()
    .meta({ description: 'Only work on this branch; `owner:branch` in a fork.' }),
  has_pr: flag('Only activities with a pull request (or, when false, without one).'),
  draft_pr_only: flag('When true, only activities whose pull request is a draft.'),
  ...pageParameters('act'),
})
export type ListActivities = z.output<typeof ListActivities>

const shownId = z
  .string()
  .meta({ description: 'Id of the activity.', examples: ['act_01h455vb4pex5vsknk084sn02q'] })

/** What lists, creates and updates show of an activity. */
export const ActivityBrief = z
  .strictObject({
    id: shownId,
    title: z.string().meta({ description: 'Short name for the work.' }),
    actor: z.string().meta({ description: 'The human behind the work.' }),
    agent: z.string().nullable().meta({ description: 'The agent tool in use; null for manual work.' }),
    status: ActivityStatus.meta({
      description: 'Where the work stands; archived and expired work is closed.',
    }),
    risk,
    branch: z
      .string()
      .nullable()
      .meta({ description: 'The branch that the work happens on; `owner:branch` in a fork.' }),
    base_branch: z.string().nullable().meta({ description: 'The branch that it will merge into.' }),
    scope: ShownScope.meta({ description: 'What the work touches.' }),
    pr_url: z.string().nullable().meta({ description: 'The pull request, where there is one.' }),
    draft_pr: draftPr,
    blocking,
    heartbeat_at: outputTimestamp.nullable().meta({ description: 'The last sign of life.' }),
    expires_at: outputTimestamp.meta({ description: 'When it ends by itself.' }),
    created_at: outputTimestamp.meta({ description: 'When it was made.' }),
    updated_at: outputTimestamp.meta({ description: 'When it was last changed.' }),
    archived_at: outputTimestamp
      .nullable()
      .meta({ description: 'When it was archived; null unless the status is `archived`.' }),
    archive_reason: ArchiveReason.nullable().meta({ description: 'Why it was archived.' }),
    created_by: z.string().nullable().meta({
      description: 'GitHub login of its creator; null for a token without a user and for a webhook.',
    }),
    archived_by: z.string().nullable().meta({
      description:
        'GitHub login of who archived it; null while it is not archived, for a token without a user, a webhook and expiry.',
    }),
    source: ActivitySource.meta({ description: 'Whether it was declared, or made from a pull request.' }),
  })
  .meta({ id: 'ActivityBrief' })
export type ActivityBrief = z.output<typeof ActivityBrief>

/** Every field of an activity. */
export const Activity = ActivityBrief.extend({
  type: z.literal('activity').meta({ description: 'What kind of record this is.' }),
  summary: z.string().meta({ description: 'One or two lines on the work.' }),
}).meta({ id: 'Activity' })
export type Activity = z.output<typeof Activity>

export const Heartbeat = z
  .strictObject({
    id: shownId,
    heartbeat_at: outputTimestamp.meta({ description: 'Now.' }),
    expires_at: outputTimestamp.meta({ description: 'When it ends by itself.' }),
  })
  .meta({ id: 'Heartbeat' })
export type Heartbeat = z.output<typeof Heartbeat>

export const ArchivedActivity = z
  .strictObject({
    id: shownId,
    status: z.literal('archived').meta({ description: 'Where the work stands from now on.' }),
    archived_at: outputTimestamp.meta({ description: 'When it was archived, for the first time.' }),
  })
  .meta({ id: 'ArchivedActivity' })
export type ArchivedActivity = z.output<typeof ArchivedActivity>
