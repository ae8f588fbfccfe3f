/** The lifecycle of a notable as a pure function (specification §3.2). */
import type { NotableRow } from './table.ts'

/** The notable as it is at `now`: from the instant `expires_at` on it is expired, whether or not the sweep has stored that. */
export function asOf(row: NotableRow, now: Date): NotableRow {
  if (row.status !== 'active' || row.expires_at > now) return row
  return { ...row, status: 'expired', updated_at: row.expires_at }
}
