/** Reserves numbers for the files of activities (docs/contract/numbers.md#reservations). */
import { isLive } from '../../vocabulary/activity-status.ts'
import type { ReservedNumber, ReserveNumber } from '../../vocabulary/contract/number.ts'
import { compareNumbers, nextNumber } from '../../vocabulary/file-number.ts'
import { getActivity, notLive } from '../activities/activities.ts'
import { comparedScopeOf } from '../activities/compared-scope.ts'
import type { ActivityRow } from '../activities/table.ts'
import { directoryOf } from '../numbers/taken.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'
import { listInFiles, listReserved, nameOf, numberIn, readHighest, type TakenNumber } from './next-number.ts'
import * as store from './store.ts'

/** The maximum number of taken numbers in an answer. */
const TAKEN_MAX = 100

export interface Reservation extends ReservedNumber {
  /** It was reserved before. */
  is_repeated: boolean
}

/**
 * Reserves the next free number of a directory for a live activity. Until its changed files hold that number, the same
 * number is returned again. Throws `not_found`, `invalid_transition`.
 */
export async function reserveNumber(
  ctx: RepoContext,
  id: string,
  { directory }: ReserveNumber,
): Promise<Reservation> {
  const activity = await getActivity(ctx, id)
  if (!isLive(activity.status)) throw notLive(activity)
  const highest = await readHighest(ctx, { directory, base_branch: activity.base_branch })
  const inFiles = await listInFiles(ctx, directory)
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    await store.lockDirectory(db, repo.id, directory)
    const reserved = await store.listReserved(db, repo.id, directory, now)
    const own = reserved.find(({ activity_id }) => activity_id === id)
    const held = await listReserved(within, directory, id)
    const base = highest === null ? [] : [{ number: highest, by: 'base' }]
    const taken = sorted([...base, ...inFiles, ...held])
    if (own && !holds(activity, own)) return { number: own.number, directory, taken, is_repeated: true }
    const number = nextNumber([...taken.map((each) => each.number), ...(own ? [own.number] : [])])
    await store.deleteEnded(db, { repo_id: repo.id, directory, activity_id: id }, now)
    await store.insertReserved(db, { repo_id: repo.id, directory, activity_id: id, number, reserved_at: now })
    return { number, directory, taken, is_repeated: false }
  })
}

/** Whether a changed file of the activity has the reserved number. */
function holds(activity: ActivityRow, { directory, number }: { directory: string; number: string }): boolean {
  return comparedScopeOf(activity).files.some(
    ({ path }) => directoryOf(path) === directory && numberIn(directory, nameOf(path)) === number,
  )
}

/** The highest first. */
function sorted(taken: TakenNumber[]): TakenNumber[] {
  const distinct = new Map(taken.map((each) => [`${each.number} ${each.by}`, each]))
  return [...distinct.values()].sort((a, b) => compareNumbers(b.number, a.number)).slice(0, TAKEN_MAX)
}
