/** The places of activities on issues. Every statement starts with the repository id. */
import type { Db } from '../../platform/db/database.ts'
import { prepared, selectByIds } from '../../platform/db/statements.ts'
import { type ActivityRow, activities, type IssuePlaces } from './table.ts'

/**
 * The places of an activity that is on the issues `numbers` now: those that it had, and the last one on the others. Positions are the
 * versions of transactions and so in the order of their commits: of two at once, the second one stands behind the first.
 */
export function placesOn(
  numbers: readonly number[],
  before: IssuePlaces | null,
  { version, at }: { version: number; at: Date },
): IssuePlaces | null {
  if (numbers.length === 0) return null
  const last = { position: version, since: at.toISOString() }
  return Object.fromEntries(numbers.map((number) => [number, before?.[number] ?? last]))
}

const { id, actor, agent, branch, pr_url, status, expires_at, issue_places } = activities
const placed = { id, actor, agent, branch, pr_url, status, expires_at, issue_places }
const readPlaced = prepared('activities_on_issues', (db) => selectByIds(db, activities, placed))

/** The activities `ids` that exist, in any order. */
export function listPlaced(
  db: Db,
  repo_id: number,
  ids: string[],
): Promise<Pick<ActivityRow, keyof typeof placed>[]> {
  return readPlaced(db, { repo_id, ids: JSON.stringify(ids) })
}
