/** The activity of one agent session: created, kept up to date with the files that the agent changes, and compared. */
import { DeconflictError } from '../../client/client-error.ts'
import { type ChangedFiles, readChangedFiles } from '../../git/working-tree-files.ts'
import type { OutputOf } from '../../vocabulary/contract/contract.ts'
import { PATHS_MAX } from '../../vocabulary/scope/limits.ts'
import { withChanges } from '../given-scope.ts'
import { type LocalState, NO_STATE } from '../local-state.ts'
import { create, finishCreate, hashOf, titleFor } from './creation.ts'
import type { HookClient } from './hook-client.ts'
import { hearIssue, issueFor } from './issue.ts'
import type { Place } from './message.ts'
import { freshPlaces, type Places, placesOf, placesOfBrief, warn } from './places.ts'
import { comparedKey, hasNewContext, type Plan, type Situation } from './plan.ts'
import type { Found, SessionContext, StepResult } from './session-context.ts'
import { sessionStateOf } from './session-state.ts'

const COMPARED_MAX = 500
/** Git gets at most this share of the remaining time. */
const GIT_SHARE = 0.5
const NOTHING: Found = { places: [], others: [] }

/** Carries out `plan`. Returns the state to store for the next hook, and the message for the agent, which may be empty. */
export async function workOn(
  context: SessionContext,
  plan: Plan,
  given: LocalState,
): Promise<{ state: LocalState; message: string }> {
  const { situation, without_titles } = context
  const before = hasNewContext(situation)
    ? { ...given, warned: [], compared: {}, is_issue_due: given.issue !== null, knows_ways_on: false }
    : given
  const sendsRequest = before.activity_id === null || plan.is_heartbeat_due || plan.compared.length > 0
  const [changed, state] = await Promise.all([
    changedFiles(context, plan, before),
    finishCreate(context, before),
    sendsRequest && context.connect(),
  ])
  const [kept, compared] = await Promise.all([
    sessionStateOf(state) === 'none'
      ? create(context, { paths: plan.added, changed, state })
      : keep(context, { plan, changed, state }),
    compare(context, plan.compared, changed),
  ])
  const next = { ...kept.state, compared: withCompared(kept.state.compared, situation, plan.compared) }
  const places = [...compared.places, ...kept.found.places].filter(
    (place) => place.id !== next.activity_id && !isBeneathFile(place, situation, next),
  )
  const fresh = freshPlaces(places, next, situation.subagent)
  if (!situation.is_heard)
    return {
      state: { ...next, has_unread_overlap: next.has_unread_overlap || fresh.length > 0 },
      message: '',
    }
  const told = { ...next, has_unread_overlap: false }
  const news = await hearIssue(context, { state: told, fresh }, kept.found.issue)
  if (news.fresh.length === 0) return { state: news.state, message: news.sentence }
  const client = await context.connect()
  const known = new Map([...compared.others, ...kept.found.others])
  const options = { client, at: context.at, subagent: situation.subagent, known, without_titles }
  const { state: warned, message } = await warn(news.fresh, news.state, options)
  return { state: warned, message: [news.sentence, message].filter(Boolean).join('\n') }
}

/** Whether a place is beneath a path that is a file. The service treats each path of a scope as a directory too. */
function isBeneathFile({ path }: Place, { edits }: Situation, { paths, is_borrowed }: LocalState): boolean {
  return [...edits, ...(is_borrowed ? [] : paths)].some((file) => path?.startsWith(`${file}/`))
}

interface KeepFields {
  plan: Plan
  changed: ChangedFiles | undefined
  state: LocalState
}

/** Updates the activity, or sends a heartbeat, or neither. If the activity is closed or deleted, creates another one. */
async function keep(context: SessionContext, fields: KeepFields): Promise<StepResult> {
  const { plan, changed, state } = fields
  const isChanged = changed !== undefined && (await hashOf(changed)) !== state.changes_hash
  const isUpdate =
    isChanged || plan.added.length > 0 || plan.has_switched || issueFor(context, state) !== state.issue
  if (!isUpdate && !plan.is_heartbeat_due) return { state, found: NOTHING }
  try {
    return isUpdate ? await update(context, fields) : await heartbeat(context, state)
  } catch (error) {
    const isClosed =
      error instanceof DeconflictError && ['not_found', 'invalid_transition'].includes(error.type)
    if (!isClosed) throw error
    const paths = [...state.paths, ...plan.added].slice(0, PATHS_MAX)
    return create(context, {
      paths,
      changed,
      state: { ...NO_STATE, workspace: state.workspace, issue: state.issue },
    })
  }
}

/** Replaces the scope, and the branch after a switch. If git does not answer in time, the scope stays as it is. */
async function update(context: SessionContext, { plan, changed, state }: KeepFields): Promise<StepResult> {
  const { branch, own_branch, base_branch } = context.workspace
  const id = state.activity_id as string
  const client = await context.connect()
  const issue = issueFor(context, state)
  const isMoved = issue !== state.issue
  const declared = await declaredScope(context, client, state)
  const paths = [...new Set([...declared.paths, ...plan.added])].slice(0, PATHS_MAX)
  const input = {
    heartbeat: true,
    ...(changed && withChanges({ areas: declared.areas, paths }, changed)),
    ...(plan.has_switched && { branch: own_branch, base_branch }),
    ...(isMoved && { issue }),
    ...(plan.has_switched && !state.is_borrowed && { title: titleFor(branch) }),
  }
  const { overlap } = await client.updateActivity({ ...context.at, id, input })
  const sent = changed && { paths, areas: declared.areas, changes_hash: await hashOf(changed) }
  return {
    state: {
      ...state,
      branch,
      heartbeat_at: context.situation.now,
      issue,
      is_issue_due: isMoved || state.is_issue_due,
      ...sent,
    },
    found: placesOfBrief(overlap, context.own()),
  }
}

async function heartbeat(context: SessionContext, state: LocalState): Promise<StepResult> {
  const id = state.activity_id as string
  const client = await context.connect()
  const { overlap } = await client.heartbeatActivity({ ...context.at, id })
  return {
    state: { ...state, heartbeat_at: context.situation.now },
    found: placesOfBrief(overlap, context.own()),
  }
}

/** The paths and areas of the activity. Those of an activity of `deconflict start` are read from the service, to keep them. */
async function declaredScope(
  context: SessionContext,
  client: HookClient,
  { areas, paths, is_borrowed, activity_id }: LocalState,
): Promise<Pick<OutputOf<'getActivity'>['scope'], 'areas' | 'paths'>> {
  if (areas !== null || !is_borrowed) return { areas: areas ?? [], paths }
  return (await client.getActivity({ ...context.at, id: activity_id as string })).scope
}

/** Compares files that the agent reads or edits, by their lines if it has changed them, without adding them to its activity. */
async function compare(
  context: SessionContext,
  files: string[],
  changed: ChangedFiles | undefined,
): Promise<Places> {
  if (files.length === 0) return { places: [], others: [] }
  const client = await context.connect()
  const { own_branch, base_branch } = context.workspace
  // Sent as changes: a path of a scope would also cover everything beneath it.
  const changes = files.map((path) => changed?.changes.find((each) => each.path === path) ?? { path })
  const { base_sha } = changed ?? {}
  const input = { branch: own_branch, base_branch, base_sha, scope: { areas: [], paths: [], changes } }
  const overlap = await client.checkOverlap({ ...context.at, input })
  return placesOf(overlap, context.own())
}

/** Adds `files`, compared now, to the files that were compared. */
function withCompared(
  compared: LocalState['compared'],
  { subagent, now }: Situation,
  files: string[],
): LocalState['compared'] {
  const added = files.map((file): [string, number] => [comparedKey(subagent, file), now])
  const others = Object.entries(compared).filter(([key]) => !added.some(([name]) => name === key))
  return Object.fromEntries([...others, ...added].slice(-COMPARED_MAX))
}

/** The changed files; undefined if this hook does not need them, or if git does not answer in time. */
async function changedFiles(
  { workspace, left_ms }: SessionContext,
  { added, compared, is_refresh, has_switched }: Plan,
  { activity_id }: LocalState,
): Promise<ChangedFiles | undefined> {
  const isNeeded = added.length + compared.length > 0 || is_refresh || has_switched
  if (activity_id !== null && !isNeeded) return undefined
  const { git, diff_base: base, remote } = workspace
  return readChangedFiles(git, { base, remote, staged_only: false, timeout_ms: left_ms() * GIT_SHARE })
}
