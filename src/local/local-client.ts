/** The typed client over one clone, without a service: the same operations, rules and words (docs/contract/local.md). */
import type { Client } from '../client/client.ts'
import { checkProposal } from '../engine/check/check.ts'
import { conclude } from '../engine/check/conclude.ts'
import { computeOverlaps, overlapsOf, readLiveWork } from '../engine/check/overlaps.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { readIssueNumber } from '../vocabulary/contract/issue.ts'
import { activityMethods } from './activities.ts'
import { clientOf } from './call.ts'
import { fetchedText } from './clone.ts'
import { type ReaderOptions, readerOf, withLookedAt } from './clone-source.ts'
import { issueIn } from './issues.ts'
import { notableMethods } from './notables.ts'
import { lastFetch } from './pull-requests.ts'

export { readGitAttributes } from '../engine/lines/noise.ts'
export { DiffCache } from './diff-cache.ts'
export { RecordFiles } from './record-files.ts'
export { readSettings } from './settings.ts'

/** Operations about what only a service has, such as its settings, throw `not_found`. */
export function localClient({ clock, ...options }: ReaderOptions & { clock: Clock }): Client {
  const reader = readerOf(options)
  const compareAll = async (now: Date) => {
    const clone = await reader.readAll(now)
    const context = reader.contextOf(clone, now)
    const found = await computeOverlaps(context, await readLiveWork(context))
    return { ...found, unread: clone.looked_at.unread }
  }
  return clientOf(
    {
      ...activityMethods(reader),
      ...notableMethods(reader),
      checkOverlap: async ({ input, now }) => {
        const clone = await reader.readFor(input.scope, now)
        const conclusion = await checkProposal(reader.contextOf(clone, now), input)
        return withLookedAt(conclude(conclusion), clone.looked_at)
      },
      getIssue: async ({ id, now }) => {
        const number = readIssueNumber(id)
        return issueIn(await reader.readAll(now), number, { ...reader, now })
      },
      listOverlaps: async ({ now }) => {
        const { reason, unread, ...found } = await compareAll(now)
        return overlapsOf({ ...found, reason: reasonOf([reason, ...unread]) }, now)
      },
      getMergeOrder: async ({ now }) => {
        const { merge_order, unread } = await compareAll(now)
        const isKnown = merge_order.items.length + merge_order.clear.length > 0
        const pulls = fetchedText(lastFetch(options.files.directory), { ...options, now })
        const reason = reasonOf([merge_order.reason, ...unread, ...(isKnown ? [] : pulls)])
        return reason === null ? merge_order : { ...merge_order, complete: false, reason }
      },
    },
    clock,
  )
}

/** Null if there is none. */
function reasonOf(reasons: (string | null | undefined)[]): string | null {
  return reasons.filter(Boolean).join('; ') || null
}
