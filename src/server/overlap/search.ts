/** Searches the claims index for the records that overlap with a proposal. */

import type { Expected } from '../../vocabulary/contract/overlap.ts'
import {
  type ComparedActivity,
  comparedFrom,
  type MergedActivity,
  mergedFrom,
} from '../activities/live-store.ts'
import type { Kind } from '../claims-index/claim.ts'
import type { Counted } from '../claims-index/table.ts'
import { hourAt } from '../db/column.ts'
import type { Db } from '../db/database.ts'
import { CLAIM_KINDS, type Probes, RANGE_PROBES, TRUTH_TABLE } from './probes.ts'
import { KEYS_MAX, runCountUndecided, runDecided, runSearch } from './statement-store.ts'

/** A claim that SQL cannot decide. Equal claims of several records are one key, except `TRUNCATED` ones. */
export interface Key {
  place: string
  kind: Kind
  glob: string
  /** The record of a `TRUNCATED` claim; else null. */
  record_id: string | null
  /** Whether the newest record with this claim is a notable. */
  is_notable: boolean
}

/** A key that was decided. `by_path`: it overlaps by a path, and not only by an area. */
export interface Decided extends Omit<Key, 'is_notable'> {
  by_path: boolean
}

/** A record that overlaps. `rank`: the index of its severity in `SEVERITIES`. */
export interface Hit {
  id: string
  rank: number
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
  /** The number of live activities except `self`, and of active notables that apply. */
  live: Counts
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
   * The maximum number of activities that are returned with their fields. The first search returns none if it finds more
   * than `limit`.
   */
  records: number
  /** The maximum number of activities merged after `since` that are returned. */
  merged: { since: Date; limit: number }
  /** The keys that overlap. Undefined in the first search, which returns the keys to decide. */
  decided?: Decided[]
}

type FoundRow = Awaited<ReturnType<typeof runSearch>>[number]

/** The records that overlap. The first search returns those that are sure, and the keys that remain to be decided. */
export async function search(db: Db, repo_id: number, input: Search): Promise<SearchResult> {
  const { now, self, branch, base_branch, probes, ignored, limit, records, merged, decided } = input
  const rows = await runSearch(db, {
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
  })
  const of = (part: FoundRow['part']) => rows.filter((row) => row.part === part)
  const expected: Expected = new Map()
  for (const { record_id } of of('stacked')) expected.set(record_id as string, 'stacked')
  for (const { record_id } of of('own')) expected.set(record_id as string, 'own')
  for (const id of self) expected.delete(id)
  const live = of('live')
  const liveOf = (counted: Counted) => live.find((row) => row.record_id === counted)?.total ?? 0
  const keys = of('key')
  return {
    activities: hitsOf(of('activity')),
    notables: hitsOf(of('notable')),
    expected,
    live: { activities: liveOf('act'), notables: liveOf('ntb') },
    keys: keys.slice(0, KEYS_MAX),
    complete: keys.length <= KEYS_MAX,
    records: recordsIn(of('activity')),
    merged: of('merged').map(({ json }) => mergedFrom(json as string)),
    repository_version: of('repository')[0]?.record_id ?? null,
  }
}

/** The records that have one of the decided keys, except `excluded`. */
export async function searchDecided(
  db: Db,
  repo_id: number,
  {
    now,
    excluded,
    decided,
    limit,
    records,
  }: Pick<Search, 'now' | 'limit' | 'records'> & {
    excluded: string[]
    decided: Decided[]
  },
): Promise<Pick<SearchResult, 'activities' | 'notables' | 'records'>> {
  const rows = await runDecided(db, {
    ...instant(repo_id, now),
    excluded: JSON.stringify(excluded),
    decided: JSON.stringify(decided),
    is_first: true,
    limit,
    records,
  })
  const found = rows.filter(({ part }) => part === 'activity')
  return {
    activities: hitsOf(found),
    notables: hitsOf(rows.filter(({ part }) => part === 'notable')),
    records: recordsIn(found),
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

function hitsOf(rows: Pick<FoundRow, 'record_id' | 'rank' | 'total'>[]): Hits {
  const top = rows.map(({ record_id, rank }) => ({ id: record_id as string, rank }))
  return { top, total: rows[0]?.total ?? 0 }
}

function recordsIn(rows: Pick<FoundRow, 'record_id' | 'json'>[]): Map<string, ComparedActivity> {
  return new Map(
    rows.flatMap(({ record_id, json }) =>
      json === null ? [] : [[record_id as string, comparedFrom(json)] as const],
    ),
  )
}

function parametersOf({ ranges, points, labels }: Probes) {
  const sent = points.map(({ place, probe }) => {
    const row = TRUTH_TABLE[probe].at
    return {
      place,
      first: row.indexOf('sure') + CLAIM_KINDS[0],
      last: row.lastIndexOf('sure') + CLAIM_KINDS[0],
    }
  })
  return {
    ranges: JSON.stringify(ranges.map((each) => ({ ...each, probe: RANGE_PROBES.indexOf(each.probe) }))),
    points: JSON.stringify(sent),
    labels: JSON.stringify(labels),
  }
}

function instant(repo_id: number, now: Date) {
  return { repo_id, now: now.toISOString(), hour: hourAt(now) }
}
