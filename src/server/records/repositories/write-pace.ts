/** How fast an installation writes to GitHub and imports (docs/contract/organisations.md#queue). Pure. */
import { later } from '../../../vocabulary/clock.ts'

/** GitHub allows an App about 80 writes a minute and 500 an hour that create content. */
const PER_HOUR = 500
/** The time between two writes: 60 a minute. GitHub asks Apps for one second. */
const SPACING_MS = 1000
/** So many writes are made without further waiting. */
const BURST = 80
/** Then they are spread evenly: whatever the burst, any hour has at most `PER_HOUR`. */
const INTERVAL_MS = Math.ceil(3_600_000 / (PER_HOUR - BURST - 1))

export interface WritePace {
  /** No write is made before this time. */
  next_write_at: Date | null
  /** The writes made so far are worth this much time, at one in `INTERVAL_MS`. */
  writes_until: Date | null
}

/** When `count` writes can be made, and the pace after that. */
export function bookWrites(pace: WritePace, count: number, not_before: Date): WritePace & { at: Date } {
  const until = latest(not_before, pace.writes_until)
  const at = latest(latest(not_before, pace.next_write_at), later(until, (count - BURST) * INTERVAL_MS))
  return {
    at,
    next_write_at: later(at, count * SPACING_MS),
    writes_until: later(latest(until, at), count * INTERVAL_MS),
  }
}

/** GitHub allows 900 points in a minute, one for each read. Imports use at most a third: the burst and a minute of intervals. */
const IMPORT_BURST = 100
const IMPORT_INTERVAL_MS = 300

export interface ImportPace {
  /** The calls of imports so far are worth this much time, at one in `IMPORT_INTERVAL_MS`. */
  imports_until: Date | null
}

/** When an import can make `count` calls, and the pace after that. */
export function bookImportCalls(
  { imports_until }: ImportPace,
  count: number,
  now: Date,
): ImportPace & { at: Date } {
  const until = later(latest(now, imports_until), count * IMPORT_INTERVAL_MS)
  return { at: latest(now, later(until, -IMPORT_BURST * IMPORT_INTERVAL_MS)), imports_until: until }
}

function latest(one: Date, other: Date | null): Date {
  return other && other > one ? other : one
}
