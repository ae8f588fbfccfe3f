/**
 * The states of an agent session, and what its hooks do in each. The state is a file in the git directory of each working tree
 * in which the session works (`local-state.ts`). Pure.
 *
 * | state | when | what the hook does | next state |
 * | --- | --- | --- | --- |
 * | `none` | first hook, after `clear` or `resume` | continues with the state that the previous session handed over | that state |
 * | `none` | first hook, and `deconflict start` created an activity for the branch | continues with this activity | `borrowed` |
 * | `none` | any other first hook | stores and sends a create | `creating`; with the response, `own` |
 * | `creating` | next hook with something to do | sends the same create again | `own`; `none` if the service refuses it |
 * | `own`, `borrowed` | the files or the branch changed | sends an update | unchanged |
 * | `own`, `borrowed` | a heartbeat is due | sends a heartbeat | unchanged |
 * | `own`, `borrowed` | the service says that the activity is closed or deleted | creates another one | `own` |
 * | any | the session ends | see `AT_END` | `none` |
 *
 * An activity to archive is stored under a key of its own until the service has archived it (`ending.ts`).
 */
import type { LocalState } from '../local-state.ts'

/**
 * `creating`: a create was sent, and its response has not arrived. `own`: the session has an activity that it created.
 * `borrowed`: it works under an activity that `deconflict start` created, and that the user ends.
 */
export type SessionState = 'none' | 'creating' | 'own' | 'borrowed'

/** `hand over`: store the state for the next session. `forget`: delete the state and leave the activity as it is. */
export type EndAction = 'archive' | 'hand over' | 'forget'

/** Reasons with which a session ends, and another one starts in the same working tree and continues its activity. */
export const CONTINUING: readonly string[] = ['clear', 'resume']

/** What the end of a session does with its activity. `continued`: another session continues it. */
const AT_END: Record<SessionState, Record<'continued' | 'over', EndAction>> = {
  none: { continued: 'forget', over: 'forget' },
  creating: { continued: 'hand over', over: 'archive' },
  own: { continued: 'hand over', over: 'archive' },
  borrowed: { continued: 'hand over', over: 'forget' },
}

type Stored = Pick<LocalState, 'activity_id' | 'pending' | 'is_borrowed'>

export function sessionStateOf({ activity_id, pending, is_borrowed }: Stored): SessionState {
  if (activity_id === null) return pending === null ? 'none' : 'creating'
  return is_borrowed ? 'borrowed' : 'own'
}

export function atEnd(state: Stored, { isContinued }: { isContinued: boolean }): EndAction {
  return AT_END[sessionStateOf(state)][isContinued ? 'continued' : 'over']
}
