/** The GitHub login of an activity's author. Pure. */
import type { SidedActivity } from './activity.ts'

/**
 * The login of the author; null if unknown. The actor of an activity that was created from GitHub is a login, but that of
 * a declared activity can be any name.
 */
export function authorLogin({
  source,
  actor,
  created_by,
}: Pick<SidedActivity, 'source' | 'actor' | 'created_by'>): string | null {
  return source === 'api' ? created_by : actor
}
