/** Reserves numbers for the files of activities (docs/contract/numbers.md#reservations). */

import {
  listInBase,
  listInFiles,
  type Reservation,
  reservationOf,
} from '../../../engine/check/next-number.ts'
import type { CheckContext } from '../../../engine/check/source.ts'
import { notLive } from '../../../engine/records/activity-lifecycle.ts'
import { isLive } from '../../../vocabulary/activity-status.ts'
import type { ReserveNumber } from '../../../vocabulary/contract/number.ts'
import { raiseVersion } from '../live-sets/store.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'
import { getActivity } from './activities.ts'
import { listReserved, lockDirectory, saveReserved } from './store.ts'

/**
 * Reserves the next free number of a directory for a live activity: after those of the base branch, of live work, and of other reservations. Until
 * its changed files hold that number, or the base branch or other work does, the same number is returned again. Throws `not_found`, `invalid_transition`.
 */
export async function reserveNumber(
  ctx: RepoContext & CheckContext,
  id: string,
  { directory }: ReserveNumber,
): Promise<Reservation> {
  const activity = await getActivity(ctx, id)
  if (!isLive(activity.status)) throw notLive(activity)
  // What is merged after the base branch was listed is live no more: so what is live is read before, too.
  const reservedBefore = await ctx.source.reserved(directory)
  const before = await listInFiles(ctx, directory)
  const inBase = await listInBase(ctx, { directory, base_branch: activity.base_branch })
  const inFiles = [...before, ...(await listInFiles(ctx, directory))]
  return inTransaction(ctx, async (within) => {
    const { db, now, repo } = within
    await lockDirectory(db, repo.id, directory)
    const reserved = [...(await listReserved(db, repo.id, directory, now)), ...reservedBefore]
    const reservation = reservationOf(activity.id, { directory, inBase, inFiles, reserved })
    if (!reservation.is_repeated) {
      await saveReserved(db, activity, reservation)
      // Answers about others name the next free number.
      await raiseVersion(db, repo.id)
    }
    return reservation
  })
}
