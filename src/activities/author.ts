/** The GitHub login of an activity's author. Pure. */
import type { ActivityRow } from './table.ts'

/** The actor of an activity that was created from GitHub is a login; that of a declared one can be any name. Null if unknown. */
export function authorLogin({
  source,
  actor,
  created_by,
}: Pick<ActivityRow, 'source' | 'actor' | 'created_by'>): string | null {
  return source === 'api' ? created_by : actor
}
