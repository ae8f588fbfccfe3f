/** State of a working tree, in its git directory: which activity belongs to a branch or an agent session. Loads no schema. */
import {
  closeSync,
  constants,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { RequestOf } from '../client/client.ts'
import { shortHash } from '../git/lock.ts'
import type { Workspace } from './workspace.ts'

/** The part of a workspace that stays the same while a session works on its branch, and the name of the person. */
export type StoredWorkspace = Omit<Workspace, 'git' | 'git_directory' | 'person'> & { actor: string }

/** A create whose response has not arrived: the service may have carried it out. */
export interface PendingCreate {
  idempotency_key: string
  /** If this is sent again with the same key, the service returns the activity, and creates it if it did not exist. */
  input: RequestOf<'createActivity'>['input']
  /** When it was first sent, in milliseconds since the epoch. */
  at: number
}

export interface LocalState {
  /** Null while the create is pending. */
  activity_id: string | null
  pending: PendingCreate | null
  branch: string | null
  /** The paths of the last sent scope: those that the user named, and the files that the agent edits. */
  paths: string[]
  /** The areas of the last sent scope; null if unknown, because `deconflict start` sent it. */
  areas: string[] | null
  /** A hash of the changed files that were last sent. */
  changes_hash: string
  /** The issue that was last sent; null if none was. */
  issue: number | null
  /** The agent has not heard yet who holds the issue. */
  is_issue_due: boolean
  /** The agent has heard of the holder of an issue, and which ways on there are. */
  knows_ways_on: boolean
  /** When the last heartbeat was sent, in milliseconds since the epoch. */
  heartbeat_at: number
  /** The activity was created with `deconflict start`, so the session does not archive it. */
  is_borrowed: boolean
  /** What the agent was warned of: see `warningKey`. */
  warned: string[]
  /** The files that the agent read, and when they were last compared. */
  compared: Record<string, number>
  /** A hook whose output the agent does not read found an overlap, so that a later hook must warn of it. */
  has_unread_overlap: boolean
  /** The subagent that works in this working tree; null for the session itself. */
  subagent: string | null
  /** Null until a hook of the session has read it from git. */
  workspace: StoredWorkspace | null
}

export const NO_STATE: LocalState = {
  activity_id: null,
  pending: null,
  branch: null,
  paths: [],
  areas: null,
  changes_hash: '',
  issue: null,
  is_issue_due: false,
  knows_ways_on: false,
  heartbeat_at: 0,
  is_borrowed: false,
  warned: [],
  compared: {},
  has_unread_overlap: false,
  subagent: null,
  workspace: null,
}

export const sessionKey = (session: string) => `session-${session}`
/** The key of an activity that an agent created over MCP. Its state counts as that of a session. */
export const mcpKey = (activity_id: string) => sessionKey(`mcp ${activity_id}`)
export const branchKey = (branch: string | null) => `branch-${branch ?? ''}`

/** The stored state; `NO_STATE` if there is none, or if it cannot be read. */
export function readState(git_directory: string, key: string): LocalState {
  return parseState(readJson(stateFile(git_directory, key)))
}

/** The state of every agent session, including sessions that ended without their last hook. */
export function readSessionStates(git_directory: string): LocalState[] {
  const directory = stateDirectory(git_directory)
  const names = namesIn(directory).filter((name) => name.startsWith('session-') && name.endsWith('.json'))
  return names.map((name) => parseState(readJson(join(directory, name)))).filter(hasActivity)
}

export function writeState(git_directory: string, key: string, state: LocalState): void {
  writeJson(stateFile(git_directory, key), state)
}

export function deleteState(git_directory: string, key: string): void {
  rmSync(stateFile(git_directory, key), { force: true })
}

/** How long the state of a session is kept after it was last written. Sessions that are killed, or run no hook at their end, leave it behind. */
const SESSION_MAX_MS = 86_400_000

/** Deletes the states and locks of sessions that have written nothing for a day: every hook that finds overlap reads all states. */
export function deleteOldSessions(git_directory: string, now: number): void {
  const directory = stateDirectory(git_directory)
  for (const name of namesIn(directory).filter((each) => /^(?:session|lock)-|^handover\./.test(each))) {
    const file = join(directory, name)
    const written_at = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now
    if (now - written_at > SESSION_MAX_MS) rmSync(file, { force: true })
  }
}

/** The directory of all local state, locks included. */
export function stateDirectory(git_directory: string): string {
  return join(git_directory, 'deconflict')
}

/** The value in a JSON file; undefined if there is no such file, or it is not JSON. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Overwrites the file in place: some file systems flush a file to disk that replaces another one, which would take most of
 * the time of a hook. A half-written file counts as missing, and hooks that find none read it again under their lock.
 */
export function writeJson(file: string, value: unknown): void {
  mkdirSync(join(file, '..'), { recursive: true })
  const bytes = Buffer.from(JSON.stringify(value))
  // Only the user can read the file, because a pending create contains patches.
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_CREAT, 0o600)
  try {
    writeSync(descriptor, bytes)
    ftruncateSync(descriptor, bytes.length)
  } finally {
    closeSync(descriptor)
  }
}

/** The names of the files in `directory`; none if it does not exist. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** A file of an earlier release may lack fields. */
function parseState(json: unknown): LocalState {
  const given = { ...NO_STATE, ...Object(json) } as LocalState
  return hasActivity(given) && Array.isArray(given.paths) ? given : NO_STATE
}

/** Whether the session has an activity, or may have one. */
export function hasActivity({ activity_id, pending }: LocalState): boolean {
  return activity_id !== null || pending !== null
}

const NAME_MAX = 180

function stateFile(git_directory: string, key: string): string {
  return join(stateDirectory(git_directory), `${fileName(key)}.json`)
}

/** If a key is too long for a file name, its middle is replaced by a hash. */
function fileName(key: string): string {
  // Windows has no file names with an asterisk.
  const name = encodeURIComponent(key).replaceAll('*', '%2A')
  if (name.length <= NAME_MAX) return name
  return `${name.slice(0, NAME_MAX / 2)}~${shortHash(name)}~${name.slice(-NAME_MAX / 4)}`
}
