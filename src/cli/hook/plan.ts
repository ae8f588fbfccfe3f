/** Decides what a hook has to do: in most cases nothing, which needs neither git nor a request. Pure. */

import { scopePaths } from '../../git/request-size.ts'
import type { HookEvent } from '../agents/agent.ts'
import { hasActivity, type LocalState } from '../local-state.ts'
import type { HookInput } from './payload.ts'

/** The minimum time between two heartbeats, and between two comparisons of a file that is read again. */
const INTERVAL_MS = 300_000
/** The hooks of a user and of a repository run at the same time. */
const SAME_START_MS = 5000
/** Events after which the changed files are read from git again, because a shell command may have changed some. */
const REFRESHING: readonly HookEvent[] = ['session-start', 'prompt', 'stop']
/** Reasons of a session start after which the agent has forgotten earlier warnings, so that they are repeated. */
const NEW_CONTEXTS: readonly string[] = ['clear', 'compact', 'startup']

export interface Situation extends Pick<HookInput, 'reason' | 'subagent' | 'prompt'> {
  event: HookEvent
  agent: string
  /** Whether the output of the hook reaches the model. */
  is_heard: boolean
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
  /** Files to compare with other work. */
  compared: string[]
  /** Whether to read the changed files from git, and to send them if they differ from those that were sent last. */
  is_refresh: boolean
  /** Whether another branch is checked out than at the last hook. */
  has_switched: boolean
  is_heartbeat_due: boolean
  /** Whether to ask who came or went, if nothing else is sent. */
  is_asked: boolean
}

/** What the hook has to do; null if there is nothing to do. */
export function planFor(situation: Situation, state: LocalState): Plan | null {
  const { event, is_heard, edits, reads, branch, now, subagent } = situation
  if (event === 'session-start' && state.started === situation.reason && now - state.at < SAME_START_MS)
    return null
  const has_switched = branch !== undefined && hasActivity(state) && state.branch !== branch
  const plan = {
    added: scopePaths(edits).filter((path) => !state.paths.includes(path)),
    compared: is_heard ? [...reads, ...edits].filter(isCompareDue) : [],
    is_refresh: REFRESHING.includes(event),
    has_switched,
    is_asked: is_heard && event === 'prompt',
    is_heartbeat_due:
      now - state.heartbeat_at >= INTERVAL_MS ||
      event === 'session-start' ||
      state.is_paused ||
      state.ending !== null ||
      (is_heard && (state.has_unread_overlap || state.is_issue_due)),
  }
  function isCompareDue(file: string): boolean {
    return now - (state.compared[comparedKey(subagent, file)] ?? 0) >= INTERVAL_MS
  }
  // Another session in the directory may have declared the file.
  const isKnown = edits.every((path) => state.edited.includes(path))
  const isIdle = plan.added.length + plan.compared.length === 0 && isKnown && !has_switched
  return isIdle && !plan.is_refresh && !plan.is_heartbeat_due ? null : plan
}

/** The key of a file that was compared. A subagent has its own keys, because it does not see the warnings of the session. */
export function comparedKey(subagent: string | null, file: string): string {
  return subagent === null ? file : `${subagent} ${file}`
}

export function hasNewContext({ event, reason }: Pick<Situation, 'event' | 'reason'>): boolean {
  return event === 'session-start' && NEW_CONTEXTS.includes(reason)
}
