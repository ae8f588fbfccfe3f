/** Reserves numbers for the files of activities (docs/contract/numbers.md#reservations). */

import {
  isNumber,
  listInBase,
  listInFiles,
  type Reservation,
  reservationOf,
} from '../../../engine/check/next-number.ts'
import type { CheckContext } from '../../../engine/check/source.ts'
import { notLive } from '../../../engine/records/activity-lifecycle.ts'
import { isLive } from '../../../vocabulary/activity-status.ts'
import type { ReserveNumber } from '../../../vocabulary/contract/number.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'
import { getActivity } from './activities.ts'
import { listReserved, lockDirectory, saveReserved } from './store.ts'
import type { ActivityRow } from './table.ts'

type Ctx = RepoContext & CheckContext

/** How often a number is replaced that was merged into the base branch while it was reserved. */
const REPLACED_MAX = 3

/**
 * Reserves the next free number of a directory for a live activity. Until its changed files hold that number, or the base
 * branch or other work does, the same number is returned again. Throws `not_found`, `invalid_transition`.
 */
export async function reserveNumber(
  ctx: Ctx,
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
  ctx: Ctx,
  activity: ActivityRow,
  { directory, inBase }: { directory: string; inBase: readonly string[] },
): Promise<Reservation> {
  const inFiles = await listInFiles(ctx, directory)
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    await lockDirectory(db, repo.id, directory)
    const reserved = await listReserved(db, repo.id, directory, now)
    const reservation = reservationOf(activity.id, { directory, inBase, inFiles, reserved })
    if (!reservation.is_repeated) await saveReserved(db, activity, reservation)
    return reservation
  })
}
