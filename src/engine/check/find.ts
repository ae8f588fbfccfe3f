/** Finds the records that overlap with a proposal. */

import type { Steps } from '../../vocabulary/clock.ts'
import { IDS_MAX } from '../../vocabulary/contract/overlap.ts'
import { pathIn } from '../../vocabulary/file-number.ts'
import { overlapsAny } from '../../vocabulary/scope/path-set.ts'
import { bySeverity, overlapSeverity, type Ranked, type Severity } from '../../vocabulary/severity.ts'
import { type Comparison, pullsOf } from '../kinds/kinds.ts'
import { JOURNAL, manifestPlaces, takenPlaces } from '../lines/taken.ts'
import type { LiveSet, NearBy } from '../live-set.ts'
import { areaPlace, issuePlace, type LiveRecord } from '../record.ts'
import type { Proposal } from './compare.ts'
import type { Conclusion } from './conclusion.ts'
import { BY_LINES_MAX, rankByLines } from './found-by-lines.ts'
import type { CheckedWork } from './source.ts'

type OfNear = Pick<Conclusion, 'expected' | 'other_base' | 'isForOtherBase' | 'cut'>
type OfWork = Pick<Conclusion, 'same_file' | 'total_related' | 'checked_against'>

export interface FoundWork extends OfNear, OfWork {
  /** The most severe first, then the newest, at most `IDS_MAX`. */
  activities: Ranked[]
  notables: Ranked[]
  /** By the id of each activity with changed files. */
  comparisons: ReadonlyMap<string, Comparison>
}

type Counts = ReturnType<LiveSet['countAt']>

/** The live activities that collide, and the notables that apply. A notable without a scope applies everywhere. */
export async function findOverlaps(work: CheckedWork): Promise<FoundWork> {
  const { ctx, proposal, rules, side } = work
  const near = await findNear(work)
  const isByLines = side.files.length > 0 && near.activities.length > 0
  const byPath = near.activities.slice(0, BY_LINES_MAX)
  const { ranked, same_file, left_out, comparisons } = isByLines
    ? await rankByLines(work, byPath, near.openPulls)
    : { ranked: byPath, same_file: [], left_out: 0, comparisons: new Map() }
  const isRanked = !isByLines || near.activities.length <= BY_LINES_MAX
  const isComplete = proposal.complete && isRanked && !rules.deadline.isOver
  // Without paths, it does not matter which files of others are unknown.
  const cut = proposal.paths.globs.length > 0 ? near.cut : 0
  return {
    activities: ranked.slice(0, IDS_MAX),
    notables: near.notables.slice(0, IDS_MAX),
    same_file,
    comparisons,
    total_related: near.activities.length - left_out - same_file.length + near.notables.length,
    expected: near.expected,
    other_base: near.other_base.slice(0, IDS_MAX),
    isForOtherBase: near.isForOtherBase,
    cut: cut + work.cut,
    checked_against: {
      ...near.compared,
      as_of: ctx.now.toISOString(),
      complete: isComplete && proposal.emptiness !== 'nothing_given',
    },
  }
}

interface FoundNear extends OfNear {
  compared: Counts
  /** All of them, the most severe first, then the newest. */
  activities: Ranked[]
  /** The number of open pull requests with live work. */
  openPulls(): number
  notables: Ranked[]
}

/** The live records that share a path, an area or something taken with the proposal, and what is known about the others. */
async function findNear(work: CheckedWork): Promise<FoundNear> {
  const { ctx, proposal, rules } = work
  const set = await ctx.source.liveSet()
  const now = ctx.now.getTime()
  const stacks = set.stacksAt(now)
  const self = new Set(work.self)
  const expected = stacks.expectedOf(work)
  const isOther = (record: LiveRecord) =>
    record.ends_at > now && !self.has(record.id) && !expected.has(record)
  const near = await rules.deadline.run(
    nearProposal(set, { proposal, taken: () => takenOf(work, set), rules }, isOther),
  )
  const activities: Ranked[] = []
  const notables: Ranked[] = []
  const other_base: string[] = []
  const isForOtherBase: Conclusion['isForOtherBase'] = (other) => stacks.areForOtherBases(work, other)
  for (const [record, by] of near) {
    if (!isOther(record)) continue
    const ranked = { id: record.id, severity: severityNear(record, by) }
    if (record.kind === 'notable') notables.push(ranked)
    else if (isForOtherBase(record)) other_base.push(record.id)
    else activities.push(ranked)
  }
  const others = set.countAt(now)
  for (const id of self) if ((set.get(id)?.ends_at ?? 0) > now) others.activities -= 1
  const isNearOrApart = (record: LiveRecord) => near.has(record) || isForOtherBase(record)
  return {
    activities: activities.sort(bySeverity),
    notables: notables.sort(bySeverity),
    expected: new Map([...expected].flatMap(([{ id }, how]) => (self.has(id) ? [] : [[id, how] as const]))),
    other_base: other_base.sort().reverse(),
    isForOtherBase,
    compared: comparedOf(proposal, others),
    openPulls: () =>
      pullsOf([...set.records()].flatMap(({ ends_at, pr_number }) => (ends_at > now ? pr_number : []))),
    cut: [...set.cut()].filter((record) => isOther(record) && !isNearOrApart(record)).length,
  }
}

/** An empty proposal is compared with no activity, and one that was too large to read with nothing. */
function comparedOf({ complete, emptiness }: Proposal, others: Counts): Counts {
  if (!complete) return { activities: 0, notables: 0 }
  return { ...others, activities: emptiness === null ? others.activities : 0 }
}

export function severityNear({ kind, weight }: LiveRecord, by: NearBy): Severity {
  if (kind === 'notable') return overlapSeverity('notable', weight)
  return by === 'issue' ? 'high' : overlapSeverity(by, weight)
}

/** The places of its numbers, parents, manifests and issues. The journal that numbers a directory may be changed by the other side. */
function takenOf({ rules: { numbers }, side: { files, issues } }: CheckedWork, { paths }: LiveSet): string[] {
  const isNumbered = (directory: string) =>
    numbers.isNumbered(directory) ?? (paths.fileNamed(pathIn(directory, JOURNAL)) ? true : undefined)
  const taken = [...takenPlaces(files, { ...numbers, isNumbered }), ...manifestPlaces(files, numbers)]
  return [...taken, ...[...issues].map(issuePlace)]
}

/**
 * The records that share a path, an area or something `taken` with a proposal, and some that are not wanted. An area whose globs
 * in the settings overlap with the proposal's paths is as much as a shared path. If the deadline is over, some are missing.
 */
export function* nearProposal(
  set: LiveSet,
  { proposal, taken, rules }: Pick<CheckedWork, 'proposal' | 'rules'> & { taken(): readonly string[] },
  isWanted: (record: LiveRecord) => boolean,
): Steps<Map<LiveRecord, NearBy>> {
  const places = new Map([...proposal.labels.keys()].map((key) => [areaPlace(key), false]))
  for (const [key, globs] of rules.areas) {
    if (yield* overlapsAny(proposal.paths, globs, rules)) places.set(areaPlace(key), true)
    yield
  }
  for (const place of taken()) places.set(place, true)
  return yield* set.near({ paths: proposal.paths, places }, { ...rules, isWanted })
}
