/** A pair of live activities that share something, and the order of pairs. */
import { SHARED_PATHS_MAX } from '../vocabulary/contract/overlap-list.ts'
import { byRank, type Severity } from '../vocabulary/severity.ts'
import type { PathEntry } from './path-index.ts'
import type { LiveRecord } from './record.ts'

/** Two activities that share something. */
export interface Pair {
  /** The positions of the two activities in the order added: the newest is 0. */
  newer: number
  older: number
  /** The severity by path. The two sides can differ in it; this is the higher one. */
  severity: Severity
  areas: string[]
  /** Paths that match a common path, other than files that both change; at most `SHARED_PATHS_MAX`. */
  shared: SharedPath[]
  /** Files that both change; at most `SHARED_PATHS_MAX`. */
  files: SharedPath[]
  /** Both have changed files, so the pair can be compared by lines. */
  by_lines: boolean
  /** Both are on one issue. */
  on_one_issue: boolean
}

/** A path of each of the two. */
export interface SharedPath {
  newer: Entry
  older: Entry
}

export type Entry = PathEntry<LiveRecord>

/** Whether the path is a file that it changes, and not one that it declares. */
export function changes({ literal, paths }: LiveRecord, entry: Entry): boolean {
  return entry.is_file && (literal === 0 || paths.indexOf(entry) >= literal)
}

/** A glob of an area may be declared, too. */
export function add(list: SharedPath[], shared: SharedPath): void {
  if (list.length >= SHARED_PATHS_MAX) return
  const { newer, older } = shared
  const isThere = list.some(
    (each) => each.newer.source === newer.source && each.older.source === older.source,
  )
  if (!isThere) list.push(shared)
}

/** The most severe first, then those of the newest activities. */
export function bySeverityAndAge(
  a: Pick<Pair, 'severity' | 'newer' | 'older'>,
  b: Pick<Pair, 'severity' | 'newer' | 'older'>,
): number {
  return byRank(a, b) || a.newer - b.newer || a.older - b.older
}
