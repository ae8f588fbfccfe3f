/** The activity of one agent session: created, kept up to date with the files that the agent changes, and compared. */
import { DeconflictError } from '../../client/client-error.ts'
import { type ChangedFiles, readChangedFiles, withChanges } from '../../git/working-tree-files.ts'
import { PATHS_MAX } from '../../vocabulary/scope/limits.ts'
import { OTHERS_SHOWN_MAX } from '../../vocabulary/shown.ts'
import { hasActivity, type LocalState, NO_WORK } from '../local-state.ts'
import { goOn } from '../tree-work.ts'
import { create, sentOf, titleFor } from './creation.ts'
import type { HookClient } from './hook-client.ts'
import { hearIssue, issueFor } from './issue.ts'
import { AWAY, goneText, MESSAGE_MAX, type Place } from './message.ts'
import {
  type Found,
  freshPlaces,
  NOTHING,
  placesOf,
  placesOfBrief,
  type SessionContext,
  type StepResult,
  warn,
  workKey,
} from './places.ts'
import { comparedKey, hasNewContext, type Plan, type Situation } from './plan.ts'
import { endOf, type Gone, withoutGone } from './waiting.ts'

const COMPARED_MAX = 500
/** Git gets at most this share of the remaining time. */
const GIT_SHARE = 0.5

/**
 * Carries out `plan`. Returns the state to store for the next hook, and the message for the agent, which may be empty. While the
 * service is away, compares what the agent changes and reads with other work of the clone, and declares nothing.
 */
export async function workOn(
  context: SessionContext,
  plan: Plan,
  given: LocalState,
): Promise<{ state: LocalState; message: string }> {
  const { situation, is_away } = context
  const before = hasNewContext(situation)
    ? {
        ...{ ...given, warned: [], waits_for: {}, compared: {}, knows_ways_on: false },
        is_issue_due: given.issue !== null,
      }
    : given
  const sendsRequest =
    before.activity_id === null || plan.is_heartbeat_due || plan.is_asked || plan.compared.length > 0
  const [changed] = await Promise.all([
    changedFiles(context, plan, before),
    sendsRequest && context.connect(),
  ])
  const own = (is_away && changed?.changes.map(({ path }) => path)) || []
  const fields = { plan, paths: plan.added, changed, state: before }
  const declare = hasActivity(before) ? keep : create
  const [kept, compared] = await Promise.all([
    is_away ? { state: before, found: NOTHING } : declare(context, fields),
    compare(context, [...new Set([...plan.compared, ...own])], { changed, state: before }),
  ])
  const next = is_away
    ? before
    : { ...kept.state, compared: withCompared(kept.state.compared, situation, plan.compared) }
  const { related } = kept.found
  const left =
    situation.is_heard && related
      ? await findLeft(context, next, { related, changed })
      : { ...NOTHING, gone: [] }
  const places = [...compared.places, ...kept.found.places, ...left.places].filter(
    (place) => place.id !== next.activity_id && !isBeneathFile(place, situation, next),
  )
  const fresh = freshPlaces(places, next, situation.subagent)
  const has_unread_overlap = next.has_unread_overlap || fresh.length > 0
  if (!situation.is_heard) return { state: { ...next, has_unread_overlap }, message: '' }
  const told = { ...withoutGone(next, left.gone), has_unread_overlap: is_away && next.has_unread_overlap }
  const news = is_away
    ? { state: told, fresh, sentence: '' }
    : await hearIssue(context, { state: told, fresh }, kept.found.issue)
  const sentences = [...left.gone.map(({ text }) => text), news.sentence].filter(Boolean)
  if (news.fresh.length === 0) return { state: news.state, message: sentences.join('\n') }
  const known = new Map([...compared.others, ...kept.found.others, ...left.others])
  const end = is_away ? [AWAY] : []
  const max = MESSAGE_MAX - [...sentences, ...end].join('\n').length
  const { state, message } = await warn(context, news.fresh, { state: news.state, known, max })
  return { state, message: [...sentences, ...(message ? [message, ...end] : [])].join('\n') }
}

/** What is no longer in the way of an agent that was told to wait for it. */
type Left = Found & { gone: Gone[] }

/** Looks where the agent was told of work that does not overlap with its activity now: it may have only read the file. */
async function findLeft(
  context: SessionContext,
  state: LocalState,
  { related, changed }: { related: readonly string[]; changed: ChangedFiles | undefined },
): Promise<Left> {
  const waiting = Object.entries(state.waits_for).filter(([id]) => !related.includes(id))
  if (waiting.length === 0) return { ...NOTHING, gone: [] }
  const paths = new Set(waiting.map(([, { path }]) => path))
  const found = await compare(context, [...paths], { changed, state })
  // What could not be looked at is not gone.
  if (found.related === undefined) return { ...found, gone: [] }
  const left = waiting.filter(([id]) => !found.related?.includes(id)).slice(0, OTHERS_SHOWN_MAX)
  const gone = left.map(async ([id, { path, who, key }]): Promise<Gone[]> => {
    const next = found.places.find((place) => place.path === path && workKey(place) === key)
    if (next) return [{ id, text: '', next_id: next.id }]
    const end = await endOf(context, id)
    return end ? [{ id, text: goneText(who, end, context) }] : []
  })
  return { ...found, gone: (await Promise.all(gone)).flat() }
}

/** Whether a place is beneath a path that is a file. The service treats each path of a scope as a directory too. */
function isBeneathFile({ path }: Place, { edits }: Situation, { paths, is_declared }: LocalState): boolean {
  return [...edits, ...(is_declared ? [] : paths)].some((file) => path?.startsWith(`${file}/`))
}

interface KeepFields {
  plan: Plan
  changed: ChangedFiles | undefined
  state: LocalState
}

/** Updates the activity, or sends a heartbeat, or neither. If the activity is closed or deleted, creates another one. */
async function keep(context: SessionContext, fields: KeepFields): Promise<StepResult> {
  const { plan, changed, state } = fields
  const { changes_hash } = await sentOf(changed)
  const issue = issueFor(context, state)
  const isMoved = issue !== state.issue
  const isUpdate =
    (changed !== undefined && changes_hash !== state.changes_hash) ||
    plan.added.length > 0 ||
    plan.has_switched ||
    isMoved
  if (!isUpdate && !plan.is_heartbeat_due)
    return plan.is_asked ? ask(context, fields) : { state, found: NOTHING }
  const client = await context.connect()
  const { areas, paths } = isUpdate ? await declaredScope(context, client, state) : state
  // Of a session that has ended, what was merged or taken back is no claim; what differs is among the changed files.
  const claimed = state.is_paused && !state.is_declared ? [] : paths
  const sent = changed && isUpdate && { areas, ...(await sentOf(changed)), paths: withAdded(claimed, plan) }
  const { branch, own_branch, base_branch } = context.workspace
  const changes = {
    ...(sent && withChanges({ areas: sent.areas ?? [], paths: sent.paths }, changed)),
    ...(plan.has_switched && { branch: own_branch, base_branch }),
    ...(isMoved && { issue }),
    ...(plan.has_switched && !state.is_declared && { title: titleFor(branch) }),
  }
  const answer = await goOn(client, context.at, { work: state, changes })
  if (answer === null) return createAgain(context, fields)
  const alive = { is_paused: false, ending: null, pending: null, heartbeat_at: context.situation.now }
  return {
    state: {
      ...{ ...state, ...alive, activity_id: answer.id, branch, issue, ...sent },
      is_issue_due: isMoved || state.is_issue_due,
    },
    found: placesOfBrief(answer.overlap, context.isInTree),
  }
}

/** Asks who came or went since the last prompt: one short request while nothing changed. */
async function ask(context: SessionContext, fields: KeepFields): Promise<StepResult> {
  const { state } = fields
  const client = await context.connect()
  // What an agent of a clone waits for can be gone while its own overlap is what it was.
  const isWaiting = client.is_of_clone && Object.keys(state.waits_for).length > 0
  const known = isWaiting ? null : state.seen
  const request = { ...context.at, id: state.activity_id as string, known }
  const answer = await client.getChanged(request).catch(isGone)
  if (answer === null) return { state, found: NOTHING }
  if (!answer?.overlap) return createAgain(context, fields)
  return { state: { ...state, seen: answer.etag }, found: placesOfBrief(answer.overlap, context.isInTree) }
}

/** Creates another activity in place of one that has ended. */
function createAgain(context: SessionContext, { plan, changed, state }: KeepFields): Promise<StepResult> {
  const lost = { ...state, ...NO_WORK, issue: state.issue }
  return create(context, { paths: withAdded(state.paths, plan), changed, state: lost })
}

function withAdded(paths: readonly string[], { added }: Plan): string[] {
  return [...new Set([...paths, ...added])].slice(0, PATHS_MAX)
}

/** The paths and areas of the activity: those that another program declared are read from the service, to keep them. */
async function declaredScope(
  context: SessionContext,
  client: HookClient,
  { areas, paths, activity_id }: LocalState,
): Promise<Pick<LocalState, 'areas' | 'paths'>> {
  if (areas !== null) return { areas, paths }
  const stored = await client.getActivity({ ...context.at, id: activity_id as string }).catch(isGone)
  return stored?.scope ?? { areas: [], paths }
}

/** An activity that was deleted has no scope any more. */
function isGone(error: unknown): undefined {
  if (!(error instanceof DeconflictError) || error.type !== 'not_found') throw error
}

/** Compares files that the agent reads or edits, by their lines if it has changed them, without adding them to its activity. */
async function compare(
  context: SessionContext,
  files: string[],
  { changed, state: { activity_id } }: Pick<KeepFields, 'changed' | 'state'>,
): Promise<Found> {
  if (files.length === 0) return NOTHING
  const client = await context.connect()
  const { own_branch, base_branch } = context.workspace
  // Sent as changes: a path of a scope would also cover everything beneath it.
  const changes = files
    .slice(0, COMPARED_MAX)
    .map((path) => changed?.changes.find((each) => each.path === path) ?? { path })
  const { base_sha } = changed ?? {}
  const scope = { areas: [], paths: [], changes }
  const input = { branch: own_branch, base_branch, activity_id, base_sha, scope }
  const overlap = await client.checkOverlap({ ...context.at, input })
  const found = placesOf(overlap, context.isInTree)
  // An answer that does not say so counts as complete: a hook must not fail because of it.
  return overlap.checked_against?.complete === false ? { ...found, related: undefined } : found
}

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
  { workspace, left_ms, is_away }: SessionContext,
  { added, compared, is_refresh, has_switched }: Plan,
  { activity_id, changed_paths }: LocalState,
): Promise<ChangedFiles | undefined> {
  const isKnown = compared.some((file) => changed_paths.includes(file))
  const isNeeded = added.length > 0 || isKnown || is_refresh || has_switched || is_away
  if (activity_id !== null && !isNeeded) return undefined
  const { git, diff_base: base, remote } = workspace
  return readChangedFiles(git, { base, remote, timeout_ms: left_ms() * GIT_SHARE })
}
