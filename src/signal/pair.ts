/** Pairs of pull requests, or of branches without one, whose changes conflict or do the same (contract §12). Pure. */
import type { Confidence, LineRange } from '../lines/verdict.ts'

/** `#12` for a pull request, `branch:NAME` for a branch without one. The name of a branch contains no colon. */
export type SideKey = string

export const PLACES = ['first', 'second'] as const
export type Place = (typeof PLACES)[number]

/**
 * What became of a pair: `came_true` if one side was merged and the other had to follow its lines; `resolved` if a push took
 * the overlap away before; `wrong` if the other one did not have to; `given_up` if one was closed unmerged.
 */
export const OUTCOMES = ['open', 'came_true', 'resolved', 'wrong', 'given_up'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** A file in which a pair conflicts, with the lines of each side on its own base. */
export interface PairFile {
  path: string
  first_lines: LineRange | null
  second_lines: LineRange | null
}

/** The files of a pair that are kept. */
export const FILES_MAX = 20

export function pullRequestKey(number: number): SideKey {
  return `#${number}`
}

const BRANCH = 'branch:'

export function branchKey(branch: string): SideKey {
  return `${BRANCH}${branch}`
}

/** The number of a pull request; null for a branch. */
export function numberOf(key: SideKey): number | null {
  return key.startsWith('#') ? Number(key.slice(1)) : null
}

/** The branch of a side without a pull request; null for a pull request. */
export function branchOf(key: SideKey): string | null {
  return key.startsWith(BRANCH) ? key.slice(BRANCH.length) : null
}

/** When a side was last pushed or declared. */
export interface LastChange {
  at: Date
  /** When the service learned of it. */
  received_at: Date
  /** The event was seen; otherwise it was not later. */
  is_exact: boolean
  /** The head commit of a pull request; null for a branch. */
  head: string | null
}

/**
 * Which of two sides brought their overlap about: the one that was pushed or declared last or, within a second, that the
 * service learned of last. Null if that is unknown.
 */
export function causeOf(one: LastChange, other: LastChange): 'one' | 'other' | null {
  const later = bySecond(one.at, other.at) || one.received_at.getTime() - other.received_at.getTime()
  if (later > 0) return one.is_exact ? 'one' : null
  if (later < 0) return other.is_exact ? 'other' : null
  return null
}

/** Compares times to the second, because GitHub's are no more precise. */
export function bySecond(one: Date, other: Date): number {
  return Math.floor(one.getTime() / 1000) - Math.floor(other.getTime() / 1000)
}

/** Whether a side was pushed or declared again since it was `before`. */
export function hasMoved(side: LastChange, before: { at: Date; head: string | null }): boolean {
  return side.at > before.at || (side.head !== null && before.head !== null && side.head !== before.head)
}

/** A pair as one of its sides sees it. */
export interface Sighting {
  other: SideKey
  other_author: string | null
  other_last_change: LastChange
  is_duplicate: boolean
  confidence: Confidence | null
  files: { path: string; your_lines: LineRange | null; their_lines: LineRange | null }[]
}

/** A side of pairs. */
export interface LedgerSide {
  key: SideKey
  author: string | null
  last_change: LastChange
}

/** The place of `key` in its pair with `other`: keys are compared by code unit, as PostgreSQL does for the `C` collation. */
export function placeOf(key: SideKey, other: SideKey): Place {
  return Buffer.compare(Buffer.from(key), Buffer.from(other)) < 0 ? 'first' : 'second'
}

export function otherPlace(place: Place): Place {
  return place === 'first' ? 'second' : 'first'
}
