/** What the steps of one hook share: its situation, the working tree and the connection to the service. */
import type { IssueClaim } from '../../vocabulary/contract/issue.ts'
import type { LocalState } from '../local-state.ts'
import type { Workspace } from '../workspace.ts'
import type { HookClient } from './hook-client.ts'
import type { Other, Place } from './message.ts'
import type { Situation } from './plan.ts'

export interface SessionContext {
  situation: Situation
  workspace: Workspace
  /** The repository of every request. */
  at: { owner: string; repo: string }
  without_titles: boolean
  isInTree(path: string): boolean
  /** Connects when it is first called, because many hooks send no request. */
  connect(): Promise<HookClient>
  /** Stores the state for the next hook. */
  save(state: LocalState): void
  /** Milliseconds until the hook has to end. */
  left_ms(): number
}

export interface Found {
  places: Place[]
  others: [string, Other][]
  /** The ids of all activities that overlap with that of the session; undefined if the service was not asked. */
  related?: readonly string[]
  /** What a create says about the issue of the activity. */
  issue?: IssueClaim | null
}

/** The state after a step, and what it found. */
export interface StepResult {
  state: LocalState
  found: Found
}
