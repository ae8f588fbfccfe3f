/** State of a working tree, in its git directory: its activity on a branch, the sessions of agents, and the record of their hooks. Loads no schema. */
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestOf } from '../client/client.ts'
import { commonDirectoryOf } from '../git/git-directory.ts'
import { shortHash } from '../git/lock.ts'
import { namesIn, replaceFile, textOf } from '../git/small-files.ts'
import { parsedJson } from '../vocabulary/text.ts'
import type { Workspace } from './workspace.ts'

/** The part of a workspace that stays the same while a session works on its branch. */
export type StoredWorkspace = Omit<Workspace, 'git' | 'tree'>

/** A create whose response has not arrived: the service may have carried it out. */
export interface PendingCreate {
  idempotency_key: string
  /** If this is sent again with the same key, the service returns the activity, and creates it if it did not exist. */
  input: RequestOf<'createActivity'>['input']
  /** When it was first sent, in milliseconds since the epoch. */
  at: number
}

/** The activity that a working tree has on a branch, which `start`, hooks and `deconflict mcp` share. */
export interface Work {
  /** Null while the create is pending. */
  activity_id: string | null
  pending: PendingCreate | null
  /** The branch that is checked out; null on a detached HEAD. */
  branch: string | null
  /** The paths of the last sent scope: those that somebody named, and the files that agents edit. */
  paths: string[]
  /** The areas of the last sent scope; null if neither is known, because another program sent it. */
  areas: string[] | null
  /** A hash of the changed files that were last sent, and the first of their names. */
  changes_hash: string
  changed_paths: string[]
  /** The issue that was last sent; null if none was. */
  issue: number | null
  /** When a hook last sent a heartbeat, in milliseconds since the epoch. */
  heartbeat_at: number
  /** Somebody declared it, so that the end of a session does not archive it. */
  is_declared: boolean
  /** A session ended, and it waits for the next one. */
  is_paused: boolean
  /** The status that the end of a session has still to send. */
  ending: 'paused' | 'archived' | null
}

/** What one session, or all that a tool does not tell apart, did in a working tree. */
export interface Session {
  branch: string | null
  /** The agent has not heard yet who holds the issue. */
  is_issue_due: boolean
  /** The agent has heard of the holder of an issue, and which ways on there are. */
  knows_ways_on: boolean
  /** What the agent was warned of: see `warningKey`. */
  warned: string[]
  /** The activities that it was told to wait for: the file of each, what the agent was told of it, and see `workKey`. */
  waits_for: Record<string, { path: string; who: string; key: string }>
  /** The entity tag of its own activity and of what overlaps with that, when it last asked; null if it never did. */
  seen: string | null
  /** The files that the agent read, and when they were last compared. */
  compared: Record<string, number>
  /** A hook whose output the agent does not read found an overlap, so that a later hook must warn of it. */
  has_unread_overlap: boolean
  /** The subagent that works in this working tree; null for the session itself. */
  subagent: string | null
  agent: string
  /** When it came to this working tree, and when it last ran a hook, in milliseconds since the epoch; 0 if it never did. */
  since: number
  at: number
  /** What was checked out when it last heard of it, or did it itself; null before its first hook. */
  place: { branch: string | null; head: string | null } | null
  /** It waits for its user. */
  is_at_rest: boolean
  /** Why it started, if it has only started yet. */
  started: string
  /** The files that it has edited here, the last ones last. */
  edited: string[]
  /** What it has heard about this directory. */
  told: string[]
  /** Null until a hook of the session has read it from git. */
  workspace: StoredWorkspace | null
}

export type LocalState = Work & Session

export const NO_WORK: Work = {
  ...{ activity_id: null, pending: null, branch: null, paths: [], areas: null },
  ...{ changes_hash: '', changed_paths: [], issue: null, heartbeat_at: 0, is_declared: false },
  ...{ is_paused: false, ending: null },
}

export const NO_SESSION: Session = {
  ...{ branch: null, is_issue_due: false, knows_ways_on: false, warned: [], compared: {} },
  ...{ waits_for: {}, seen: null, has_unread_overlap: false, subagent: null, workspace: null },
  ...{ agent: '', since: 0, at: 0, place: null, is_at_rest: false, started: '', edited: [], told: [] },
}

/** `NO_WORK` if there is none, or if it cannot be read. */
export function readWork(git_directory: string, branch: string | null): Work {
  return { ...(parse(NO_WORK, readJson(workFile(git_directory, branch))) ?? NO_WORK), branch }
}

export function writeWork(git_directory: string, work: Work): void {
  writeJson(workFile(git_directory, work.branch), parse(NO_WORK, work))
}

/** `id`: only if it is this activity. */
export function deleteWork(git_directory: string, branch: string | null, id?: string): void {
  if (id === undefined || readWork(git_directory, branch).activity_id === id)
    rmSync(workFile(git_directory, branch), { force: true })
}

/** The work of all branches whose end was not sent, in this working tree and in those linked to it. */
export function readEndings(git_directory: string): Work[] {
  return [...new Set([git_directory, commonDirectoryOf(git_directory)])].flatMap((directory) => {
    const files = namesIn(stateDirectory(directory)).filter((name) => /^branch-.*\.json$/.test(name))
    return files
      .map((name) => parse(NO_WORK, readJson(join(stateDirectory(directory), name))) ?? NO_WORK)
      .filter((work) => hasActivity(work) && work.ending !== null)
      .filter(({ branch }) => branch !== null || directory === git_directory)
  })
}

/** The state of a session; undefined if it has none in this working tree. */
export function readSession(git_directory: string, key: string): Session | undefined {
  return parse(NO_SESSION, readJson(sessionFile(git_directory, key)))
}

/** The sessions of a working tree, by key. Those that end without their last hook stay for a day. */
export function readSessions(git_directory: string): (Session & { key: string })[] {
  const directory = stateDirectory(git_directory)
  return namesIn(directory).flatMap((name) => {
    const [, key] = /^session-(.+)\.json$/.exec(name) ?? []
    const session = key === undefined ? undefined : parse(NO_SESSION, readJson(join(directory, name)))
    return key === undefined || session === undefined ? [] : [{ ...session, key }]
  })
}

export function writeSession(git_directory: string, key: string, session: Session): void {
  writeJson(sessionFile(git_directory, key), parse(NO_SESSION, session))
}

export function deleteSession(git_directory: string, key: string): void {
  rmSync(sessionFile(git_directory, key), { force: true })
}

/** How long the state of a session is kept after it was last written. Sessions that are killed, or run no hook at their end, leave it behind. */
const SESSION_MAX_MS = 86_400_000

/** Deletes the states and locks of sessions that have written nothing for a day: nothing else deletes them. */
export function deleteOldSessions(git_directory: string, now: number): void {
  const directory = stateDirectory(git_directory)
  for (const name of namesIn(directory).filter((each) => /^(?:session|lock)-/.test(each))) {
    const file = join(directory, name)
    const written_at = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now
    if (now - written_at > SESSION_MAX_MS) rmSync(file, { force: true })
  }
}

export function stateDirectory(git_directory: string): string {
  return join(git_directory, 'deconflict')
}

/** The value in a JSON file; undefined if there is no such file, or it is not JSON. */
function readJson(file: string): unknown {
  return parsedJson(textOf(file))
}

function writeJson(file: string, value: unknown): void {
  replaceFile(file, JSON.stringify(value))
}

/** The fields of `none`, of which a file of an earlier release may lack some; undefined if `json` is no object. */
function parse<Stored extends object>(none: Stored, json: unknown): Stored | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const given = json as Partial<Stored>
  const fields = Object.entries(none).map(([name, value]) => [name, given[name as keyof Stored] ?? value])
  return Object.fromEntries(fields)
}

/** Whether there is an activity, or may be one. */
export function hasActivity({ activity_id, pending }: Pick<Work, 'activity_id' | 'pending'>): boolean {
  return activity_id !== null || pending !== null
}

const NAME_MAX = 180

function sessionFile(git_directory: string, key: string): string {
  return join(stateDirectory(git_directory), `session-${fileName(key)}.json`)
}

/** All working trees of a clone share the work on a branch, because one of them at a time has it checked out. */
function workFile(git_directory: string, branch: string | null): string {
  const directory = branch === null ? git_directory : commonDirectoryOf(git_directory)
  return join(stateDirectory(directory), `branch-${fileName(branch ?? '')}.json`)
}

/** A key as `readSessions` names it: if it is too long for a file name, its middle is replaced by a hash. */
export function fileName(key: string): string {
  // Windows has no file names with an asterisk.
  const name = encodeURIComponent(key).replaceAll('*', '%2A')
  if (name.length <= NAME_MAX) return name
  return `${name.slice(0, NAME_MAX / 2)}~${shortHash(name)}~${name.slice(-NAME_MAX / 4)}`
}

/** What the hooks of a working tree store for each other: the last run, and the pause after a failure of the service. */
export interface HookRecord {
  /** The last hook that ran, for `deconflict doctor`. */
  last: {
    /** Milliseconds since the epoch. */
    at: number
    event: string
    agent: string
    /** `ok`; `quiet`: there was nothing to do; `paused`: no request, because an earlier hook failed; else the error message. */
    outcome: string
  } | null
  /** The last one that failed: agents do not show what it says. */
  failed: HookRecord['last']
  /** After a failure, hooks send no request to the service at `url` before `until`, in milliseconds since the epoch. */
  paused: { until: number; url: string; why: string } | null
  /** The address of the service and the remote, if both were found to be of the same GitHub host. */
  known_host: string | null
}

const NO_RECORD: HookRecord = { last: null, failed: null, paused: null, known_host: null }

export function readRecord(git_directory: string): HookRecord {
  return { ...NO_RECORD, ...Object(readJson(recordFile(git_directory))) }
}

/** If several hooks end at the same time, the last write wins. */
export function updateRecord(git_directory: string, fields: Partial<HookRecord>): void {
  writeJson(recordFile(git_directory), { ...readRecord(git_directory), ...fields })
}

function recordFile(git_directory: string): string {
  return join(stateDirectory(git_directory), 'hooks.json')
}
