/** Ranks the activities that a check found by their changed lines. */

import type { Steps } from '../../vocabulary/clock.ts'
import { PAIRS_MAX } from '../../vocabulary/contract/overlap.ts'
import { consequenceOf } from '../../vocabulary/finding.ts'
import { activityWeight, bySeverity, type Ranked, type Weight } from '../../vocabulary/severity.ts'
import {
  type Comparison,
  type IndexedSide,
  isCommon,
  pullsOf,
  severityOf,
  withoutDuplicate,
} from '../kinds/kinds.ts'
import { storedScopeOf } from '../records/activity.ts'
import { compareChanges } from './compare.ts'
import { digestedSide, filesSince, indexedSide, readSides } from './sides.ts'
import type { CheckedWork } from './source.ts'

/** The maximum number of activities whose lines are compared in one check. */
export const BY_LINES_MAX = 2_000

export interface RankedByLines {
  /** Those that overlap, the most severe first, then the newest. */
  ranked: Ranked[]
  /** The ids of those that only change the same files, with their lines apart, the newest first. */
  same_file: string[]
  /** How many share nothing that counts, such as only noise. */
  left_out: number
  /** By activity id; none for an activity without changed files, or that the deadline does not reach. */
  comparisons: ReadonlyMap<string, Comparison>
}

/** Ranks activities by their changed lines. `found`: the activities with their severity by path, the most severe first. */
export async function rankByLines(
  work: CheckedWork,
  found: readonly Ranked[],
  openPulls: () => number,
): Promise<RankedByLines> {
  const { ctx, proposal, side, readFiles, rules } = work
  const { deadline } = rules
  const own = await deadline.run(
    indexedSide(side, await readFiles(deadline), { names: proposal.files, rules }),
  )
  const ids = found.map(({ id }) => id)
  const compared = new Map<string, Compared>()
  for await (const { row, side, files } of readSides(ctx, ids, deadline)) {
    const theirs = await deadline.run(digestedSide(side, files, rules))
    const pair = { yours: await ownSince(row.id, own, work), theirs, proposal, other: storedScopeOf(row) }
    const each = await deadline.run(compareChanges(pair, rules, { paths: 1, files: PAIRS_MAX }))
    if (each) compared.set(row.id, { ...each, weight: activityWeight(row), pr_number: row.pr_number })
  }
  const ranked = found.filter(({ id }) => !compared.has(id))
  await deadline.run(leaveOutCommon([...compared.values()], { own, work, openPulls }))
  const same_file: string[] = []
  let left_out = 0
  for (const [id, { comparison, weight }] of compared) {
    const severity = severityOf(comparison.findings, weight)
    if (severity !== null) ranked.push({ id, severity })
    else if (consequenceOf(comparison.findings) === 'same_file') same_file.push(id)
    else left_out += 1
  }
  const comparisons = new Map([...compared].map(([id, { comparison }]) => [id, comparison]))
  return { ranked: ranked.sort(bySeverity), same_file: same_file.sort().reverse(), left_out, comparisons }
}

interface Compared {
  comparison: Comparison
  weight: Weight
  pr_number: number | null
}

/**
 * Takes the duplicates away whose changes many others make too. How many make them is known by the files of the own side in
 * which each of them makes the same changes.
 */
function* leaveOutCommon(
  compared: readonly Compared[],
  { own, work, openPulls }: { own: IndexedSide; work: CheckedWork; openPulls(): number },
): Steps<void> {
  const counts = new Map<string, number>()
  for (const each of compared) {
    const { contained, agreed } = each.comparison
    if (!contained.yours && !contained.theirs) continue
    if (work.rules.deadline.isOver) return
    const changes = [...(contained.yours ? [...own.counted, ...own.manifests] : agreed)].sort()
    const key = JSON.stringify(changes)
    if (!counts.has(key)) {
      const makers = compared.filter(({ comparison }) => changes.every((one) => comparison.agreed.has(one)))
      counts.set(key, pullsOf([...work.pull_requests, ...makers.map(({ pr_number }) => pr_number)]))
    }
    if (isCommon(counts.get(key) ?? 0, openPulls)) each.comparison = withoutDuplicate(each.comparison)
    yield
  }
}

/** The own side for a comparison with `other`. A file without lines may be one that is yet to be changed. */
async function ownSince(
  other: string,
  own: IndexedSide,
  { ctx, self, proposal, rules }: CheckedWork,
): Promise<IndexedSide> {
  const since = await filesSince(ctx, { id: self[0] ?? null, other }, rules.deadline)
  if (since === undefined) return own
  const files = own.files.flatMap((file) => {
    const found = since.find(({ path }) => path === file.path)
    return found ? { ...found, origin: file.origin } : file.digest === null ? file : []
  })
  return rules.deadline.run(indexedSide(own, files, { names: proposal.files, rules }))
}
