/** How a pair of the ledger changes with each event (docs/contract/signal.md#outcomes). Pure: a row and an event make the next row. */

import { takenValue } from '../../vocabulary/finding.ts'
import type { Outcome } from '../../vocabulary/outcome.ts'
import type { LineRange } from '../../vocabulary/verdict.ts'
import {
  causeOf,
  FILES_MAX,
  hasMoved,
  type LastChange,
  type LedgerSide,
  otherSlot,
  type SideKey,
  type Sighting,
  type Slot,
  slotOf,
} from './pair.ts'
import type { PairRow } from './table.ts'

/** The other side of the pair. */
export function otherOf(row: Pick<PairRow, 'first' | 'second'>, key: SideKey): SideKey {
  return row.first === key ? row.second : row.first
}

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
    ...partOf(slot, { author: side.author, ...lastChangeFields(side.last_change) }),
    ...partOf(otherSlot(slot), {
      author: sighting.author,
      ...lastChangeFields(sighting.last_change),
    }),
    consequence: sighting.consequence,
    confidence: sighting.confidence,
    files: sighting.files.slice(0, FILES_MAX).map(({ path, your_lines, their_lines }) => ({
      path,
      ...linesOf(slot, your_lines, their_lines),
    })),
    sequence: sighting.sequence.map(({ taken, your_own, their_own }) => ({
      ...{ kind: taken.kind, directory: taken.directory, value: takenValue(taken) },
      ...partsOf(slot, taken.yours, taken.theirs),
      ...ownsOf(slot, your_own, their_own),
    })),
  }
  if (row?.outcome === 'open') return { ...row, ...found }
  if (row && row.merged !== null) return row
  const side_caused = causeOf(side.last_change, sighting.last_change)
  return {
    ...(row ?? {
      repo_id,
      first: slot === 'first' ? side.key : sighting.key,
      second: slot === 'first' ? sighting.key : side.key,
      seen_at: now,
      first_shown_at: null,
      second_shown_at: null,
      notified_at: null,
    }),
    ...found,
    is_done: false,
    cause: side_caused && (side_caused === 'one' ? slot : otherSlot(slot)),
    merged: null,
    merged_at: null,
    outcome: 'open',
    ended_at: null,
  } as PairRow
}

/**
 * The row after a complete comparison of side `key` did not find the pair any more. A push of either side resolves the pair;
 * anything else, such as a change of the settings, leaves it open. `other`: null for a branch whose work has ended, or work for another base branch.
 */
export function afterAbsence(
  row: PairRow,
  { key, mine, other }: { key: SideKey; mine: LastChange; other: LastChange | null },
  now: Date,
): PairRow {
  if (row.outcome !== 'open' || row.merged !== null) return row
  if (other === null) return withOutcome(row, 'given_up', now)
  const slot = slotOf(key, otherOf(row, key))
  const [first, second] = slot === 'first' ? [mine, other] : [other, mine]
  const moved = [
    ...(hasMoved(first, lastOf(row, 'first')) ? [first.at] : []),
    ...(hasMoved(second, lastOf(row, 'second')) ? [second.at] : []),
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
  const by_ms = row.outcome === 'open' || row.ended_at === null ? 1 : row.ended_at.getTime() - at.getTime()
  const isFirst = by_ms > 0 || (by_ms === 0 && is_merged && row.outcome === 'given_up')
  if (!isFirst || (row.outcome === 'resolved' && !is_merged)) return row
  if (!is_merged) return withOutcome(row, 'given_up', at)
  return withOutcome(row.is_done ? row : { ...row, merged: slot, merged_at: at }, 'merged_anyway', at)
}

/**
 * The row after a check found that the other side, which was merged, has most of the lines of the side. A
 * shown pair that ended with or after a merge stays as it is.
 */
export function afterDone(
  row: PairRow | undefined,
  { side, done, repo_id, now }: { side: LedgerSide; done: MergedSide; repo_id: number; now: Date },
): PairRow {
  const wasShown = row && (row.first_shown_at ?? row.second_shown_at) !== null
  if (wasShown && row.outcome !== 'open' && row.merged !== null) return row
  const slot = slotOf(side.key, done.key)
  const merged = otherSlot(slot)
  const { key, author, merged_at, head } = done
  const found = {
    ...partOf(slot, { author: side.author, ...lastChangeFields(side.last_change) }),
    is_done: true,
    consequence: 'same_work',
    merged,
    merged_at,
    outcome: 'open',
    ended_at: null,
  }
  if (row) return { ...row, ...found } as PairRow
  return {
    repo_id,
    first: slot === 'first' ? side.key : key,
    second: slot === 'first' ? key : side.key,
    ...partOf(merged, { author, active_at: merged_at, head }),
    cause: slot,
    confidence: null,
    files: [],
    sequence: [],
    seen_at: now,
    first_shown_at: null,
    second_shown_at: null,
    notified_at: null,
    ...found,
  } as unknown as PairRow
}

/** The row of work that was done already, after a check of the side did not find that any more. Only its push resolves it. */
export function afterUndone(row: PairRow, { key, last_change }: LedgerSide): PairRow {
  const before = lastOf(row, slotOf(key, otherOf(row, key)))
  return hasMoved(last_change, before) ? withOutcome(row, 'resolved', last_change.at) : row
}

/** A merged pull request. */
interface MergedSide {
  key: SideKey
  author: string
  merged_at: Date
  head: string
}

/** The state of a side at the last comparison. */
function lastOf(row: PairRow, slot: Slot): { at: Date; head: string | null } {
  return { at: row[`${slot}_active_at`], head: row[`${slot}_head`] }
}

function lastChangeFields({ at, head }: LastChange) {
  return { active_at: at, head }
}

export function withOutcome(row: PairRow, outcome: Exclude<Outcome, 'open'>, at: Date): PairRow {
  return { ...row, outcome, ended_at: at }
}

/** The row after a branch got a pull request, so that the key of its side changed. */
export function afterRename(row: PairRow, from: SideKey, to: SideKey): PairRow {
  const other = otherOf(row, from)
  const [before, after] = [slotOf(from, other), slotOf(to, other)]
  const next = before === after ? row : swapped(row)
  return { ...next, [after]: to, [otherSlot(after)]: other }
}

function swapped(row: PairRow): PairRow {
  return {
    ...row,
    first: row.second,
    second: row.first,
    first_author: row.second_author,
    second_author: row.first_author,
    first_active_at: row.second_active_at,
    second_active_at: row.first_active_at,
    first_head: row.second_head,
    second_head: row.first_head,
    first_shown_at: row.second_shown_at,
    second_shown_at: row.first_shown_at,
    cause: row.cause && otherSlot(row.cause),
    merged: row.merged && otherSlot(row.merged),
    files: row.files.map(({ path, first_lines, second_lines }) => ({
      path,
      first_lines: second_lines,
      second_lines: first_lines,
    })),
    sequence: row.sequence.map(({ first, second, first_own, second_own, ...each }) => ({
      ...each,
      first: second,
      second: first,
      first_own: second_own,
      second_own: first_own,
    })),
  }
}

/** The fields with the prefix `first_` or `second_`. */
function partOf<Part extends object>(slot: Slot, part: Part) {
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [`${slot}_${name}`, value]))
}

function partsOf(slot: Slot, yours: string, theirs: string) {
  return slot === 'first' ? { first: yours, second: theirs } : { first: theirs, second: yours }
}

function ownsOf(slot: Slot, yours: string | null, theirs: string | null) {
  return slot === 'first'
    ? { first_own: yours, second_own: theirs }
    : { first_own: theirs, second_own: yours }
}

function linesOf(slot: Slot, yours: LineRange | null, theirs: LineRange | null) {
  return slot === 'first'
    ? { first_lines: yours, second_lines: theirs }
    : { first_lines: theirs, second_lines: yours }
}
