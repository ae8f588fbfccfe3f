/**
 * Runs one hook in a working tree. Most hooks find without a lock that there is nothing to do; the others decide again under
 * the lock of their session. After a failure of the service, hooks send no requests for a while.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DeconflictError } from '../../client/client-error.ts'
import { Git } from '../../git/git.ts'
import type { WorkingTree } from '../../git/git-directory.ts'
import { LockTimeout, withLock } from '../../git/lock.ts'
import { systemClock } from '../../vocabulary/clock.ts'
import { isLocal, openLocal } from '../local-mode.ts'
import {
  branchKey,
  deleteOldSessions,
  hasActivity,
  type LocalState,
  NO_STATE,
  readState,
  stateDirectory,
  writeState,
} from '../local-state.ts'
import { ownActivityIds } from '../own-activities.ts'
import type { Runtime } from '../runtime.ts'
import { findConnection } from '../service-connection.ts'
import { findWorkspace, type Workspace } from '../workspace.ts'
import { isRefusal } from './creation.ts'
import {
  archiveEndings,
  endSession,
  endSubagent,
  keyOf,
  readPendingEndings,
  savePendingEndings,
  takeOver,
} from './ending.ts'
import { createHookClient, type HookClient } from './hook-client.ts'
import { sendWithHttp } from './http.ts'
import type { HookInput } from './payload.ts'
import { planFor, type Situation } from './plan.ts'
import { readRecord, updateRecord } from './record.ts'
import { workOn } from './session.ts'

export interface HookOptions {
  url?: string
  repo?: string
  insecure?: boolean
  without_titles: boolean
}

export interface HookRun {
  /** `cwd` is the working directory of the agent. */
  runtime: Pick<Runtime, 'env' | 'cwd' | 'stderr'>
  options: HookOptions
  tree: WorkingTree
  input: HookInput
  situation: Situation
  /** Milliseconds for locks, git and requests. */
  left_ms(): number
}

/** How long the hooks of a working tree send no requests after a failure of the service, unless it sends `Retry-After`. */
const PAUSE_MS = 60_000
const PAUSE_MAX_MS = 3_600_000

/** `outcome`: see `HookRecord`. */
interface Result {
  message: string
  outcome: 'ok' | 'quiet' | 'paused'
}

const QUIET: Result = { message: '', outcome: 'quiet' }
const PAUSED: Result = { message: '', outcome: 'paused' }

/**
 * Runs the hook; `session-state.ts` lists what it does in which state. An end stores the activities to archive before it sends
 * anything, so that a later hook can archive them. Throws if the service or git fails.
 */
export async function runInTree(run: HookRun): Promise<Result> {
  const { tree, input, situation } = run
  const key = keyOf(input)
  const { event } = situation
  const isEnd = event === 'session-end' || event === 'subagent-end'
  if (event === 'session-start') deleteOldSessions(tree.git_directory, situation.now)
  if (!isEnd && planFor(situation, readState(tree.git_directory, key)) === null) return QUIET
  if (!isEnd && isPaused(run)) return PAUSED
  const lock = { directory: stateDirectory(tree.git_directory), key, timeout_ms: run.left_ms() }
  // An agent edits files in parallel, and runs a hook for each edit.
  return withLock(lock, async () => {
    if (!isEnd) return isPaused(run) ? PAUSED : work(run, key)
    const endings = event === 'session-end' ? endSession(tree, key, input) : endSubagent(tree, key, input)
    const [first, ...others] = savePendingEndings(tree, endings)
    if (first === undefined) return QUIET
    if (isPaused(run)) return PAUSED
    const { workspace } = await workspaceAndActor(run, first.state)
    await archiveEndings(await connect(run, workspace), workspace, [first, ...others])
    return { message: '', outcome: 'ok' }
  })
}

async function work(run: HookRun, key: string): Promise<Result> {
  const { tree, situation, options } = run
  const { git_directory } = tree
  const state = initialState(run, key)
  // Another hook of the session may have done the work while this one waited for the lock.
  const plan = planFor(situation, state)
  if (plan === null) return QUIET
  const { workspace, actor } = await workspaceAndActor(run, plan.has_switched ? NO_STATE : state)
  let connection: Promise<HookClient> | undefined
  const { git: _, git_directory: __, person: ___, ...known } = workspace
  const save = (next: LocalState) =>
    writeState(git_directory, key, { ...next, workspace: { ...known, actor } })
  const context = {
    ...{ situation, workspace, at: { owner: workspace.owner, repo: workspace.repo }, actor, save },
    ...{ left_ms: run.left_ms, without_titles: options.without_titles },
    own: () => ({
      ids: ownActivityIds(workspace),
      isInTree: (path: string) => existsSync(join(tree.root, path)),
    }),
    connect: () => {
      connection ??= connect(run, workspace)
      return connection
    },
  }
  const unfinished = hasActivity(state) ? [] : readPendingEndings(tree, situation.now)
  if (unfinished.length > 0) await archiveEndings(await context.connect(), workspace, unfinished)
  const { message, state: next } = await workOn(context, plan, state)
  save(next)
  return { message, outcome: 'ok' }
}

/**
 * The stored state of the session. A new session continues the activity that the previous session handed over, or else the one
 * that `deconflict start` created for the branch.
 */
function initialState({ tree, situation, input }: HookRun, key: string): LocalState {
  const { git_directory } = tree
  const own = readState(git_directory, key)
  if (hasActivity(own)) return own
  const before = takeOver(git_directory, input.reason, situation.now)
  if (before) {
    // `takeOver` has deleted the state, so it is stored again under the key of this session.
    writeState(git_directory, key, before)
    return before
  }
  const { branch = null } = situation
  const started = branch === null ? NO_STATE : readState(git_directory, branchKey(branch))
  return started.activity_id === null ? NO_STATE : { ...started, is_borrowed: true }
}

/** The workspace and the name of the person: from the state of the session if it is of the same branch, else from git. */
async function workspaceAndActor(
  { runtime, tree, options, situation }: HookRun,
  { workspace: stored }: Pick<LocalState, 'workspace'>,
): Promise<{ workspace: Workspace; actor: string }> {
  const git = new Git(runtime.cwd, runtime.env)
  const isCurrent =
    stored !== null && stored.branch === situation.branch && situation.event !== 'session-start'
  if (isCurrent) {
    const { actor, ...known } = stored
    return { workspace: { ...known, git, git_directory: tree.git_directory, person: actor }, actor }
  }
  const { git_directory } = tree
  const { branch } = situation
  const known = branch === undefined ? undefined : { git_directory, branch: branch ?? undefined }
  const is_local = isLocal(runtime, options)
  const workspace = await findWorkspace(runtime, { repo: options.repo, tree: known, is_local })
  return { workspace, actor: workspace.person || runtime.env.USER || runtime.env.USERNAME || 'unknown' }
}

/** Connects to the service. Whether the remote is on its GitHub host is checked once in each working tree. */
async function connect(run: HookRun, workspace: Workspace): Promise<HookClient> {
  const { runtime, options, tree, left_ms } = run
  if (isLocal(runtime, options)) return openLocal({ ...runtime, clock: systemClock }, workspace, { left_ms })
  const { host, owner, repo, is_named } = workspace
  const { known_host } = readRecord(tree.git_directory)
  const { url, insecure } = options
  const fetch = sendWithHttp as typeof globalThis.fetch
  const limits = { url, insecure, attempts: 1, budget_ms: left_ms(), fetch }
  const identity = (base_url: string) => `${base_url} ${host}/${owner}/${repo}`
  const connection = await findConnection(runtime, workspace, {
    ...limits,
    isKnownHost: (base_url) => known_host === identity(base_url),
  })
  if (!is_named && known_host !== identity(connection.base_url))
    updateRecord(tree.git_directory, { known_host: identity(connection.base_url) })
  return createHookClient(connection)
}

function isPaused({ tree, runtime, options, situation }: HookRun): boolean {
  const { paused } = readRecord(tree.git_directory)
  return paused !== null && paused.url === urlOf({ runtime, options }) && situation.now < paused.until
}

/** Starts the pause after a failure. A request that the service refused, or a lock that another hook held, is no failure of the service. */
export function pauseAfter(run: HookRun, error: unknown): void {
  if (error instanceof LockTimeout || isRefusal(error)) return
  const { retry_after = null } = error instanceof DeconflictError ? error : {}
  const pause_ms = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MS, (retry_after ?? 0) * 1000))
  const until = run.situation.now + pause_ms
  const why = (error as Error).message
  updateRecord(run.tree.git_directory, { paused: { until, url: urlOf(run), why } })
}

/** The address that a pause is about: if the address changes, the next hook sends requests at once. */
function urlOf({ runtime, options }: Pick<HookRun, 'runtime' | 'options'>): string {
  return options.url ?? runtime.env.DECONFLICT_URL ?? ''
}
