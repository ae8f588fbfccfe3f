/** The handler of each operation, which calls a verb, and how its result is rendered. An operation without a handler does not compile. */

import { checkActivities, checkProposal } from '../../engine/check/check.ts'
import { briefOf, conclude } from '../../engine/check/conclude.ts'
import { driftOf } from '../../engine/check/drift.ts'
import * as activityForm from '../../engine/records/activity.ts'
import * as notableForm from '../../engine/records/notable.ts'
import { sourcesOf } from '../../engine/settings/layers.ts'
import { isLive } from '../../vocabulary/activity-status.ts'
import type { ListedActivity } from '../../vocabulary/contract/activity.ts'
import {
  type InputOf,
  OPERATIONS,
  type OperationName,
  type OutputOf,
  type RepositoryOperationName,
} from '../../vocabulary/contract/contract.ts'
import { readIssueNumber } from '../../vocabulary/contract/issue.ts'
import type { Page } from '../../vocabulary/contract/pagination.ts'
import { isBot } from '../../vocabulary/names.ts'
import {
  checked,
  getMergeOrder,
  inDatabase,
  liveVersion,
  versionedOverlaps,
} from '../compare/database-source.ts'
import { importProgress } from '../github/tracking/installations.ts'
import { startFarewell } from '../github/tracking/repository-events.ts'
import * as activities from '../records/activities/activities.ts'
import { reserveNumber } from '../records/activities/reserve.ts'
import type { ActivityRow } from '../records/activities/table.ts'
import { getIssue } from '../records/issues/issues.ts'
import * as notables from '../records/notables/notables.ts'
import type { NotableRow } from '../records/notables/table.ts'
import { listOpen } from '../records/pull-requests/store.ts'
import type { OpenedRepo, RepoContext } from '../records/repositories/repo.ts'
import { answered } from '../tell/answers.ts'
import { readBudget } from '../tell/read.ts'
import { explainPullRequest, getSignal } from '../tell/signal.ts'

export interface OperationResponse {
  status: 200 | 201 | 304
  /** JSON text; empty with status 304. */
  body: string
  /** The entity tag of the body, for operations that are conditional. */
  etag?: string
  /** The id of the created record. */
  created_id?: string
  /** It is the stored response to an earlier request with the same idempotency key. */
  replayed?: boolean
}

/** `id`: that of the path; empty if it has none. */
type Handler<Name extends OperationName> = (
  ctx: RepoContext,
  input: InputOf<Name>,
  id: string,
) => Promise<Answered<OutputOf<Name>> | Versioned<OutputOf<Name>>>

/** `is_repeated`: the request asked for what exists already, and is answered with status 200. */
type Answered<Output> = Output & { is_repeated?: boolean }

/** A result that is read later: after a write, or unless the caller has it already. Then `version` changes whenever the result may. */
interface Versioned<Output> {
  version?: string
  read(): Promise<Output>
}

/**
 * The handler of a create, in two steps: the response has to be computed after the record is committed. `create` runs
 * alone, or in one transaction with an idempotency key. `find` reads the record again when a replay needs it.
 */
export interface CreateHandler<Name extends OperationName, Row extends { id: string }> {
  /** Throws the errors that take precedence over a 422 although they depend on the repository. */
  precheck?(ctx: OpenedRepo, raw: { [Field in keyof InputOf<Name>]?: unknown }): void
  create(ctx: RepoContext, input: InputOf<Name>): Promise<Row>
  find(ctx: OpenedRepo, id: string): Promise<Row>
  respond(ctx: RepoContext, row: Row): Promise<OutputOf<Name>>
}

export const CREATE_HANDLERS: {
  createActivity: CreateHandler<'createActivity', ActivityRow>
  createNotable: CreateHandler<'createNotable', NotableRow>
} = {
  createActivity: {
    create: activities.createActivity,
    find: activities.getActivity,
    /**
     * Of two concurrent creates, at least one sees the other. Each commits before it reads its overlap, in statements
     * with new snapshots on the primary, so the one that commits second reads both records.
     */
    respond: async (ctx, activity) => {
      const conclusion = await checked(ctx, (source) => checkActivities(source, [activity]))
      answered(ctx, activity.branch, { conclusion, created: activity })
      const issue = await activityForm.claimOf(activity, (number) => getIssue(ctx, number))
      return { activity: activityForm.fullOf(activity), overlap: conclude(conclusion), issue }
    },
  },
  createNotable: {
    precheck: (ctx, { category }) => notableForm.requireAllowed(ctx.settings, category),
    create: notables.createNotable,
    find: notables.getNotable,
    respond: async (_, notable) => notableForm.briefOf(notable),
  },
}

export const HANDLERS: {
  [Name in Exclude<RepositoryOperationName, keyof typeof CREATE_HANDLERS>]: Handler<Name>
} = {
  listActivities: async (ctx, input) => withGithubDates(ctx, await activities.listActivities(ctx, input)),
  checkOverlap: async (ctx, input) => {
    const conclusion = await checked(ctx, (source) => checkProposal(source, input))
    answered(ctx, input.branch, { conclusion })
    return conclude(conclusion)
  },
  getActivity: async (ctx, _, id) => {
    const activity = await activities.getActivity(ctx, id)
    const { updated_at, heartbeat_at, expires_at } = activity
    const pr_reminder_due = activities.isReminderDue(ctx, activity)
    // What changes without a new version of the live records, and which row was read: a change may have come since.
    const version = await liveVersion(ctx, [id, updated_at, heartbeat_at, expires_at, pr_reminder_due])
    const read = async () => ({
      ...(await withOverlap(ctx, activity, activityForm.fullOf(activity))),
      pr_reminder_due,
      drift: isLive(activity.status) ? await driftOf(ctx, activity) : null,
      issue: await activityForm.claimOf(activity, (number) => getIssue(ctx, number)),
    })
    return { version, read }
  },
  updateActivity: async (ctx, input, id) => {
    const activity = await activities.updateActivity(ctx, id, input)
    return { read: () => withOverlap(ctx, activity, activityForm.briefOf(activity)) }
  },
  heartbeatActivity: async (ctx, _, id) => {
    const activity = await activities.heartbeatActivity(ctx, id)
    return { read: () => withOverlap(ctx, activity, activityForm.heartbeatOf(activity)) }
  },
  archiveActivity: async (ctx, _, id) => activityForm.archivedOf(await activities.archiveActivity(ctx, id)),
  reserveNumber: (ctx, input, id) => reserveNumber(inDatabase(ctx), id, input),
  getIssue: (ctx, _, id) => getIssue(ctx, readIssueNumber(id)),
  listOverlaps: versionedOverlaps,
  getMergeOrder,
  listNotables: notables.listNotables,
  getNotable: async (ctx, _, id) => notableForm.fullOf(await notables.getNotable(ctx, id)),
  updateNotable: async (ctx, input, id) => notableForm.briefOf(await notables.updateNotable(ctx, id, input)),
  archiveNotable: async (ctx, _, id) => notableForm.archivedOf(await notables.archiveNotable(ctx, id)),
  getSignal,
  explainPullRequest: (ctx, { pull_request }) => explainPullRequest(ctx, pull_request),
  getSettings: async (ctx) => ({
    ...ctx.settings,
    ...ctx.repo.settings_file,
    // The rest of the address is a secret.
    notify_url: ctx.settings.notify_url && new URL(ctx.settings.notify_url).origin,
    sources: sourcesOf(ctx.repo.settings_layers),
    is_left_out: ctx.repo.settings_layers.some(({ is_left_out }) => is_left_out),
    budget: await readBudget(ctx),
    may_write: ctx.caller.may_write,
    is_tracked: ctx.repo.is_tracked,
    importing: await importProgress(ctx),
    may_administer: ctx.caller.may_administer,
  }),
  leaveRepository: async ({ db, repo, now }) => {
    const { id: repo_id, ...known } = repo
    const { as_of, left } = await startFarewell(db, { repo_id, ...known }, now)
    repo.wakeWorker()
    return { as_of: as_of.toISOString(), left }
  },
}

/** What GitHub says about the pull requests of the activities: a record is as old as its import. */
async function withGithubDates(
  { db, repo, settings }: RepoContext,
  page: Page<ListedActivity>,
): Promise<Page<ListedActivity>> {
  const numberOf = ({ pr_url }: ListedActivity) => Number(pr_url?.split('/').at(-1))
  const numbers = page.items.map(numberOf).filter(Boolean)
  if (numbers.length === 0) return page
  const open = new Map((await listOpen(db, repo.id, { numbers })).map((row) => [row.number, row]))
  const items = page.items.map((item) => {
    const row = open.get(numberOf(item))
    if (!row) return item
    return {
      ...item,
      opened_at: row.opened_at.toISOString(),
      pushed_at: row.pushed_at.toISOString(),
      ...(isBot({ login: row.author, is_of_type_bot: row.is_bot }, settings.comment) && {
        is_bot: true as const,
      }),
    }
  })
  return { ...page, items }
}

async function withOverlap<Form>(ctx: RepoContext, activity: ActivityRow, form: Form) {
  const overlap = isLive(activity.status) ? briefOf(await checkActivities(inDatabase(ctx), [activity])) : null
  return { ...form, overlap }
}

export type CreateName = keyof typeof CREATE_HANDLERS

export function isCreate(name: OperationName): name is CreateName {
  return name in CREATE_HANDLERS
}

/** Runs a handler that creates nothing. `known`: the entity tags that the caller has. `committed` is called before the result of a write is read. */
export async function handle(
  ctx: RepoContext,
  name: Exclude<RepositoryOperationName, CreateName>,
  given: { input: unknown; id: string; known: string | undefined; committed: (id: string) => void },
): Promise<OperationResponse> {
  const handler = HANDLERS[name] as Handler<RepositoryOperationName>
  const result = await handler(ctx, given.input as never, given.id)
  if (OPERATIONS[name].access !== 'read') given.committed(given.id)
  if ('read' in result) return answerUnlessKnown(name, result, given.known)
  const { is_repeated = false, ...output } = result as Answered<object>
  return { ...answerOf(name, output), ...(is_repeated && { status: 200 }) }
}

/** `known`: a list of entity tags, or `*` for any (RFC 9110, section 13.1.2). */
async function answerUnlessKnown(
  name: OperationName,
  { version, read }: Versioned<unknown>,
  known = '',
): Promise<OperationResponse> {
  if (version === undefined) return answerOf(name, await read())
  const etag = `W/"${version}"`
  if (known.trim() === '*' || known.includes(`"${version}"`)) return { status: 304, body: '', etag }
  return { ...answerOf(name, await read()), etag }
}

export function answerOf(name: OperationName, output: unknown): OperationResponse {
  return { status: OPERATIONS[name].status, body: JSON.stringify(output) }
}
