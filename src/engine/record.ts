/** A record as it is compared, an activity or a notable, and what it takes or is called: a text that only the same thing has. */

import { labelKey, type Scope } from '../vocabulary/contract/scope.ts'
import type { Weight } from '../vocabulary/severity.ts'
import type { PathEntry } from './path-index.ts'
import type { Branches } from './stacks.ts'

/** A record as the database has it. A notable has no branch. */
export interface Outline extends Branches {
  readonly id: string
  readonly kind: 'activity' | 'notable'
  readonly weight: Weight
  /** When it ceases to count, in milliseconds since 1970. A heartbeat moves it. */
  ends_at: number
  readonly pr_number: number | null
  /** Not all of its changed files are known. */
  readonly is_cut: boolean
  readonly scope: StoredScope
}

/** A change of a record. `outline` is null if it does not count any more. */
export interface Change {
  id: string
  version: number
  outline: Outline | null
}

export interface LiveRecord extends Omit<Outline, 'scope'> {
  /** Nothing can move its end any more. */
  is_ended: boolean
  readonly has_files: boolean
  /** How many of its paths, the first ones, are names of files that it declares. */
  literal: number
  readonly areas: readonly string[]
  readonly taken: readonly string[]
  readonly paths: readonly PathEntry<LiveRecord>[]
}

/** The approximate bytes of a record without its texts, of a path, and of each character. */
const RECORD_BYTES = 400
const PATH_BYTES = 150
const CHARACTER_BYTES = 2

/**
 * The record of an outline, without its paths. Each field is written by its name: objects that V8 makes by spreading take more
 * than twice the memory and are read ten times slower.
 */
export function recordOf(outline: Outline): LiveRecord & { paths: PathEntry<LiveRecord>[] } {
  const { id, kind, weight, branch, base_branch, ends_at, pr_number, is_cut, scope } = outline
  const { areas, taken } = scope
  const is_ended = kind === 'notable'
  return {
    id,
    kind,
    weight,
    branch,
    base_branch,
    ends_at,
    pr_number,
    is_cut,
    is_ended,
    has_files: scope.files.length > 0,
    literal: 0,
    areas,
    taken,
    paths: [],
  }
}

/** What another record has to share with it, besides paths. */
export function placesOf({ areas, taken }: Pick<LiveRecord, 'areas' | 'taken'>): Set<string> {
  return new Set([...areas.map(areaPlace), ...taken])
}

export function bytesOf({ areas, taken, paths }: LiveRecord): number {
  let bytes = RECORD_BYTES
  for (const text of [...areas, ...taken]) bytes += CHARACTER_BYTES * text.length
  for (const { source } of paths) bytes += PATH_BYTES + CHARACTER_BYTES * source.length
  return bytes
}

/** The scope of a record as it is compared. */
export interface StoredScope extends Scope {
  /** The paths are file names without wildcards. */
  is_literal: boolean
  files: readonly string[]
  /** The places of its numbers, of its parents and of its issues. */
  taken: readonly string[]
}

export function scopeOf({ areas, taken, literal, paths }: LiveRecord): StoredScope {
  const declared = literal > 0 ? paths.slice(0, literal) : paths.filter(({ is_file }) => !is_file)
  const files = paths.slice(declared.length)
  const sourceOf = ({ source }: PathEntry<LiveRecord>) => source
  return {
    areas: [...areas],
    paths: declared.map(sourceOf),
    is_literal: literal > 0,
    files: files.map(sourceOf),
    taken,
  }
}

export function areaPlace(label: string): string {
  return `#${labelKey(label)}`
}

/** The place of an issue, which all activities on it share. */
export function issuePlace(number: number): string {
  return `${ISSUE_MARK}${number}`
}

/** The first character of the place of an issue, and of no other. */
export const ISSUE_MARK = '!'
