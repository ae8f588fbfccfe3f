/** Pairs of pull requests, or of branches without one, whose changes conflict or do the same (docs/contract/signal.md#ledger). Pure. */
import type { Consequence, TakenFinding } from '../../vocabulary/finding-kinds.ts'
import type { Confidence, LineRange } from '../../vocabulary/verdict.ts'

/** `#12` for a pull request, `branch:NAME` for a branch without one. The name of a branch contains no colon. */
export type SideKey = string

/** The two sides in a row of `pairs`. */
export const SLOTS = ['first', 'second'] as const
export type Slot = (typeof SLOTS)[number]

/** A file in which a pair conflicts, with the lines of each side on its own base. */
export interface PairFile {
  path: string
  first_lines: LineRange | null
  second_lines: LineRange | null
}

/** A number or a parent that both sides take (docs/contract/numbers.md). */
export interface PairSequence {
  kind: TakenFinding['kind']
  directory: string
  /** The number, or the name of the parent. */
  value: string
  /** The names of the files of both sides. */
  first: string
  second: string
  /** The names by which other migrations build on them; null for numbers. */
  first_own: string | null
  second_own: string | null
}

/** The maximum number of files that are stored with a pair. */
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
  /** False if the service did not see the event, which then happened between `at` and `received_at`. */
  is_exact: boolean
  /** The head commit of a pull request; null for a branch. */
  head: string | null
}

/**
 * Which of two sides brought their overlap about: the one that was pushed or declared last or, within a second, that the
 * service learned of last. Null if that is unknown.
 */
export function causeOf(one: LastChange, other: LastChange): 'one' | 'other' | null {
  const latest = ({ at, received_at, is_exact }: LastChange) => (is_exact ? at : received_at)
  const later =
    bySecond(latest(one), latest(other)) || one.received_at.getTime() - other.received_at.getTime()
  if (later > 0) return one.is_exact ? 'one' : null
  if (later < 0) return other.is_exact ? 'other' : null
  return null
}

/** Compares times to the second, because GitHub's are no more precise. */
export function bySecond(one: Date, other: Date): number {
  return Math.floor(one.getTime() / 1000) - Math.floor(other.getTime() / 1000)
}

/** Whether a side was pushed or declared again since the state `before`. */
export function hasMoved(side: LastChange, before: { at: Date; head: string | null }): boolean {
  return side.at > before.at || (side.head !== null && before.head !== null && side.head !== before.head)
}

/** A side of pairs: a pull request, or a branch without one. */
export interface LedgerSide {
  key: SideKey
  /** The login of its author, or the actor of declared work; null if unknown. */
  author: string | null
  last_change: LastChange
}

/** A side with which a check found a conflict, a duplicate, a shared number or parent, or declared work. */
export interface Sighting extends LedgerSide {
  consequence: Consequence
  confidence: Confidence | null
  files: { path: string; your_lines: LineRange | null; their_lines: LineRange | null }[]
  sequence: SightedTaken[]
}

/** A number or a parent that both take, and the names by which other migrations build on their files, see `PairSequence`. */
interface SightedTaken {
  taken: TakenFinding
  your_own: string | null
  their_own: string | null
}

/** The slot of `key` in its pair with `other`. The lower key is first, in the byte order of PostgreSQL's `C` collation. */
export function slotOf(key: SideKey, other: SideKey): Slot {
  return Buffer.compare(Buffer.from(key), Buffer.from(other)) < 0 ? 'first' : 'second'
}

export function otherSlot(slot: Slot): Slot {
  return slot === 'first' ? 'second' : 'first'
}
