/** What a hook has to do: nothing in most cases, which takes neither git nor a request. Pure. */
import { hasActivity, type LocalState } from '../local-state.ts'
import { scopePaths } from '../scope-paths.ts'
import { isOutputRead } from './answer.ts'
import type { Agent, HookEvent } from './payload.ts'

/** The minimum time between two heartbeats, and between two comparisons of a file that is read again. */
const INTERVAL_MS = 300_000
/** Events at which the changed files are read from git again, because a shell may have changed some. */
const REFRESHING: readonly HookEvent[] = ['session-start', 'prompt', 'stop']
/** The context of the agent is new, so the same warnings are repeated. */
const NEW_CONTEXTS: readonly string[] = ['clear', 'compact', 'startup']

export interface Situation {
  event: HookEvent
  agent: Agent
  reason: string
  subagent: string | null
  /** Relative to the root of the working tree. */
  edits: readonly string[]
  reads: readonly string[]
  /** The checked-out branch; undefined if only git knows. */
  branch: string | null | undefined
  /** Milliseconds since the epoch. */
  now: number
}

export interface Plan {
  /** Globs to add to the scope. */
  added: string[]
  /** Files to compare. */
  unread: string[]
  /** The changed files are to be read from git and sent if they differ from those that were sent. */
  is_refresh: boolean
  has_switched: boolean
  is_heartbeat_due: boolean
}

/** Null if there is nothing to do. */
export function planFor(situation: Situation, state: LocalState): Plan | null {
  const { event, agent, edits, reads, branch, now, subagent } = situation
  const isRead = isOutputRead(agent, event)
  const has_switched = branch !== undefined && hasActivity(state) && state.branch !== branch
  const plan = {
    added: scopePaths(edits).filter((path) => !state.paths.includes(path)),
    unread: isRead ? [...reads, ...edits].filter((file) => isUnread(file)) : [],
    is_refresh: REFRESHING.includes(event),
    has_switched,
    is_heartbeat_due:
      now - state.heartbeat_at >= INTERVAL_MS ||
      event === 'session-start' ||
      (isRead && state.has_unread_overlap),
  }
  function isUnread(file: string): boolean {
    return now - (state.compared[comparedKey(subagent, file)] ?? 0) >= INTERVAL_MS
  }
  const isIdle = plan.added.length + plan.unread.length === 0 && !has_switched
  return isIdle && !plan.is_refresh && !plan.is_heartbeat_due ? null : plan
}

/** A subagent has a context of its own: it has read neither the files nor the warnings of the session. */
export function comparedKey(subagent: string | null, file: string): string {
  return subagent === null ? file : `${subagent} ${file}`
}

export function hasNewContext({ event, reason }: Pick<Situation, 'event' | 'reason'>): boolean {
  return event === 'session-start' && NEW_CONTEXTS.includes(reason)
}
