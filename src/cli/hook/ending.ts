/** The end of a session or a subagent: finds its activities in all working trees of the repository, and archives them. */
import { join } from 'node:path'
import type { WorkingTree } from '../../git/git-directory.ts'
import {
  deleteState,
  hasActivity,
  type LocalState,
  namesIn,
  type PendingCreate,
  readState,
  sessionKey,
  stateDirectory,
  writeState,
} from '../local-state.ts'
import { isRefusal, lastSentAt, sendCreate, TTL_MS } from './creation.ts'
import type { HookClient } from './hook-client.ts'
import type { HookInput } from './payload.ts'
import { atEnd, CONTINUING } from './session-state.ts'

const HANDOVER_KEY = 'handover'
const ENDED_PREFIX = 'ended-'
const ENDINGS_MAX = 20
const TREES_MAX = 200

/**
 * Ends the session `key` in all working trees of the repository, which include those of its subagents. Deletes its state,
 * and returns the states whose activities are to be archived.
 */
export function endSession(tree: WorkingTree, key: string, { reason }: HookInput): LocalState[] {
  const archived: LocalState[] = []
  for (const git_directory of directoriesOf(tree))
    for (const state of take(git_directory, key)) {
      const isContinued = CONTINUING.includes(reason) && git_directory === tree.git_directory
      const action = atEnd(state, { isContinued })
      if (action === 'hand over') writeState(git_directory, HANDOVER_KEY, state)
      if (action === 'archive') archived.push(state)
    }
  return archived
}

/**
 * Ends the subagent in the working tree that it has for itself, if it has one. Returns the states whose activities are to be
 * archived.
 */
export function endSubagent(tree: WorkingTree, key: string, { subagent }: HookInput): LocalState[] {
  const isArchived = (state: LocalState) => atEnd(state, { isContinued: false }) === 'archive'
  if (subagent === null) return []
  const isSubagents = (git_directory: string) => readState(git_directory, key).subagent === subagent
  return directoriesOf(tree)
    .filter(isSubagents)
    .flatMap((git_directory) => take(git_directory, key))
    .filter(isArchived)
}

/** Takes the state that the previous session handed over; undefined if there is none, or if its activity has expired. */
export function takeOver(git_directory: string, reason: string, now: number): LocalState | undefined {
  if (!CONTINUING.includes(reason)) return undefined
  const [handed] = take(git_directory, HANDOVER_KEY)
  return handed && now - lastSentAt(handed) < TTL_MS ? handed : undefined
}

/** An ending that is stored until its activity is archived, so that a later hook can archive it if this one fails. */
interface PendingEnding {
  key: string
  directory: string
  state: LocalState
}

/** Stores endings before anything is sent. */
export function savePendingEndings(
  { common_directory: directory }: WorkingTree,
  states: LocalState[],
): PendingEnding[] {
  return states.map((state) => {
    const key = `${ENDED_PREFIX}${state.activity_id ?? state.pending?.idempotency_key}`
    writeState(directory, key, state)
    return { key, directory, state }
  })
}

/** The stored endings, whose activities no hook has archived yet. Deletes those whose activity has expired meanwhile. */
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

/** Archives each activity. If the response to its create is missing, repeats the create to get its id. */
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

/** The key of the session's state. If the agent names no session, all of its sessions in a working tree share one state. */
export function keyOf({ session, agent }: Pick<HookInput, 'session' | 'agent'>): string {
  return sessionKey(session ?? `${agent.name} without an id`)
}

/** Reads and deletes a state. Empty if there is none. */
function take(git_directory: string, key: string): LocalState[] {
  const state = readState(git_directory, key)
  if (!hasActivity(state)) return []
  deleteState(git_directory, key)
  return [state]
}

/** The git directories of the main working tree and of those linked to it. */
function directoriesOf({ git_directory, common_directory }: WorkingTree): string[] {
  const linked = join(common_directory, 'worktrees')
  const names = namesIn(linked).slice(0, TREES_MAX)
  return [...new Set([git_directory, common_directory, ...names.map((name) => join(linked, name))])]
}
