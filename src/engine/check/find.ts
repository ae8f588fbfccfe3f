/** Finds the records that overlap with a proposal, and ranks the activities among them by their changed lines. */
import type { Steps } from '../../vocabulary/clock.ts'
import { IDS_MAX, PAIRS_MAX } from '../../vocabulary/contract/overlap.ts'
import { pathIn } from '../../vocabulary/file-number.ts'
import { consequenceOf } from '../../vocabulary/finding.ts'
import { overlapsAny } from '../../vocabulary/scope/path-set.ts'
import {
  activityWeight,
  bySeverity,
  overlapSeverity,
  type Ranked,
  type Severity,
  type Weight,
} from '../../vocabulary/severity.ts'
import {
  type Comparison,
  type IndexedSide,
  isCommon,
  pullsOf,
  severityOf,
  withoutDuplicate,
} from '../kinds/kinds.ts'
import { JOURNAL, manifestPlaces, takenPlaces } from '../lines/taken.ts'
import type { LiveSet, NearBy } from '../live-set.ts'
import { areaPlace, issuePlace, type LiveRecord } from '../record.ts'
import { storedScopeOf } from '../records/activity.ts'
import type { Branches } from '../stacks.ts'
import { compareChanges, type Proposal } from './compare.ts'
import { digestedSide, filesSince, indexedSide, readSides } from './sides.ts'
import type { CheckedWork, Conclusion } from './source.ts'

type OfNear = Pick<Conclusion, 'expected' | 'other_base' | 'isApart' | 'cut'>

export interface FoundWork
  extends OfNear,
    Pick<Conclusion, 'same_file' | 'total_related' | 'checked_against'> {
  /** The most severe first, then the newest, at most `IDS_MAX`. */
  activities: Ranked[]
  notables: Ranked[]
  /** By the id of each activity with changed files. */
  comparisons: ReadonlyMap<string, Comparison>
}

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
  return {
    activities: ranked.slice(0, IDS_MAX),
    notables: near.notables.slice(0, IDS_MAX),
    same_file,
    comparisons,
    total_related: near.activities.length - left_out - same_file.length + near.notables.length,
    expected: near.expected,
    other_base: near.other_base.slice(0, IDS_MAX),
    isApart: near.isApart,
    // Without paths, it does not matter which files of others are unknown.
    cut: work.cut + (proposal.paths.globs.length > 0 ? near.cut : 0),
    checked_against: {
      ...near.compared,
      as_of: ctx.now.toISOString(),
      complete: isComplete && proposal.emptiness !== 'nothing_given',
    },
  }
}

interface FoundNear extends OfNear {
  compared: ReturnType<LiveSet['countAt']>
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
  const isForOtherBase = (other: Branches) => stacks.areForOtherBases(work, other)
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
    isApart: (other) => stacks.areApart(work, other),
    compared: comparedOf(proposal, others),
    openPulls: () =>
      pullsOf([...set.records()].flatMap(({ ends_at, pr_number }) => (ends_at > now ? pr_number : []))),
    cut: [...set.cut()].filter((record) => isOther(record) && !isNearOrApart(record)).length,
  }
}

/** An empty proposal is compared with no activity, and one that was too large to read with nothing. */
function comparedOf({ complete, emptiness }: Proposal, others: FoundNear['compared']) {
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

/** The maximum number of activities whose lines are compared in one check. */
const BY_LINES_MAX = 2_000

interface RankedByLines {
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
async function rankByLines(
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
