/** Queries for repositories. */
import {
  and,
  asc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import type { OrganisationFile } from '../../../engine/settings/layers.ts'
import { DAY_MS, later } from '../../../vocabulary/clock.ts'
import { type Db, prepared } from '../../platform/db/database.ts'
import { live_sets } from '../live-sets/table.ts'
import { etags, installations, repositories } from './table.ts'

type StoredRepository = typeof repositories.$inferSelect
export type RepositoryChanges = Partial<Omit<StoredRepository, 'repo_id'>>

/** A repository, with the settings file of its organisation and whether the App may only read there; null without an installation. */
export type RepositoryRow = StoredRepository & {
  organisation: OrganisationFile
  is_read_only: boolean | null
}

const selectRepositories = (db: Db) =>
  db
    .select({
      ...getTableColumns(repositories),
      organisation: installations.organisation,
      is_read_only: installations.is_read_only,
    })
    .from(repositories)
    .leftJoin(installations, eq(installations.installation_id, repositories.installation_id))

const readRepository = prepared('repository', (db) =>
  selectRepositories(db).where(eq(repositories.repo_id, sql.placeholder('repo_id'))),
)

export async function findRepository(db: Db, repo_id: number): Promise<RepositoryRow | undefined> {
  const [row] = await readRepository(db, { repo_id })
  return row
}

/** Locks the row of a repository until the transaction `tx` ends. */
export async function lockRepository(tx: Db, repo_id: number): Promise<void> {
  const { repo_id: id } = repositories
  await tx.select({ repo_id: id }).from(repositories).where(eq(id, repo_id)).for('update')
}

/** The repositories with this last known name, case-insensitive. A name can move to another repository. */
export async function listRepositoriesNamed(db: Db, owner: string, name: string): Promise<RepositoryRow[]> {
  const isSame = (column: SQLWrapper, text: string) => sql`lower(${column}) = lower(${text}::text)`
  return selectRepositories(db).where(and(isSame(repositories.owner, owner), isSame(repositories.name, name)))
}

export async function updateRepository(db: Db, repo_id: number, changes: RepositoryChanges): Promise<void> {
  await db.update(repositories).set(changes).where(eq(repositories.repo_id, repo_id))
}

/** Stores since when pull requests of these repositories get comments. */
export async function setCommenting(db: Db, repo_ids: number[], commenting_since: Date): Promise<void> {
  await db.update(repositories).set({ commenting_since }).where(inArray(repositories.repo_id, repo_ids))
}

export async function listRepositories(db: Db, of: { installation_id: number }): Promise<RepositoryRow[]> {
  return selectRepositories(db).where(eq(repositories.installation_id, of.installation_id))
}

interface RepositoryPage {
  after: number
  limit: number
}

/** Up to `limit` repositories after `after`, by id, that satisfy the condition. */
export async function listRepositoryIds(
  db: Db,
  { after, limit }: RepositoryPage,
  condition?: SQL,
): Promise<number[]> {
  const rows = await db
    .select({ repo_id: repositories.repo_id })
    .from(repositories)
    .where(and(gt(repositories.repo_id, after), condition))
    .orderBy(asc(repositories.repo_id))
    .limit(limit)
  return rows.map((row) => row.repo_id)
}

/** Without live work and without a delivery for this long, a repository is at rest. */
const REST_AFTER_MS = 7 * DAY_MS
/** How often a repository is reconciled, in seconds; and one at rest. */
const TURN_S = 3600
const REST_TURN_S = 86_400

/**
 * A page of the repositories where the App is installed whose turn to be reconciled has come. The turns of the repositories are spread over
 * the hour, or over the day if they are at rest, by their ids. The settings of an organisation are never at rest.
 */
export function listUnreconciled(
  db: Db,
  { after, limit, now }: RepositoryPage & { now: Date },
): Promise<Pick<RepositoryRow, 'repo_id' | 'owner'>[]> {
  const { repo_id, owner, name, installation_id, reconciled_at, delivered_at, created_at } = repositories
  const isWorked = sql`exists (select from ${live_sets} where ${live_sets.repo_id} = ${repo_id} and ${live_sets.activities} > 0)`
  const isAtRest = sql`coalesce(${delivered_at}, ${created_at}) < ${later(now, -REST_AFTER_MS).toISOString()}::timestamptz and lower(${name}) <> '.github' and not ${isWorked}`
  const turn_s = sql`case when ${isAtRest} then ${REST_TURN_S}::int else ${TURN_S}::int end`
  const turnOf = (time: SQLWrapper) =>
    sql`floor((extract(epoch from ${time}) - ${repo_id} % (${turn_s})) / (${turn_s}))`
  const isDue = sql`${turnOf(reconciled_at)} < ${turnOf(sql`${now.toISOString()}::timestamptz`)}`
  return db
    .select({ repo_id, owner })
    .from(repositories)
    .where(and(gt(repo_id, after), isNotNull(installation_id), or(isNull(reconciled_at), isDue)))
    .orderBy(asc(repo_id))
    .limit(limit)
}

/** Whether the App was uninstalled, or the repository was last watched, at `before` or earlier. */
function isLeft(before: Date) {
  const { uninstalled_at, installation_id, watched_at } = repositories
  return or(lte(uninstalled_at, before), and(isNull(installation_id), lte(watched_at, before)))
}

/** A page of the repositories where the App was uninstalled, or that were last watched, at `before` or earlier. */
export function listLeft(db: Db, page: RepositoryPage & { before: Date }): Promise<number[]> {
  return listRepositoryIds(db, page, isLeft(page.before))
}

/** Whether the App was uninstalled, or the repository last watched, at `before` or earlier. Locks the row until the transaction `tx` ends. */
export async function lockLeft(tx: Db, repo_id: number, before: Date): Promise<boolean> {
  const rows = await tx
    .select({ repo_id: repositories.repo_id })
    .from(repositories)
    .where(and(eq(repositories.repo_id, repo_id), isLeft(before)))
    .for('update')
  return rows.length > 0
}

/** Stores a repository, so that it is swept and can have settings, unless it is already stored. */
export async function insertRepository(
  db: Db,
  { id: repo_id, owner, name }: { id: number; owner: string; name: string },
  now: Date,
): Promise<void> {
  const row = { repo_id, owner, name, created_at: now, swept_at: now }
  await db.insert(repositories).values(row).onConflictDoNothing()
}

/** A page of the repositories that were last swept at `before` or earlier. */
export function listUnswept(db: Db, page: RepositoryPage & { before: Date }): Promise<number[]> {
  return listRepositoryIds(db, page, lte(repositories.swept_at, page.before))
}

/** Claims the repository for one sweep; false if another instance was first. */
export async function claimForSweep(db: Db, repo_id: number, now: Date, before: Date): Promise<boolean> {
  const claimed = await db
    .update(repositories)
    .set({ swept_at: now })
    .where(and(eq(repositories.repo_id, repo_id), lte(repositories.swept_at, before)))
    .returning({ repo_id: repositories.repo_id })
  return claimed.length > 0
}

export async function listEtags(db: Db, repo_id: number): Promise<Map<string, string>> {
  const { address, etag } = etags
  const rows = await db.select({ address, etag }).from(etags).where(eq(etags.repo_id, repo_id))
  return new Map(rows.map((row) => [row.address, row.etag]))
}

/** Stores the ETags of these addresses, and deletes those that were not asked for since `before`. */
export async function saveEtags(
  db: Db,
  repo_id: number,
  { seen, now, before }: { seen: ReadonlyMap<string, string>; now: Date; before: Date },
): Promise<void> {
  const rows = [...seen].map(([address, etag]) => ({ repo_id, address, etag, asked_at: now }))
  if (rows.length > 0)
    await db
      .insert(etags)
      .values(rows)
      .onConflictDoUpdate({
        target: [etags.repo_id, etags.address],
        set: { etag: sql`excluded.etag`, asked_at: sql`excluded.asked_at` },
      })
  await db.delete(etags).where(and(eq(etags.repo_id, repo_id), lt(etags.asked_at, before)))
}
