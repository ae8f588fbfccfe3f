/** Queries for activities by pull request and by branch. Every statement starts with the repository id. */
import { and, asc, eq, gt, inArray, isNotNull, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { lockName, prepared, selectByIds } from '../../platform/db/statements.ts'
import { extendedExpiry, isBranch, isLiveAt, isOpen, isStoredFinished, isStoredLive } from './status-store.ts'
import { type ActivityRow, activities } from './table.ts'

/** Locks the open activities of a pull request, or those of them that `which` selects, until the transaction `tx` ends. */
export function lockActivitiesOf(tx: Db, repo_id: number, pr_number: number, which?: SQL) {
  return tx
    .select()
    .from(activities)
    .where(and(eq(activities.repo_id, repo_id), isOpen, eq(activities.pr_number, pr_number), which))
    .orderBy(asc(activities.id))
    .for('update')
}

/** What a pull request says about itself; what is left out is not known. */
export type Described = Partial<Pick<ActivityRow, 'assignee' | 'is_by_newcomer' | 'closes'>>

/** Locks the open activities of a pull request that differ from what it says about itself, until the transaction `tx` ends. */
export function lockOutdated(
  tx: Db,
  repo_id: number,
  pr_number: number,
  { assignee, is_by_newcomer, closes }: Described,
): Promise<ActivityRow[]> {
  const isNew = or(
    assignee === undefined ? undefined : sql`${activities.assignee} is distinct from ${assignee}::text`,
    is_by_newcomer === undefined ? undefined : ne(activities.is_by_newcomer, is_by_newcomer),
    closes === undefined
      ? undefined
      : sql`${activities.closes} is distinct from ${closes && `{${closes}}`}::int[]`,
  )
  return lockActivitiesOf(tx, repo_id, pr_number, isNew)
}

/** Serializes transactions that make an activity from the same pull request or branch, until `tx` ends. */
export async function lockOrigin(
  tx: Db,
  repo_id: number,
  origin: { pull_request: number } | { branch: string },
): Promise<void> {
  await lockName(tx, [...Object.entries(origin).flat(), repo_id])
}

/** Locks the live activities of a branch until the transaction `tx` ends. `is_unlinked`: those without a pull request. */
export async function lockLiveOnBranch(
  tx: Db,
  repo_id: number,
  { branch, now, is_unlinked = false }: { branch: string; now: Date; is_unlinked?: boolean },
): Promise<ActivityRow[]> {
  const isWanted = is_unlinked ? isNull(activities.pr_number) : undefined
  return tx
    .select()
    .from(activities)
    .where(and(isLiveAt(repo_id, now), isBranch(activities.branch, branch), isWanted))
    .orderBy(asc(activities.id))
    .for('update')
}

export function listLiveOnBranch(db: Db, repo_id: number, branch: string, now: Date): Promise<ActivityRow[]> {
  return db
    .select()
    .from(activities)
    .where(and(isLiveAt(repo_id, now), isBranch(activities.branch, branch)))
}

/** The live activities of a pull request, oldest first. */
export function listLiveOf(db: Db, repo_id: number, pr_number: number, now: Date): Promise<ActivityRow[]> {
  return db
    .select()
    .from(activities)
    .where(and(isLiveAt(repo_id, now), eq(activities.pr_number, pr_number)))
    .orderBy(asc(activities.id))
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

/** Whether a live activity has this base branch. */
export async function hasLiveOnBase(db: Db, repo_id: number, base_branch: string, now: Date) {
  const rows = await db
    .select({ id: activities.id })
    .from(activities)
    .where(and(isLiveAt(repo_id, now), isOpen, isBranch(activities.base_branch, base_branch)))
    .limit(1)
  return rows.length > 0
}

/**
 * Records a heartbeat of the live activities of source `pull_request` whose pull requests have these numbers; returns how
 * many.
 */
export async function extendTracked(
  db: Db,
  repo_id: number,
  numbers: number[],
  life: { now: Date; ttl_ms: number; max_ttl_ms: number | null },
): Promise<number> {
  const { now } = life
  const kept = await db
    .update(activities)
    .set({
      heartbeat_at: now,
      expires_at: extendedExpiry({ ...life, now: sql`${now.toISOString()}::timestamptz` }),
    })
    .where(
      and(
        isLiveAt(repo_id, now),
        eq(activities.source, 'pull_request'),
        inArray(activities.pr_number, numbers),
      ),
    )
    .returning({ id: activities.id })
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

const readNumbers = prepared('pull_requests_of_activities', (db) =>
  selectByIds(db, activities, { pr_number: activities.pr_number }),
)

/** The numbers of the pull requests of the activities `ids`. */
export async function listPullRequestsOf(db: Db, repo_id: number, ids: string[]): Promise<number[]> {
  const rows = await readNumbers(db, { repo_id, ids: JSON.stringify(ids) })
  return [...new Set(rows.flatMap(({ pr_number }) => pr_number ?? []))]
}
