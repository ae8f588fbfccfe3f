/** The end of a session or a subagent: whose activity ends with it, in which working tree. */
import { join } from 'node:path'
import {
  deleteState,
  hasActivity,
  type LocalState,
  namesIn,
  type PendingCreate,
  readSessionStates,
  readState,
  sessionKey,
  stateDirectory,
  writeState,
} from '../local-state.ts'
import { isRefusal, lastSentAt, sendCreate, TTL_MS } from './creation.ts'
import { findTree, type WorkingTree } from './git-directory.ts'
import type { HookClient } from './hook-client.ts'
import type { HookInput } from './payload.ts'

/** After one of these, the next session of the working tree goes on with the activity. */
const HANDING_OVER: readonly string[] = ['clear', 'resume']
/** The session that follows says so. */
const TAKING_OVER: readonly string[] = ['clear', 'resume']
const HANDOVER_KEY = 'handover'
const ENDED_PREFIX = 'ended-'
const ENDINGS_MAX = 20
const TREES_MAX = 200

/** An activity to archive. */
export interface Ending {
  git_directory: string
  state: LocalState
}

/**
 * Ends the session `key` in all working trees of the repository, those of its subagents included. Deletes its state, and
 * returns the activities to archive: none if the next session goes on with them.
 */
export function endSession(tree: WorkingTree, key: string, { reason }: Pick<HookInput, 'reason'>): Ending[] {
  const endings = directoriesOf(tree).flatMap((git_directory) => take(git_directory, key))
  if (!HANDING_OVER.includes(reason)) return endings
  const own = endings.find(({ git_directory }) => git_directory === tree.git_directory)
  if (own) writeState(tree.git_directory, HANDOVER_KEY, own.state)
  return endings.filter((each) => each !== own)
}

/** Ends a subagent in the working tree that it has of its own, or every session of a working tree that is removed. */
export function endSubagent(tree: WorkingTree, key: string, input: HookInput): Ending[] {
  const { subagent, removed_tree } = input
  const removed = removed_tree === undefined ? undefined : findTree(removed_tree)
  if (removed && removed.git_directory !== removed.common_directory)
    return readSessionStates(removed.git_directory).map((state) => ({
      git_directory: removed.git_directory,
      state,
    }))
  if (subagent === null) return []
  return directoriesOf(tree).flatMap((git_directory) =>
    readState(git_directory, key).subagent === subagent ? take(git_directory, key) : [],
  )
}

/** The state of the session before this one, if that ended in favor of this one. */
export function takeOver(git_directory: string, reason: string, now: number): LocalState | undefined {
  if (!TAKING_OVER.includes(reason)) return undefined
  const [ending] = take(git_directory, HANDOVER_KEY)
  return ending && now - lastSentAt(ending.state) < TTL_MS ? ending.state : undefined
}

/** An ending that is stored until the service has carried it out, so that the next session can. */
interface PendingEnding {
  key: string
  directory: string
  state: LocalState
}

/** Stores the endings of activities that the sessions created. */
export function savePendingEndings(
  { common_directory: directory }: WorkingTree,
  endings: Ending[],
): PendingEnding[] {
  const ours = endings.filter(({ state }) => !state.is_borrowed)
  return ours.map(({ state }) => {
    const key = `${ENDED_PREFIX}${state.activity_id ?? state.pending?.idempotency_key}`
    writeState(directory, key, state)
    return { key, directory, state }
  })
}

/** The endings that no hook has carried out. Deletes those of activities that have expired. */
export function readPendingEndings(
  { common_directory: directory }: WorkingTree,
  now: number,
): PendingEnding[] {
  const names = namesIn(stateDirectory(directory)).filter((name) => name.startsWith(ENDED_PREFIX))
  const all = names.slice(0, ENDINGS_MAX).map((name) => {
    const key = decodeURIComponent(name.replace(/\.json$/, ''))
    return { key, directory, state: readState(directory, key) }
  })
  const isCurrent = ({ state }: PendingEnding) => hasActivity(state) && now - lastSentAt(state) < TTL_MS
  for (const each of all) if (!isCurrent(each)) deleteState(directory, each.key)
  return all.filter(isCurrent)
}

/** Archives each activity. The id of one whose create is pending comes from repeating the create. */
export async function archiveEndings(
  client: HookClient,
  { owner, repo }: { owner: string; repo: string },
  endings: PendingEnding[],
): Promise<void> {
  const at = { owner, repo }
  await Promise.all(
    endings.map(async ({ key, directory, state }) => {
      try {
        const id =
          state.activity_id ?? (await sendCreate(client, at, state.pending as PendingCreate)).activity.id
        await client.archiveActivity({ ...at, id })
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
      deleteState(directory, key)
    }),
  )
}

export function keyOf({ session, agent }: Pick<HookInput, 'session' | 'agent'>): string {
  // Sessions of an agent that does not tell them apart are one, in each working tree.
  return sessionKey(session ?? `${agent} without an id`)
}

function take(git_directory: string, key: string): Ending[] {
  const state = readState(git_directory, key)
  if (!hasActivity(state)) return []
  deleteState(git_directory, key)
  return [{ git_directory, state }]
}

/** The git directories of the main working tree and of those linked to it. */
function directoriesOf({ git_directory, common_directory }: WorkingTree): string[] {
  const linked = join(common_directory, 'worktrees')
  const names = namesIn(linked).slice(0, TREES_MAX)
  return [...new Set([git_directory, common_directory, ...names.map((name) => join(linked, name))])]
}
