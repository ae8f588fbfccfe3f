/** The lifecycle of a notable (docs/contract/notables.md#lifecycle). Pure. */
import type { StoredNotable } from './notable.ts'

/** The notable as of `now`: expired from `expires_at` on, whether or not the sweep has stored that. */
export function asOf<Row extends StoredNotable>(row: Row, now: Date): Row {
  if (row.status !== 'active' || row.expires_at > now) return row
  return { ...row, status: 'expired', updated_at: row.expires_at }
}
