/** Reserves numbers for the files of activities (docs/contract/numbers.md#reservations). */

import { directoryOf, nameOf } from '../../engine/lines/taken.ts'
import { comparedScopeOf } from '../../engine/records/compared-scope.ts'
import { isLive } from '../../vocabulary/activity-status.ts'
import type { ReservedNumber, ReserveNumber } from '../../vocabulary/contract/number.ts'
import { compareNumbers, lastNumber, nextNumber } from '../../vocabulary/file-number.ts'
import { getActivity, notLive } from '../activities/activities.ts'
import type { ActivityRow } from '../activities/table.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'
import { holderOf, listInBase, listInFiles, listReserved, numberIn, type TakenNumber } from './next-number.ts'
import * as store from './store.ts'

/** The maximum number of taken numbers in an answer. */
const TAKEN_MAX = 100

export interface Reservation extends ReservedNumber {
  /** It was reserved before. */
  is_repeated: boolean
}

/** How often a number is replaced that was merged into the base branch while it was reserved. */
const REPLACED_MAX = 3

/**
 * Reserves the next free number of a directory for a live activity. Until its changed files hold that number, or the base
 * branch or other work does, the same number is returned again. Throws `not_found`, `invalid_transition`.
 */
export async function reserveNumber(
  ctx: RepoContext,
  id: string,
  { directory }: ReserveNumber,
): Promise<Reservation> {
  const activity = await getActivity(ctx, id)
  if (!isLive(activity.status)) throw notLive(activity)
  const base = { directory, base_branch: activity.base_branch }
  let inBase = await listInBase(ctx, base)
  for (let replaced = 0; ; replaced += 1) {
    const reservation = await reserveBesides(ctx, activity, { directory, inBase })
    if (reservation.is_repeated || replaced === REPLACED_MAX) return reservation
    // What held the number may have been merged after the base branch was listed, and before this reservation.
    inBase = await listInBase(ctx, base)
    if (!inBase.some(isNumber(reservation.number))) return reservation
  }
}

/** Reserves the number after those of the base branch, of live work, and of other reservations. */
async function reserveBesides(
  ctx: RepoContext,
  activity: ActivityRow,
  { directory, inBase }: { directory: string; inBase: readonly string[] },
): Promise<Reservation> {
  const { id, pr_number } = activity
  const inFiles = await listInFiles(ctx, directory)
  const others = inFiles.filter(({ by }) => by !== holderOf(id, pr_number)).map(({ number }) => number)
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    await store.lockDirectory(db, repo.id, directory)
    const reserved = await listReserved(within, directory)
    const own = reserved.find(({ activity_id }) => activity_id === id)
    const held = reserved.filter((each) => each !== own).map(({ number, by }) => ({ number, by }))
    const last = inBase.length > 0 ? [{ number: lastNumber(inBase), by: 'base' }] : []
    const taken = sorted([...last, ...inFiles, ...held])
    const isFree =
      own && !holds(activity, directory, own.number) && ![...inBase, ...others].some(isNumber(own.number))
    if (isFree) return { number: own.number, directory, taken, is_repeated: true }
    const number = nextNumber([...taken.map((each) => each.number), ...(own ? [own.number] : [])])
    await store.deleteEnded(db, { repo_id: repo.id, directory, activity_id: id }, now)
    await store.insertReserved(db, { repo_id: repo.id, directory, activity_id: id, number, reserved_at: now })
    return { number, directory, taken, is_repeated: false }
  })
}

/** Whether a changed file of the activity has the reserved number. */
function holds(activity: ActivityRow, directory: string, number: string): boolean {
  return comparedScopeOf(activity)
    .files.filter(({ path }) => directoryOf(path) === directory)
    .flatMap(({ path }) => numberIn(directory, nameOf(path)) ?? [])
    .some(isNumber(number))
}

/** `42` is `0042`. */
function isNumber(number: string): (other: string) => boolean {
  return (other) => compareNumbers(number, other) === 0
}

/** The highest first. */
function sorted(taken: TakenNumber[]): TakenNumber[] {
  const distinct = new Map(taken.map((each) => [`${each.number} ${each.by}`, each]))
  return [...distinct.values()].sort((a, b) => compareNumbers(b.number, a.number)).slice(0, TAKEN_MAX)
}
