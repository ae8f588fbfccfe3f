/** Every operation of the service as data. Routes, the OpenAPI document, MCP tools and the client are derived from it (docs/contract/README.md). */
import { z } from 'zod'
import {
  Activity,
  ActivityBrief,
  ArchivedActivity,
  CreateActivity,
  Heartbeat,
  ListActivities,
  ListedActivity,
  UpdateActivity,
} from './activity.ts'
import { boolean, count, object, outputTimestamp, textOrNull } from './field.ts'
import { Issue, IssueClaim } from './issue.ts'
import {
  ArchivedNotable,
  CreateNotable,
  ListNotables,
  Notable,
  NotableBrief,
  UpdateNotable,
} from './notable.ts'
import { ReservedNumber, ReserveNumber } from './number.ts'
import { type Operation, operation } from './operation.ts'
import { CheckOverlap, Drift, OverlapBrief, OverlapResult } from './overlap.ts'
import { MergeOrder, Overlaps } from './overlap-list.ts'
import { RepositoryOverview } from './overview.ts'
import { SettingsView } from './settings.ts'
import { CommentBudget, ExplainPullRequest, Signal, Why } from './signal.ts'

function page<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item).describe('Most recent first.'),
    next_cursor: textOrNull('Pass it as `cursor` to get the next page; null on the last page.'),
  })
}

const issueClaim = {
  issue: IssueClaim.nullable().describe(
    'Its issue, and who holds it; null if it has none. If a pull request closes several, the first.',
  ),
}

const CreatedActivity = object('CreatedActivity', {
  activity: Activity.describe('The activity that was created.'),
  overlap: OverlapResult.describe('Other work that overlaps with it.'),
  ...issueClaim,
})

const currentOverlap = {
  overlap: OverlapBrief.nullable().describe('The current overlap; null if the activity is not live.'),
}

export const OPERATIONS = {
  listRepositories: operation('GET', '/repos', {
    on: 'caller',
    access: 'read',
    output: RepositoryOverview,
    summary: 'List repositories with work',
    description:
      'Returns the repositories with live records that GitHub shows to this token, those that need attention first.',
  }),
  listActivities: operation('GET', '/activity', {
    access: 'read',
    input: ListActivities,
    output: page(ListedActivity).meta({ id: 'ActivityPage' }),
    summary: 'List activities',
    description:
      'Most recent first. Archived and expired activities are excluded unless you filter by `status`.',
  }),
  checkOverlap: operation('POST', '/activity/check', {
    access: 'read',
    input: CheckOverlap,
    output: OverlapResult,
    summary: 'Check for overlap',
    description:
      'Compares planned work with the live activities and active notables. It creates nothing and never blocks.',
  }),
  createActivity: operation('POST', '/activity', {
    access: 'write',
    input: CreateActivity,
    output: CreatedActivity,
    status: 201,
    is_idempotent: true,
    needs_identity: 'always',
    summary: 'Create an activity',
    description: 'Declares work in progress and returns what it overlaps with.',
  }),
  getActivity: operation('GET', '/activity/{id}', {
    access: 'read',
    record: 'act',
    output: Activity.extend({
      pr_reminder_due: boolean(
        'True when it is time to open a draft pull request so that others can see the work.',
      ),
      drift: Drift.nullable().describe(
        'How the changed files of the pull request differ from the declared scope, which they replace in comparisons; null if they do not replace it.',
      ),
      ...currentOverlap,
      ...issueClaim,
    }).meta({ id: 'RetrievedActivity' }),
    is_conditional: true,
    summary: 'Retrieve an activity',
    description: 'Returns the activity with its current overlap.',
  }),
  updateActivity: operation('PATCH', '/activity/{id}', {
    access: 'write',
    record: 'act',
    input: UpdateActivity,
    output: ActivityBrief.extend(currentOverlap).meta({ id: 'UpdatedActivity' }),
    needs_identity: 'to_archive',
    summary: 'Update an activity',
    description: 'Changes only the fields that are sent. Returns the current overlap.',
  }),
  heartbeatActivity: operation('POST', '/activity/{id}/heartbeat', {
    access: 'write',
    record: 'act',
    output: Heartbeat.extend(currentOverlap).meta({ id: 'HeartbeatAnswer' }),
    summary: 'Send a heartbeat',
    description:
      'Extends `expires_at` and returns the current overlap, including collisions that appeared later.',
  }),
  archiveActivity: operation('POST', '/activity/{id}/archive', {
    access: 'write',
    record: 'act',
    output: ArchivedActivity,
    needs_identity: 'always',
    summary: 'Archive an activity',
    description: 'Idempotent: archiving an archived activity returns its original `archived_at`.',
  }),
  reserveNumber: operation('POST', '/activity/{id}/number', {
    access: 'write',
    record: 'act',
    input: ReserveNumber,
    output: ReservedNumber,
    status: 201,
    is_repeatable: true,
    summary: 'Reserve a number',
    description:
      'Reserves the next free number of a directory, such as that of a migration or a decision record, until the activity ends or its pull request adds a file with it. The same activity and directory get the same number again, with status 200.',
  }),
  getIssue: operation('GET', '/issues/{number}', {
    access: 'read',
    output: Issue,
    summary: 'Retrieve an issue',
    description:
      'Returns who works on the issue: the holder, which is the live activity that came first, and the others. An issue that nobody works on has no holder. GitHub is not asked about the issue.',
  }),
  listOverlaps: operation('GET', '/overlaps', {
    access: 'read',
    output: Overlaps,
    is_conditional: true,
    summary: 'List all collisions',
    description:
      'Returns each collision between two live activities once. Own and stacked work is excluded. The `ETag` changes whenever a live activity does.',
  }),
  getMergeOrder: operation('GET', '/merge-order', {
    access: 'read',
    output: MergeOrder,
    summary: 'Retrieve the merge order',
    description:
      'Returns the order in which to merge the open pull requests that conflict with each other, and lists those that do not conflict. It is advice for people. The activities of one pull request count as one.',
  }),
  listNotables: operation('GET', '/notables', {
    access: 'read',
    input: ListNotables,
    output: page(NotableBrief).meta({ id: 'NotablePage' }),
    summary: 'List notables',
    description: 'Most recent first. Only active notables are returned unless you filter by `status`.',
  }),
  createNotable: operation('POST', '/notables', {
    access: 'write',
    input: CreateNotable,
    output: NotableBrief,
    status: 201,
    is_idempotent: true,
    needs_identity: 'always',
    summary: 'Create a notable',
    description: 'Announces something to everyone who works on a part of the repository.',
  }),
  getNotable: operation('GET', '/notables/{id}', {
    access: 'read',
    record: 'ntb',
    output: Notable,
    summary: 'Retrieve a notable',
    description: 'Returns the notable with all fields.',
  }),
  updateNotable: operation('PATCH', '/notables/{id}', {
    access: 'write',
    record: 'ntb',
    input: UpdateNotable,
    output: NotableBrief,
    summary: 'Update a notable',
    description: 'Changes only the fields that are sent.',
  }),
  archiveNotable: operation('POST', '/notables/{id}/archive', {
    access: 'write',
    record: 'ntb',
    output: ArchivedNotable,
    summary: 'Archive a notable',
    description: 'Idempotent: archiving an archived notable returns its original `archived_at`.',
  }),
  getSignal: operation('GET', '/signal', {
    access: 'read',
    output: Signal,
    summary: 'Retrieve the signal report',
    description:
      'Returns which pairs were shown and what became of them, and how many comments were posted and edited. In shadow mode, pairs that would have been shown count as shown.',
  }),
  explainPullRequest: operation('GET', '/why', {
    access: 'read',
    input: ExplainPullRequest,
    output: Why,
    summary: 'Explain a comment',
    description:
      'Returns each overlap of an open pull request: whether a comment shows it, why not, and the setting that decided it.',
  }),
  getSettings: operation('GET', '/settings', {
    access: 'read',
    output: SettingsView.extend({
      budget: CommentBudget.describe('Whether the comment budget is in force.'),
    }).meta({ id: 'RetrievedSettings' }),
    summary: 'Retrieve the settings',
    description: 'Returns the effective settings of the repository and the errors in its settings file.',
  }),
  leaveRepository: operation('POST', '/farewell', {
    access: 'admin',
    output: object('Farewell', {
      as_of: outputTimestamp.describe('Since when nothing is posted there any more.'),
      left: count('On how many pull requests a comment or a check run does not say so yet.'),
    }),
    summary: 'Leave a repository',
    description:
      'Edits every comment and ends the check runs, so that they say that Deconflict does not watch the repository any more. Call it before you uninstall the App, and again until `left` is 0.',
  }),
} satisfies Record<string, Operation>

export type OperationName = keyof typeof OPERATIONS
/** The other one is on all that the caller may see. */
export type RepositoryOperationName = Exclude<OperationName, 'listRepositories'>
export type InputOf<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]['input']>
export type OutputOf<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]['output']>
