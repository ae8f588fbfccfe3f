/** What an agent was told to wait for, once that is no longer in its way. */
import { DeconflictError } from '../../client/client-error.ts'
import { isLive } from '../../vocabulary/activity-status.ts'
import type { LocalState } from '../local-state.ts'
import type { End } from './message.ts'
import type { SessionContext } from './places.ts'

/** Work that an agent waited for, and what it hears of it; nothing if the work goes on as `next_id`. */
export interface Gone {
  id: string
  text: string
  next_id?: string
}

/** The state of an agent that has heard that this work is gone. It hears of it again if it comes back. */
export function withoutGone(state: LocalState, gone: readonly Gone[]): LocalState {
  const waits_for = { ...state.waits_for }
  let { warned } = state
  for (const { id, next_id } of gone) {
    const wait = waits_for[id] as LocalState['waits_for'][string]
    delete waits_for[id]
    if (next_id) waits_for[next_id] = wait
    else warned = warned.filter((text) => !text.includes(`${wait.key} `))
  }
  return { ...state, warned, waits_for }
}

/** What became of an activity that does not overlap any more; undefined if that cannot be read. */
export async function endOf({ connect, at }: SessionContext, id: string): Promise<End | undefined> {
  const client = await connect()
  try {
    const { status, archive_reason } = await client.getActivity({ ...at, id })
    if (status === 'merged' || archive_reason?.endsWith('_merged')) return 'merged'
    if (client.is_of_clone) return 'gone'
    return isLive(status) ? 'moved' : 'ended'
  } catch (error) {
    return error instanceof DeconflictError && error.type === 'not_found' ? 'gone' : undefined
  }
}
