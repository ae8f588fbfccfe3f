/** Searches the claims index for the records that overlap with a proposal. */
import type { Expected } from '../../vocabulary/contract/overlap.ts'
import {
  type ComparedActivity,
  comparedFrom,
  type MergedActivity,
  mergedFrom,
} from '../activities/live-store.ts'
import type { Kind } from '../claims-index/claim.ts'
import { hourAt } from '../db/column.ts'
import type { Db } from '../db/database.ts'
import { type Answer, CLAIM_KINDS, type Probes, RANGE_PROBES, TRUTH_TABLE } from './probes.ts'
import { type Hit, KEYS_MAX, type Key, runCountUndecided, runSearch, type SearchRow } from './search-store.ts'

export type { Hit, Key }

/** A key that was decided. `by_path`: it overlaps by a path, and not only by an area. */
export interface Decided extends Omit<Key, 'is_notable'> {
  by_path: boolean
}

/** `top`: the most severe, then the newest, at most `Search.limit` of `total`. */
export interface Hits {
  top: Hit[]
  total: number
}

export interface Counts {
  activities: number
  notables: number
}

export interface SearchResult {
  activities: Hits
  notables: Hits
  /** The live activities that are left out as own or stacked. */
  expected: Expected
  /** The activities that overlap but have another base branch, the newest first. */
  other_base: string[]
  /** The number of live activities except `self`, and of active notables that apply. */
  live: Counts
  /** The number of live activities that do not overlap as far as is known, because GitHub cut the list of their files. */
  cut: number
  /** What remains to be decided, at most `KEYS_MAX`: those of the most severe and newest records first. */
  keys: Key[]
  /** False if there are more keys. */
  complete: boolean
  /** The first activities of the list, by id; see `Search.records`. */
  records: ReadonlyMap<string, ComparedActivity>
  /** The activities that were merged last, newest first; see `Search.merged`. */
  merged: MergedActivity[]
  /** The version of the repository's row; null if it is not stored. */
  repository_version: string | null
}

export interface Search {
  now: Date
  /** The ids of the activities that are checked, if they exist. They are left out. */
  self: string[]
  branch: string | null
  base_branch: string | null
  probes: Probes
  /** See `Rules`. */
  ignored: string | null
  /** The maximum number of activities and of notables that are returned. */
  limit: number
  /**
   * The maximum number of activities that are returned with their fields. Reading them in a statement of their own makes
   * checks that overlap 4 to 12 % slower.
   */
  records: number
  /**
   * The maximum number of activities merged after `since` that are returned. A statement of their own makes a check 5 %
   * slower.
   */
  merged: { since: Date; limit: number }
  /** The keys that overlap. Undefined in the first search, which returns the keys to decide. */
  decided?: Decided[]
}

/** The records that overlap. The first search returns those that are sure, and the keys that remain to be decided. */
export async function search(db: Db, repo_id: number, input: Search): Promise<SearchResult> {
  const { now, self, branch, base_branch, probes, ignored, limit, records, merged, decided } = input
  const [row] = (await runSearch(db, {
    ...instant(repo_id, now),
    ...parametersOf(probes),
    ignored,
    branch,
    base_branch,
    is_first: decided === undefined,
    limit,
    records,
    merged_since: merged.since.toISOString(),
    merged: merged.limit,
    self: JSON.stringify(self),
    decided: JSON.stringify(decided ?? []),
  })) as [SearchRow]
  const expected: Expected = new Map(row.expected.map(({ id }) => [id, 'stacked']))
  for (const { id, is_own } of row.expected) if (is_own) expected.set(id, 'own')
  for (const id of self) expected.delete(id)
  return {
    activities: { top: row.activities.map(({ id, rank }) => ({ id, rank })), total: row.activities_total },
    notables: { top: row.notables, total: row.notables_total },
    records: new Map(
      row.activities.flatMap(({ id, record }) => (record ? [[id, comparedFrom(record)] as const] : [])),
    ),
    expected,
    other_base: row.other_base,
    live: { activities: row.live_activities, notables: row.live_notables },
    cut: row.cut_activities,
    keys: row.keys.slice(0, KEYS_MAX),
    complete: row.keys.length <= KEYS_MAX,
    merged: row.merged.map(mergedFrom),
    repository_version: row.repository_version,
  }
}

/**
 * The number of records that may overlap but were not decided. `decided`: all keys that were decided, whether they overlap
 * or not.
 */
export async function countUndecided(
  db: Db,
  repo_id: number,
  input: Pick<Search, 'now' | 'probes' | 'ignored'> & {
    excluded: string[]
    decided: (Omit<Decided, 'by_path'> & { is_overlap: boolean })[]
  },
): Promise<Counts> {
  const { now, probes, ignored, excluded, decided } = input
  const [counts] = await runCountUndecided(db, {
    ...instant(repo_id, now),
    ...parametersOf(probes),
    ignored,
    excluded: JSON.stringify(excluded),
    decided: JSON.stringify(decided),
  })
  return counts as Counts
}

function parametersOf({ ranges, points, labels }: Probes) {
  return {
    ranges: JSON.stringify(ranges.map(({ low, high, probe }) => ({ low, high, ...RANGE_KINDS[probe] }))),
    points: JSON.stringify(
      points.map(({ place, probe }) => {
        const sure = kindsOf(TRUTH_TABLE[probe].at, 'sure')
        return { place, first_sure: sure[0] ?? 0, last_sure: sure.at(-1) ?? -1 }
      }),
    ),
    labels: JSON.stringify(labels),
  }
}

/** The kinds of claims to which the truth table gives an answer. */
function kindsOf(row: readonly Answer[], answer: Answer): Kind[] {
  return CLAIM_KINDS.filter((_, index) => row[index] === answer)
}

/** The truth table of range probes as the statement takes it. */
const RANGE_KINDS = Object.fromEntries(
  RANGE_PROBES.map((probe) => {
    const { at, beneath } = TRUTH_TABLE[probe]
    return [
      probe,
      {
        sure_at: kindsOf(at, 'sure'),
        sure_beneath: kindsOf(beneath, 'sure'),
        skip_at: kindsOf(at, 'skip'),
        skip_beneath: kindsOf(beneath, 'skip'),
      },
    ]
  }),
)

function instant(repo_id: number, now: Date) {
  return { repo_id, now: now.toISOString(), hour: hourAt(now) }
}
