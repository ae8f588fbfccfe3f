/**
 * Runs one hook in a working tree. Most hooks find without a lock that there is nothing to do; the others decide again under
 * the lock of their session. After a failure of the service, hooks send no requests for a while.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DeconflictError } from '../../client/client-error.ts'
import { Git } from '../../git/git.ts'
import { readHead, type WorkingTree } from '../../git/git-directory.ts'
import { LockTimeout, withLock } from '../../git/lock.ts'
import { sanitize } from '../../vocabulary/text.ts'
import { isLocal, openLocal } from '../local-mode.ts'
import {
  deleteOldSessions,
  deleteWork,
  fileName,
  hasActivity,
  type LocalState,
  NO_SESSION,
  readRecord,
  readSession,
  readSessions,
  readWork,
  type Session,
  stateDirectory,
  updateRecord,
  writeSession,
  writeWork,
} from '../local-state.ts'
import type { Runtime } from '../runtime.ts'
import { findConnection, readUrl } from '../service-connection.ts'
import { findWorkspace, type Workspace } from '../workspace.ts'
import { checkoutNews } from './checkout.ts'
import { isRefusal } from './creation.ts'
import { endingOf, endingsIn, endSessions, keyOf, sendEndings } from './ending.ts'
import { createHookClient, type HookClient, overClone, sendWithHttp } from './hook-client.ts'
import type { HookInput } from './payload.ts'
import { type Plan, planFor, type Situation } from './plan.ts'
import { workOn } from './session.ts'

export interface HookOptions {
  url?: string
  repo?: string
  insecure?: boolean
  without_titles: boolean
}

export interface HookRun {
  runtime: Runtime
  /** The working directory of the agent, or the root of another working tree in which it edits. */
  cwd: string
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
 * Runs the hook. An end stores what is to be sent before it sends anything, so that a later hook can. Throws if the service or
 * git fails.
 */
export async function runInTree(run: HookRun): Promise<Result> {
  const { tree, input, situation, runtime } = run
  const { git_directory } = tree
  const key = keyOf(input)
  const { event } = situation
  const isEnd = event === 'session-end' || event === 'subagent-end'
  if (event === 'session-start') deleteOldSessions(git_directory, situation.now)
  if (!isEnd && planFor(situation, stateOf(run, key)) === null) return QUIET
  if (!isEnd && isPaused(run) && !situation.is_heard) return PAUSED
  // Agents edit files in parallel and run a hook for each edit, and sessions of one working tree share its work.
  const lock = { directory: stateDirectory(git_directory), key: 'hooks', timeout_ms: run.left_ms() }
  return withLock(lock, async () => {
    if (!isEnd) return work(run, key)
    const [ended] = await endSessions({ tree, input, situation, env: runtime.env }, key)
    if (ended === undefined || endingsIn(run).length === 0) return QUIET
    if (isPaused(run)) return PAUSED
    const workspace = await workspaceOf(run, ended)
    await sendEndings(await connect(run, workspace), workspace, run)
    return { message: '', outcome: 'ok' }
  })
}

async function work(run: HookRun, key: string): Promise<Result> {
  const { tree, input, runtime, situation, options } = run
  const { git_directory } = tree
  const before = stateOf(run, key)
  // Another hook of the session may have done the work while this one waited for the lock.
  if (planFor(situation, before) === null) return QUIET
  const workspace = await workspaceOf(run, before)
  const state = await enterBranch(run, { key, before, workspace })
  const plan = planFor(situation, state) as Plan
  const here = { branch: workspace.branch, head: readHead(tree) }
  const others = readSessions(git_directory).filter((each) => each.key !== fileName(key))
  const { presence, sentences } = checkoutNews(before, others, { situation, here })
  const is_away = isPaused(run)
  let connection: Promise<HookClient> | undefined
  const { git: _, tree: __, ...known } = workspace
  const save = (next: LocalState) => {
    if (next.branch !== state.branch) deleteWork(git_directory, state.branch)
    if (hasActivity(next)) writeWork(git_directory, next)
    else deleteWork(git_directory, next.branch)
    writeSession(git_directory, key, { ...next, workspace: known })
  }
  const context = {
    ...{ situation, workspace, at: { owner: workspace.owner, repo: workspace.repo }, save },
    ...{ left_ms: run.left_ms, without_titles: options.without_titles, is_away },
    isInTree: (path: string) => existsSync(join(tree.root, path)),
    connect: () => {
      connection ??= is_away ? connectToClone(run, workspace) : connect(run, workspace)
      return connection
    },
  }
  const isNew =
    situation.event === 'session-start' || readSession(git_directory, key)?.branch !== state.branch
  if (isNew && !is_away && endingsIn(run).length > 0)
    await sendEndings(await context.connect(), context.at, run)
  // What was sent has paused or ended it.
  const now = { ...state, ...readWork(git_directory, state.branch) }
  const { message, state: next } = await workOn(context, plan, now)
  save({ ...next, ...presence })
  const where = run.cwd === (input.cwd ?? runtime.cwd) ? '' : `, in ${sanitize(tree.root)}`
  const text = [...sentences.map((each) => `Deconflict${where}: ${each}`), message].filter(Boolean).join('\n')
  return { message: text, outcome: is_away ? 'paused' : 'ok' }
}

/** The state of the session, with the work on the branch that is checked out, else that on the branch where it was before. */
function stateOf({ tree, situation }: HookRun, key: string): LocalState {
  const { git_directory } = tree
  const session = readSession(git_directory, key)
  const { branch = session?.branch ?? null, subagent } = situation
  const here = readWork(git_directory, branch)
  if (!session) return { ...NO_SESSION, subagent, ...here }
  const is_moved = !hasActivity(here) && session.branch !== branch
  return { ...session, ...(is_moved ? readWork(git_directory, session.branch) : here) }
}

/**
 * The state on the branch that is checked out now. The work moves there with the session, unless its branch has commits that
 * this one has not, or this one has work of its own: then it waits.
 */
async function enterBranch(
  { tree: { git_directory } }: HookRun,
  { key, before, workspace }: { key: string; before: LocalState; workspace: Workspace },
): Promise<LocalState> {
  const { branch, git } = workspace
  const here = { ...before, ...readWork(git_directory, branch) }
  const session = readSession(git_directory, key)
  if (!session || session.branch === branch) return here
  const left = readWork(git_directory, session.branch)
  if (!hasActivity(left)) return here
  const own_branch = session.workspace?.own_branch ?? null
  const more =
    own_branch && (await git.output(['rev-list', '-1', `refs/heads/${own_branch}`, '--not', 'HEAD']))
  if (!hasActivity(here) && !more) return before
  const end = { is_continued: false, is_unmerged: Boolean(more), is_declared: left.is_declared }
  writeWork(git_directory, { ...left, ending: endingOf(end) })
  return here
}

/** The workspace: from the state of the session if it is of the same branch, else from git. */
async function workspaceOf(
  { runtime, cwd, tree, options, situation }: HookRun,
  { workspace: stored }: Pick<Session, 'workspace'>,
): Promise<Workspace> {
  const isCurrent =
    stored !== null && stored.branch === situation.branch && situation.event !== 'session-start'
  if (isCurrent) return { ...stored, git: new Git(cwd, runtime.env), tree }
  const is_local = isLocal(runtime, options)
  return findWorkspace({ env: runtime.env, cwd }, { repo: options.repo, tree, is_local })
}

/** Connects to the service. Whether the remote is on its GitHub host is checked once in each working tree. */
async function connect(run: HookRun, workspace: Workspace): Promise<HookClient> {
  const { runtime, options, tree, left_ms } = run
  if (isLocal(runtime, options) || workspace.is_unknown) return connectToClone(run, workspace)
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

async function connectToClone({ runtime, left_ms }: HookRun, workspace: Workspace): Promise<HookClient> {
  // A hook asks several questions about one moment.
  const git = workspace.git.atOneMoment()
  return overClone(await openLocal(runtime, { ...workspace, git }, { left_ms }))
}

function isPaused({ tree, runtime, options, situation }: HookRun): boolean {
  const { paused } = readRecord(tree.git_directory)
  // Of another address, the next hook sends requests at once.
  return paused?.url === (readUrl(runtime.env, options) ?? '') && situation.now < paused.until
}

/** Starts the pause after a failure of the service: not after a request that it refused, nor after a lock that another hook held. */
export function pauseAfter(run: HookRun, error: unknown): void {
  if (isLocal(run.runtime, run.options) || error instanceof LockTimeout || isRefusal(error)) return
  const { retry_after = null } = error instanceof DeconflictError ? error : {}
  const pause_ms = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MS, (retry_after ?? 0) * 1000))
  const until = run.situation.now + pause_ms
  const url = readUrl(run.runtime.env, run.options) ?? ''
  updateRecord(run.tree.git_directory, { paused: { until, url, why: (error as Error).message } })
}
