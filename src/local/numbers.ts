/** Reserves numbers for the files of one clone, under its lock (docs/contract/numbers.md#reservations). */
import { listInBase, listInFiles, reservationOf } from '../engine/check/next-number.ts'
import type { CheckContext } from '../engine/check/source.ts'
import { asOf } from '../engine/records/activity-lifecycle.ts'
import { notLive } from '../engine/records/activity-verbs.ts'
import { isLive } from '../vocabulary/activity-status.ts'
import type { ReservedNumber } from '../vocabulary/contract/number.ts'
import { reservedIn } from './clone-source.ts'
import type { RecordFiles } from './record-files.ts'
import type { LocalActivity } from './work.ts'

export async function reserve(
  { files, ctx, now }: { files: RecordFiles; ctx: CheckContext; now: Date },
  activity: LocalActivity,
  directory: string,
): Promise<ReservedNumber> {
  const inBase = await listInBase(ctx, { directory, base_branch: activity.base_branch })
  const inFiles = await listInFiles(ctx, directory)
  return files.change(({ work }, put) => {
    const live = work.filter((each) => isLive(asOf(each.activity, now).status))
    const own = live.find((each) => each.activity.id === activity.id)
    if (!own) throw notLive(activity)
    const reserved = live.flatMap((each) => reservedIn(each, directory))
    const { is_repeated, ...reservation } = reservationOf(activity, { directory, inBase, inFiles, reserved })
    const others = own.reserved.filter((each) => each.directory !== directory)
    if (!is_repeated)
      put({ work: { ...own, reserved: [...others, { directory, number: reservation.number }] } })
    return reservation
  })
}
