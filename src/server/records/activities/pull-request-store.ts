/** Queries for activities by pull request and by branch. Every statement starts with the repository id. */
import { and, asc, eq, gt, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import { type Db, lockName } from '../../platform/db/database.ts'
import { isBranch, isLiveAt, isOpen, isStoredFinished, isStoredLive } from './compared-store.ts'
import { type ActivityRow, activities } from './table.ts'

/** Locks the open activities of a pull request until the transaction `tx` ends. */
export function lockActivitiesOf(tx: Db, repo_id: number, pr_number: number): Promise<ActivityRow[]> {
  return tx
    .select()
    .from(activities)
    .where(and(eq(activities.repo_id, repo_id), isOpen, eq(activities.pr_number, pr_number)))
    .orderBy(asc(activities.id))
    .for('update')
}

/** Serializes transactions that make an activity from the same pull request or branch, until `tx` ends. */
export async function lockOrigin(
  tx: Db,
  repo_id: number,
  origin: { pull_request: number } | { branch: string },
): Promise<void> {
  await lockName(tx, [...Object.entries(origin).flat(), repo_id])
}

/** Where activities are: on a branch, on top of one, or in a pull request. */
type Place = { branch: string } | { base_branch: string } | { pr_number: number }

/** The live activities there, oldest first. */
export function listLive(db: Db, repo_id: number, place: Place, now: Date) {
  const isThere =
    'pr_number' in place
      ? eq(activities.pr_number, place.pr_number)
      : 'branch' in place
        ? isBranch(activities.branch, place.branch)
        : isBranch(activities.base_branch, place.base_branch)
  return db
    .select()
    .from(activities)
    .where(and(isLiveAt(repo_id, now), isThere))
    .orderBy(asc(activities.id))
}

/** Locks the live activities of a branch until the transaction `tx` ends. */
export async function lockLiveOnBranch(
  tx: Db,
  repo_id: number,
  branch: string,
  now: Date,
): Promise<ActivityRow[]> {
  return listLive(tx, repo_id, { branch }, now).for('update')
}

/** The numbers of the pull requests of live activities. */
export async function listTrackedPullRequests(db: Db, repo_id: number, now: Date): Promise<number[]> {
  const rows = await db
    .selectDistinct({ pr_number: activities.pr_number })
    .from(activities)
    .where(and(isLiveAt(repo_id, now), isNotNull(activities.pr_number)))
  return rows.flatMap(({ pr_number }) => pr_number ?? [])
}

/** Up to `limit` pull requests with a live activity whose changed files were not read. */
export async function listUnread(
  db: Db,
  repo_id: number,
  { now, limit }: { now: Date; limit: number },
): Promise<number[]> {
  const { pr_number, pushed_files } = activities
  const rows = await db
    .selectDistinct({ pr_number })
    .from(activities)
    .where(and(isLiveAt(repo_id, now), isNull(pushed_files), isNotNull(pr_number)))
    .orderBy(asc(pr_number))
    .limit(limit)
  return rows.flatMap(({ pr_number }) => pr_number ?? [])
}

/** Up to `limit` pushed branches after `after`, by name, with live activities that have no pull request. */
export async function listPushedBranches(
  db: Db,
  repo_id: number,
  options: { now: Date; after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ branch: activities.branch })
    .from(activities)
    .where(
      and(
        isLiveAt(repo_id, options.now),
        activities.branch_pushed,
        isNull(activities.pr_number),
        gt(activities.branch, options.after),
      ),
    )
    .orderBy(asc(activities.branch))
    .limit(options.limit)
  return rows.flatMap(({ branch }) => branch ?? [])
}

const { id, status, branch, pr_number, ttl_ms, created_at, expires_at } = activities
const lived = { id, status, branch, pr_number, ttl_ms, created_at, expires_at }
type Lived = Pick<ActivityRow, keyof typeof lived>

/**
 * Stores what `heartbeatOf` says about the live activities of source `pull_request` whose pull requests have these numbers, in the
 * transaction `tx`; returns how many. Large scopes are not read.
 */
export async function extendTracked(
  tx: Db,
  repo_id: number,
  { numbers, now }: { numbers: number[]; now: Date },
  heartbeatOf: (row: Lived) => Pick<ActivityRow, 'heartbeat_at' | 'expires_at'>,
): Promise<number> {
  const isTracked = and(eq(activities.source, 'pull_request'), inArray(pr_number, numbers))
  const kept = await tx
    .select(lived)
    .from(activities)
    .where(and(isLiveAt(repo_id, now), isTracked))
    .orderBy(asc(id))
    .for('update')
  for (const row of kept)
    await tx
      .update(activities)
      .set(heartbeatOf(row))
      .where(and(eq(activities.repo_id, repo_id), eq(id, row.id)))
  return kept.length
}

/**
 * The open pull requests among `numbers` that need an activity: those without a live activity, unless someone archived or
 * finished the newest one of source `pull_request`, which ends the tracking.
 */
export async function listUntracked(
  db: Db,
  repo_id: number,
  of: { numbers: number[]; now: Date },
): Promise<number[]> {
  const isUnexpired = gt(activities.expires_at, of.now)
  const isStopped = or(and(isStoredFinished, isUnexpired), eq(activities.archive_reason, 'requested'))
  const newestOwn = sql`array_agg(coalesce(${isStopped}, false) order by ${activities.id} desc) filter (where ${eq(activities.source, 'pull_request')})`
  const rows = await db
    .select({ pr_number: activities.pr_number })
    .from(activities)
    .where(
      and(eq(activities.repo_id, repo_id), sql`${activities.pr_number} = any(${`{${of.numbers}}`}::int[])`),
    )
    .groupBy(activities.pr_number)
    .having(sql`bool_or(${and(isStoredLive, isUnexpired)}) or (${newestOwn})[1]`)
  const tracked = new Set(rows.map(({ pr_number }) => pr_number))
  return of.numbers.filter((number) => !tracked.has(number))
}
