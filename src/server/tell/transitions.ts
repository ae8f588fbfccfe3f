/** How a pair of the ledger changes with each event (docs/contract/signal.md#outcomes). Pure: a row and an event make the next row. */

import type { ChangedFile } from '../../engine/lines/change.ts'
import { stillTaken } from '../../engine/lines/taken.ts'
import { takenValue } from '../../vocabulary/finding-kinds.ts'
import type { Outcome } from '../../vocabulary/shown.ts'
import type { Counterpart } from './counterparts.ts'
import { causeOf, hasMoved, type LastChange, type LedgerSide, type SideKey } from './sides.ts'
import type { BySlot, PairName, PairRow, PairSide, Slot } from './table.ts'

/** The maximum number of files that are stored with a pair. */
const FILES_MAX = 20

/** The slot of `key` in its pair with `other`. The lower key is `a`, in the byte order of PostgreSQL's `C` collation. */
export function slotOf(key: SideKey, other: SideKey): Slot {
  return Buffer.compare(Buffer.from(key), Buffer.from(other)) < 0 ? 'a' : 'b'
}

export function otherSlot(slot: Slot): Slot {
  return slot === 'a' ? 'b' : 'a'
}

/** The other side of the pair. */
export function otherOf(row: PairName, key: SideKey): SideKey {
  return row.a === key ? row.b : row.a
}

export function bySlot<Value>(slot: Slot, mine: Value, its: Value): BySlot<Value> {
  return slot === 'a' ? { a: mine, b: its } : { a: its, b: mine }
}

/** What a comparison stores of the other side. */
export type Sighting = LedgerSide & Pick<Counterpart, 'consequence' | 'confidence' | 'conflicts' | 'sequence'>

/**
 * The row after a comparison found the pair. `row`: the stored one, if any. A pair that had ended is opened again, unless
 * it ended after a merge.
 */
export function afterSighting(
  row: PairRow | undefined,
  { side, sighting, repo_id, now }: { side: LedgerSide; sighting: Sighting; repo_id: number; now: Date },
): PairRow {
  const slot = slotOf(side.key, sighting.key)
  const found = {
    sides: bySlot(slot, asStored(side), asStored(sighting)),
    consequence: sighting.consequence,
    confidence: sighting.confidence,
    files: sighting.conflicts.slice(0, FILES_MAX).map(({ example, your_lines, their_lines }) => ({
      path: example,
      ...bySlot(slot, your_lines, their_lines),
    })),
    sequence: sighting.sequence.map(({ taken, your_own, their_own }) => ({
      ...{ kind: taken.kind, directory: taken.directory, value: takenValue(taken) },
      ...bySlot(slot, { name: taken.yours, own: your_own }, { name: taken.theirs, own: their_own }),
    })),
  }
  if (row?.outcome === 'open') return { ...row, ...found }
  if (row && row.merged !== null) return row
  return {
    ...(row ?? { ...newPair(repo_id, now), ...bySlot(slot, side.key, sighting.key) }),
    ...found,
    cause: causeOf(bySlot(slot, side.last_change, sighting.last_change)),
    outcome: 'open',
    ended_at: null,
  }
}

function newPair(repo_id: number, now: Date) {
  const shown = { a_shown_at: null, b_shown_at: null, notified_at: null }
  return { repo_id, seen_at: now, ...shown, is_done: false, merged: null, merged_at: null }
}

function asStored({ author, last_change: { at, head } }: LedgerSide): PairSide {
  return { author, active_at: at.toISOString(), head }
}

/**
 * The open row after a complete comparison of side `key` did not find the pair any more. A push of either side resolves it;
 * anything else, such as a change of the settings, leaves it open. `other`: null for a branch whose work has ended, or work that got another base branch.
 */
export function afterAbsence(
  row: PairRow,
  { key, mine, other }: { key: SideKey; mine: LastChange; other: LastChange | null },
  now: Date,
): PairRow {
  if (other === null) return withOutcome(row, 'given_up', now)
  const slot = slotOf(key, otherOf(row, key))
  const moved = [
    ...(hasMoved(mine, row.sides[slot]) ? [mine.at] : []),
    ...(hasMoved(other, row.sides[otherSlot(slot)]) ? [other.at] : []),
  ]
  const [at] = moved.toSorted((a, b) => a.getTime() - b.getTime())
  return at ? withOutcome(row, 'resolved', at) : row
}

/**
 * The row after side `key` was merged or closed. The earlier end counts, whatever the order of the deliveries; of two at the
 * same time, the merge.
 */
export function afterEnd(
  row: PairRow,
  { key, is_merged, at }: { key: SideKey; is_merged: boolean; at: Date },
): PairRow {
  const slot = slotOf(key, otherOf(row, key))
  if (is_merged && row.merged === slot) return row
  const by_ms = row.ended_at === null ? 1 : row.ended_at.getTime() - at.getTime()
  const isFirst = by_ms > 0 || (by_ms === 0 && is_merged && row.outcome === 'given_up')
  if (!isFirst || (row.outcome === 'resolved' && !is_merged)) return row
  if (!is_merged) return withOutcome(row, 'given_up', at)
  return withOutcome(row.is_done ? row : { ...row, merged: slot, merged_at: at }, 'merged_anyway', at)
}

/**
 * The row after a check found that the other side, which was merged at its last change, has most of the lines of the side. A
 * shown pair that ended with or after a merge stays as it is.
 */
export function afterDone(
  row: PairRow | undefined,
  { side, done, repo_id, now }: { side: LedgerSide; done: LedgerSide; repo_id: number; now: Date },
): PairRow {
  const wasShown = row && (row.a_shown_at ?? row.b_shown_at) !== null
  if (wasShown && row.outcome !== 'open' && row.merged !== null) return row
  const slot = slotOf(side.key, done.key)
  const merged = otherSlot(slot)
  return {
    ...(row ?? {
      ...newPair(repo_id, now),
      ...bySlot(slot, side.key, done.key),
      ...{ cause: slot, confidence: null, files: [], sequence: [] },
    }),
    sides: bySlot(slot, asStored(side), row?.sides[merged] ?? asStored(done)),
    is_done: true,
    consequence: 'same_work',
    merged,
    merged_at: done.last_change.at,
    outcome: 'open',
    ended_at: null,
  }
}

/** The row of work that was done already, after a check of the side did not find that any more. Only its push resolves it. */
export function afterUndone(row: PairRow, { key, last_change }: LedgerSide): PairRow {
  const before = row.sides[slotOf(key, otherOf(row, key))]
  return hasMoved(last_change, before) ? withOutcome(row, 'resolved', last_change.at) : row
}

export function withOutcome(row: PairRow, outcome: Exclude<Outcome, 'open'>, at: Date): PairRow {
  return { ...row, outcome, ended_at: at }
}

/** The row after a branch got a pull request, so that the key of its side changed. */
export function afterRename(row: PairRow, from: SideKey, to: SideKey): PairRow {
  const other = otherOf(row, from)
  const slot = slotOf(to, other)
  const next = slot === slotOf(from, other) ? row : inOtherOrder(row)
  return { ...next, ...bySlot(slot, to, other) }
}

function inOtherOrder(row: PairRow): PairRow {
  return {
    ...swapped(row),
    sides: swapped(row.sides),
    a_shown_at: row.b_shown_at,
    b_shown_at: row.a_shown_at,
    cause: row.cause && otherSlot(row.cause),
    merged: row.merged && otherSlot(row.merged),
    files: row.files.map(swapped),
    sequence: row.sequence.map(swapped),
  }
}

function swapped<Each extends BySlot<unknown>>(each: Each): Each {
  return { ...each, a: each.b, b: each.a }
}

/** The pairs of a side, by the key of the other side. */
export type Pairs = ReadonlyMap<SideKey, PairRow>

/**
 * The pairs of a side. Those that were stored under `branch_key`, before the branch had a pull request, get the key of the
 * pull request, unless it has the pair already, or is the other side.
 */
export function gatherPairs(rows: readonly PairRow[], key: SideKey, branch_key: SideKey): Pairs {
  const isRenamed = ({ a, b }: PairName) => a === branch_key || b === branch_key
  const renamed = rows.filter(isRenamed).map((row) => afterRename(row, branch_key, key))
  const own = rows.filter((row) => !isRenamed(row))
  const pairs = new Map([...renamed, ...own].map((row) => [otherOf(row, key), row]))
  pairs.delete(key)
  return pairs
}

/**
 * What side `key` still takes of the numbers and parents that it shared with one that was merged since; empty unless that
 * was. `own_files`: the changed files of the side.
 */
export function takenAfterMerge(row: PairRow, key: SideKey, own_files: readonly ChangedFile[]) {
  const { merged, sequence } = row
  if (merged === null || row[merged] === key) return []
  const seen = sequence.map((each) => ({
    ...{ kind: each.kind, directory: each.directory, value: each.value },
    yours: each[otherSlot(merged)].name,
    theirs: each[merged].name,
    their_own: each[merged].own,
  }))
  return stillTaken(own_files, seen)
}
