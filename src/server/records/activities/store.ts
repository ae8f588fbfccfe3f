/** Queries for single activities and their list, and what they have a place on: issues, and numbers that they reserve. Every statement starts with the repository id; none reads the database clock. */
import { and, desc, eq, gt, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { ReservedNumber } from '../../../engine/check/source.ts'
import type { FileChange } from '../../../engine/lines/change.ts'
import { isHeartbeat, issuesOf } from '../../../engine/records/activity.ts'
import { isLive } from '../../../vocabulary/activity-status.ts'
import type { ListActivities } from '../../../vocabulary/contract/activity.ts'
import { type Db, lockName, prepared, preparedByIds } from '../../platform/db/database.ts'
import { deleteFileChanges, insertFileChanges } from '../file-changes/store.ts'
import { raiseVersion } from '../live-sets/store.ts'
import { hasStatus, isLiveAt, isOpen } from './compared-store.ts'
import { type ActivityRow, activities, type IssuePlaces } from './table.ts'

export type NewActivity = Omit<typeof activities.$inferInsert, 'version'>
export type ActivityChanges = Partial<Omit<NewActivity, 'repo_id' | 'id'>>

function isRecord(repo_id: number, id: string) {
  return and(eq(activities.repo_id, repo_id), eq(activities.id, id))
}

/**
 * Inserts a live activity with its places on issues, and its changed files, in the transaction `tx` that raised the version. `files`: those of
 * `pushed_files`, else of `changed_files`.
 */
export async function insertActivity(
  tx: Db,
  { row, files }: { row: NewActivity; files: readonly FileChange[] },
  version: number,
): Promise<ActivityRow> {
  const { repo_id, id: activity_id, created_at } = row
  const issues = issuesOf({ issue: row.issue ?? null, closes: row.closes ?? null })
  const issue_places = placesOn(issues, null, { version, at: created_at })
  const [stored] = await tx
    .insert(activities)
    .values({ ...row, issue_places, version })
    .returning()
  // Keep the given scope object, because its globs are already parsed.
  const inserted = { ...(stored as ActivityRow), scope: row.scope }
  const origin = row.pushed_files ? 'pushed' : 'declared'
  await insertFileChanges(tx, { repo_id, activity_id, origin }, files)
  return inserted
}

const readActivity = prepared('activity', (db) =>
  db
    .select()
    .from(activities)
    .where(and(eq(activities.repo_id, sql.placeholder('repo_id')), eq(activities.id, sql.placeholder('id')))),
)

export async function findActivity(db: Db, repo_id: number, id: string): Promise<ActivityRow | undefined> {
  const [row] = await readActivity(db, { repo_id, id })
  return row
}

/** Locks an activity until the transaction `tx` ends. */
export async function lockActivity(tx: Db, repo_id: number, id: string): Promise<ActivityRow | undefined> {
  const [row] = await tx.select().from(activities).where(isRecord(repo_id, id)).for('update')
  return row
}

/** Updates an activity that the transaction `tx` has locked, and its places on issues. Anything but a heartbeat raises the version. */
export async function updateActivity(
  tx: Db,
  before: ActivityRow,
  changes: ActivityChanges,
): Promise<ActivityRow> {
  const { repo_id, id, updated_at } = before
  const ends = isLive(before.status) && !isLive(changes.status ?? before.status)
  let raised: { version?: number; issue_places?: IssuePlaces | null } = {}
  if (!isHeartbeat(before, changes)) {
    const { version } = await raiseVersion(tx, repo_id, { activities: ends ? -1 : 0 })
    const at = changes.updated_at ?? updated_at
    const issue_places = placesOn(issuesOf({ ...before, ...changes }), before.issue_places, { version, at })
    raised = { version, issue_places }
  }
  const [row] = await tx
    .update(activities)
    .set({ ...changes, ...raised })
    .where(isRecord(repo_id, id))
    .returning()
  // Keep the given scope object, because its globs are already parsed.
  const after = { ...(row as ActivityRow), ...(changes.scope && { scope: changes.scope }) }
  if (ends) await deleteFileChanges(tx, repo_id, [id])
  return after
}

/** A page of the list without filters. */
const readOpen = prepared('open_activities', (db) =>
  db
    .select()
    .from(activities)
    .where(
      and(
        eq(activities.repo_id, sql.placeholder('repo_id')),
        isOpen,
        gt(activities.expires_at, sql`${sql.placeholder('now')}::timestamptz`),
        lt(activities.id, sql.placeholder('after')),
      ),
    )
    .orderBy(desc(activities.id))
    .limit(sql.placeholder('limit')),
)

/** Up to `limit` activities older than the id `after`, newest first. */
export async function listActivities(
  db: Db,
  repo_id: number,
  filter: Omit<ListActivities, 'cursor' | 'limit'>,
  page: { now: Date; after: string; limit: number },
): Promise<ActivityRow[]> {
  if (Object.values(filter).every((each) => each === undefined))
    return readOpen(db, { ...page, repo_id, now: page.now.toISOString() })
  const { status, risk, actor, branch, has_pr, draft_pr_only } = filter
  const conditions: (SQL | undefined)[] = [
    eq(activities.repo_id, repo_id),
    status === undefined ? and(isOpen, gt(activities.expires_at, page.now)) : hasStatus(status, page.now),
    lt(activities.id, page.after),
    risk && eq(activities.risk, risk),
    actor === undefined ? undefined : eq(activities.actor, actor),
    branch === undefined ? undefined : eq(activities.branch, branch),
    has_pr === undefined ? undefined : has_pr ? isNotNull(activities.pr_url) : isNull(activities.pr_url),
    draft_pr_only ? eq(activities.draft_pr, true) : undefined,
  ]
  return db
    .select()
    .from(activities)
    .where(and(...conditions))
    .orderBy(desc(activities.id))
    .limit(page.limit)
}

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

/** The activities `ids` that exist, in any order. */
export const listPlaced = preparedByIds('activities_on_issues', activities, placed)

/** Serializes reservations in a directory until the transaction `tx` ends. */
export async function lockDirectory(tx: Db, repo_id: number, directory: string): Promise<void> {
  await lockName(tx, ['numbers', repo_id, directory])
}

/** The numbers in a directory that live activities have reserved. */
export function listReserved(
  db: Db,
  repo_id: number,
  directory: string,
  now: Date,
): Promise<ReservedNumber[]> {
  const { id: activity_id, pr_number, reserved_numbers } = activities
  const number = sql<string>`${reserved_numbers} ->> ${directory}::text`
  return db
    .select({ number, activity_id, pr_number })
    .from(activities)
    .where(and(isLiveAt(repo_id, now), isNotNull(reserved_numbers), isNotNull(number)))
}

/** Stores the number of a directory, in place of an earlier one. */
export async function saveReserved(
  tx: Db,
  { repo_id, id }: { repo_id: number; id: string },
  { directory, number }: { directory: string; number: string },
): Promise<void> {
  await tx
    .update(activities)
    .set({
      reserved_numbers: sql`coalesce(${activities.reserved_numbers}, '{}') || jsonb_build_object(${directory}::text, ${number}::text)`,
    })
    .where(isRecord(repo_id, id))
}
