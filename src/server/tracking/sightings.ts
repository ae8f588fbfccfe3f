/** Records the overlaps of a pull request, or of a branch without one, in the ledger. */
import { listLiveOnBranch } from '../activities/pull-request-store.ts'
import type { ActivityRow } from '../activities/table.ts'
import {
  authorOf,
  type EnteredOverlaps,
  groupOverlaps,
  lastChangeOf,
  lastDeclared,
  type OverlapGroup,
} from '../decision/overlap-groups.ts'
import { enterPushAfterMerge, enterSightings, pairsOf } from '../ledger/ledger.ts'
import {
  branchKey,
  branchOf,
  type LastChange,
  type LedgerSide,
  numberOf,
  type SideKey,
  type Sighting,
  slotOf,
} from '../ledger/pair.ts'
import { lockLedger, saveNoisePairs } from '../ledger/store.ts'
import type { PairRow } from '../ledger/table.ts'
import { strongest } from '../ledger/transitions.ts'
import { type NoiseClass, noiseOfPath } from '../line-verdicts/noise.ts'
import { listFilesOf } from '../line-verdicts/store.ts'
import { notifyNewPairs } from '../notifications/notify.ts'
import type { Conclusion } from '../overlap/conclude.ts'
import { rulesOf } from '../overlap/rules.ts'
import { listNumbered, type NumberedPullRequest, savePullRequest } from '../pull-requests/store.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'

/** One side, and what a check of its activities found. */
export interface SideOverlaps {
  side: LedgerSide
  /** Its branch, unless it is in a fork. */
  branch: string | null
  activities: ActivityRow[]
  conclusion: Conclusion
  /** Not all activities of the side were compared, so a pair that was not found may still exist. */
  is_partial?: boolean
}

/** Records the conflicts and duplicates of a side, and the outcomes of its earlier pairs, in one transaction. */
export function enterOverlaps(ctx: RepoContext, overlaps: SideOverlaps): Promise<EnteredOverlaps> {
  const { side, branch, activities, conclusion } = overlaps
  const groups = groupOverlaps(conclusion.collisions)
  return inTransaction(ctx, async (within) => {
    const { db, repo, settings } = within
    const isOn = settings.comment.mode !== 'off'
    if (isOn) await lockLedger(db, repo.id)
    const before = isOn ? await pairsOf(within, side.key, branch === null ? null : branchKey(branch)) : NONE
    const numbers = [...groups.map(({ number }) => number), ...[...before.keys()].map(numberOf)]
    const others = await openAmong(within, numbers)
    await saveRelated(within, overlaps)
    if (!isOn) return { groups, pairs: NONE, others }
    const found = groups.flatMap((group) => sightingOf(group, others) ?? [])
    const absent = await absentOf(within, { before, found, others })
    const entered = await enterSightings(within, side, {
      pairs: before,
      found,
      absent,
      is_complete: !overlaps.is_partial && isComplete(conclusion),
    })
    const notified = await notifyNewPairs(within, { before, after: entered, others })
    await enterNoise(within, side.key, conclusion)
    const pairs = await enterPushAfterMerge(within, side, {
      pairs: notified,
      files: () =>
        listFilesOf(
          db,
          repo.id,
          activities.map(({ id }) => id),
        ),
      noise: rulesOf(settings, within.repo.noise_attributes).noise,
    })
    return { groups, pairs, others }
  })
}

const NONE: ReadonlyMap<SideKey, PairRow> = new Map()

async function openAmong(
  { db, repo }: RepoContext,
  numbers: (number | null)[],
): Promise<Map<number, NumberedPullRequest>> {
  const distinct = [...new Set(numbers.flatMap((number) => number ?? []))]
  const open = distinct.length === 0 ? [] : await listNumbered(db, repo.id, distinct)
  return new Map(open.map((each) => [each.number, each]))
}

async function saveRelated({ db, repo }: RepoContext, { side, conclusion }: SideOverlaps): Promise<void> {
  const number = numberOf(side.key)
  if (number === null) return
  const related_ids = [...conclusion.collisions, ...conclusion.notables].map(({ id }) => id)
  await savePullRequest(db, repo.id, number, { related_ids })
}

/** Whether a pair that was not found is certainly gone. A side without files has no pairs. */
function isComplete({
  emptiness,
  checked_against,
  total_related,
  collisions,
  notables,
}: Conclusion): boolean {
  if (emptiness !== null) return true
  return checked_against.complete && total_related <= collisions.length + notables.length
}

/** The conflict or duplicate with a group; undefined if there is none, or if the group cannot be a side of the ledger. */
function sightingOf(
  { key, number, overlaps }: OverlapGroup,
  others: EnteredOverlaps['others'],
): Sighting | undefined {
  const other = number === null ? undefined : others.get(number)
  if (key === null || (number !== null && !other)) return undefined
  const conflicts = overlaps.flatMap(({ match }) =>
    match.paths.filter(({ verdict }) => verdict === 'conflict'),
  )
  const is_duplicate = overlaps.some(({ match }) => match.duplicate !== null)
  if (conflicts.length === 0 && !is_duplicate) return undefined
  const byPath = new Map(conflicts.map((path) => [path.example, path]))
  const records = overlaps.map(({ record }) => record)
  return {
    other: key,
    other_author: other?.author ?? authorOf(records),
    other_last_change: other ? lastChangeOf(other) : lastDeclared(records),
    is_duplicate,
    confidence: strongest(conflicts.map(({ confidence }) => confidence)),
    files: [...byPath].map(([path, { your_lines, their_lines }]) => ({ path, your_lines, their_lines })),
  }
}

/** The other sides of open pairs that were not found: see `Sightings`. */
async function absentOf(
  ctx: RepoContext,
  from: {
    before: ReadonlyMap<SideKey, PairRow>
    found: readonly Sighting[]
    others: EnteredOverlaps['others']
  },
): Promise<Map<SideKey, LastChange | null>> {
  const found = new Set(from.found.map(({ other }) => other))
  const absent = new Map<SideKey, LastChange | null>()
  for (const [key, { outcome, merged }] of from.before) {
    if (found.has(key) || outcome !== 'open' || merged !== null) continue
    const branch = branchOf(key)
    if (branch !== null) {
      const live = await listLiveOnBranch(ctx.db, ctx.repo.id, branch, ctx.now)
      // If the branch has a pull request now, the next recheck of the pull request moves the pair to its key.
      if (live.every(({ pr_number }) => pr_number === null))
        absent.set(key, live.length > 0 ? lastDeclared(live) : null)
      continue
    }
    // A closed pull request is left out: the event that closed it ends its pairs.
    const other = from.others.get(numberOf(key) as number)
    if (other) absent.set(key, lastChangeOf(other))
  }
  return absent
}

/** Records the pairs of a side that share only noise, once for each class of noise. */
async function enterNoise(within: RepoContext, key: SideKey, { noise }: Conclusion): Promise<void> {
  const { db, now, repo, settings } = within
  const rules = rulesOf(settings, repo.noise_attributes).noise
  const found = new Map<string, { noise: NoiseClass; first: SideKey; second: SideKey }>()
  for (const { key: other, overlaps } of groupOverlaps(noise)) {
    if (other === null || other === key) continue
    const [first, second] = slotOf(key, other) === 'first' ? [key, other] : [other, key]
    for (const { example } of overlaps.flatMap(({ match }) => match.paths)) {
      const noise_class = noiseOfPath(example, rules, { is_file: true }) ?? 'binary'
      found.set(JSON.stringify([noise_class, other]), { noise: noise_class, first, second })
    }
  }
  await saveNoisePairs(db, repo.id, [...found.values()], now)
}
