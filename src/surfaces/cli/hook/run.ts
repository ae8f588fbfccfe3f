/** Runs one hook in a working tree: decides without a lock, then under one, and leaves a failing service alone. */
import { DeconflictError } from '../../../client/error.ts'
import { findConnection } from '../connection.ts'
import { Git } from '../git.ts'
import {
  branchKey,
  hasActivity,
  type LocalState,
  NO_STATE,
  readState,
  stateDirectory,
  writeState,
} from '../local-state.ts'
import { LockTimeout, withLock } from '../lock.ts'
import type { Runtime } from '../runtime.ts'
import { findWorkspace, type Workspace } from '../workspace.ts'
import { isRefusal } from './creation.ts'
import {
  archiveEndings,
  type Ending,
  endSession,
  endSubagent,
  keyOf,
  readPendingEndings,
  savePendingEndings,
  takeOver,
} from './ending.ts'
import type { WorkingTree } from './git-directory.ts'
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
  /** In the working directory of the agent. */
  runtime: Pick<Runtime, 'env' | 'cwd' | 'stderr'>
  options: HookOptions
  tree: WorkingTree
  input: HookInput
  situation: Situation
  /** Milliseconds for locks, git and requests. */
  left_ms(): number
}

/** After a failure of the service, no hook of the working tree asks it for this long. */
const PAUSE_MS = 60_000
const PAUSE_MAX_MS = 3_600_000

/** `outcome`: see `HookRecord`. */
interface Result {
  message: string
  outcome: 'ok' | 'quiet' | 'paused'
}

const QUIET: Result = { message: '', outcome: 'quiet' }
const PAUSED: Result = { message: '', outcome: 'paused' }

/** Throws if the service or git fails. */
export async function runInTree(run: HookRun): Promise<Result> {
  const { tree, input, situation } = run
  const key = keyOf(input)
  const { event } = situation
  const isEnd = event === 'session-end' || event === 'subagent-end'
  if (!isEnd && planFor(situation, readState(tree.git_directory, key)) === null) return QUIET
  if (!isEnd && isPaused(run)) return PAUSED
  const lock = { directory: stateDirectory(tree.git_directory), key, timeout_ms: run.left_ms() }
  // An agent edits files in parallel, and runs a hook for each edit.
  return withLock(lock, async () => {
    if (!isEnd) return isPaused(run) ? PAUSED : work(run, key)
    const [first, ...others] = savePendingEndings(tree, endingsFor(run, key))
    if (first === undefined) return QUIET
    if (isPaused(run)) return PAUSED
    const { workspace } = await findPlace(run, first.state)
    await archiveEndings(await connect(run, workspace), workspace, [first, ...others])
    return { message: '', outcome: 'ok' }
  })
}

async function work(run: HookRun, key: string): Promise<Result> {
  const { tree, situation, options } = run
  const { git_directory } = tree
  const state = initialState(run, key)
  // Another hook of the session may have done it while this one waited for the lock.
  const plan = planFor(situation, state)
  if (plan === null) return QUIET
  const { workspace, actor } = await findPlace(run, plan.has_switched ? NO_STATE : state)
  let connection: Promise<HookClient> | undefined
  const { git: _, git_directory: __, ...known } = workspace
  const save = (next: LocalState) => writeState(git_directory, key, { ...next, place: { ...known, actor } })
  const context = {
    ...{ situation, workspace, actor, save, left_ms: run.left_ms, without_titles: options.without_titles },
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

/** A new session goes on with the one before it, or with the activity that `deconflict start` created for the branch. */
function initialState({ tree, situation, input }: HookRun, key: string): LocalState {
  const { git_directory } = tree
  const own = readState(git_directory, key)
  if (hasActivity(own)) return own
  const before = takeOver(git_directory, input.reason, situation.now)
  if (before) {
    // It is deleted where it was.
    writeState(git_directory, key, before)
    return before
  }
  const { branch = null } = situation
  const started = branch === null ? NO_STATE : readState(git_directory, branchKey(branch))
  return started.activity_id === null ? NO_STATE : { ...started, is_borrowed: true }
}

/** From the state of the session, else from git. */
async function findPlace(
  { runtime, tree, options, situation }: HookRun,
  { place }: Pick<LocalState, 'place'>,
): Promise<{ workspace: Workspace; actor: string }> {
  const git = new Git(runtime.cwd, runtime.env)
  const isCurrent = place !== null && place.branch === situation.branch && situation.event !== 'session-start'
  if (isCurrent) {
    const { actor, ...known } = place
    return { workspace: { ...known, git, git_directory: tree.git_directory }, actor }
  }
  const { git_directory } = tree
  const { branch } = situation
  const known = branch === undefined ? undefined : { git_directory, branch: branch ?? undefined }
  const [workspace, name] = await Promise.all([
    findWorkspace(runtime, { repo: options.repo, tree: known }),
    git.config('user.name'),
  ])
  return { workspace, actor: name || runtime.env.USER || runtime.env.USERNAME || 'unknown' }
}

/** The host of a remote is checked once in each working tree. */
async function connect(run: HookRun, workspace: Workspace): Promise<HookClient> {
  const { runtime, options, tree, left_ms } = run
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

function endingsFor({ tree, input, situation }: HookRun, key: string): Ending[] {
  return situation.event === 'session-end' ? endSession(tree, key, input) : endSubagent(tree, key, input)
}

function isPaused({ tree, runtime, options, situation }: HookRun): boolean {
  const { paused } = readRecord(tree.git_directory)
  return paused !== null && paused.url === urlOf({ runtime, options }) && situation.now < paused.until
}

/** Leaves the service alone for a minute, unless it refused a request for its content, or another hook was too slow. */
export function pauseAfter(run: HookRun, error: unknown): void {
  if (error instanceof LockTimeout) return
  if (isRefusal(error)) return
  const { retry_after = null } = error instanceof DeconflictError ? error : {}
  const pause_ms = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MS, (retry_after ?? 0) * 1000))
  const until = run.situation.now + pause_ms
  const why = (error as Error).message
  updateRecord(run.tree.git_directory, { paused: { until, url: urlOf(run), why } })
}

/** Another address is worth a request at once. */
function urlOf({ runtime, options }: Pick<HookRun, 'runtime' | 'options'>): string {
  return options.url ?? runtime.env.DECONFLICT_URL ?? ''
}
