/** Queries for the issues that activities are on. Every statement starts with the repository id. */
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { isLiveAt } from './status-store.ts'
import { activities, issue_claims } from './table.ts'

interface Claimant {
  repo_id: number
  id: string
}

/**
 * Enters an activity last among those on each issue. The transaction `tx` has raised the version and so is the only one, so
 * positions are in the order of the commits: of two concurrent transactions, the second one finds the first in front of it.
 */
export async function claimIssues(
  tx: Db,
  { repo_id, id }: Claimant,
  numbers: readonly number[],
  since: Date,
): Promise<void> {
  for (const number of numbers)
    await tx.execute(sql`insert into issue_claims (repo_id, number, position, activity_id, since)
      select ${repo_id}::bigint, ${number}::int, coalesce(max(position), 0) + 1, ${id}::text, ${since.toISOString()}::timestamptz
      from issue_claims where repo_id = ${repo_id}::bigint and number = ${number}::int`)
}

/** Takes activities off all their issues. */
export async function releaseAllIssues(tx: Db, repo_id: number, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .delete(issue_claims)
    .where(and(eq(issue_claims.repo_id, repo_id), inArray(issue_claims.activity_id, ids)))
}

/** Takes an activity off the issues that are not in `numbers`, and enters it on those that are new. */
export async function replaceIssues(
  tx: Db,
  claimant: Claimant,
  numbers: readonly number[],
  since: Date,
): Promise<void> {
  const { repo_id, id } = claimant
  const isOwn = and(eq(issue_claims.repo_id, repo_id), eq(issue_claims.activity_id, id))
  const stored = await tx.select({ number: issue_claims.number }).from(issue_claims).where(isOwn)
  const before = stored.map(({ number }) => number)
  const left = before.filter((each) => !numbers.includes(each))
  if (left.length > 0) await tx.delete(issue_claims).where(and(isOwn, inArray(issue_claims.number, left)))
  const added = numbers.filter((each) => !before.includes(each))
  await claimIssues(tx, claimant, added, since)
}

/** Up to `limit` live activities on an issue, in the order in which they came. The first one holds it. */
export function listOnIssue(
  db: Db,
  repo_id: number,
  { number, now, limit }: { number: number; now: Date; limit: number },
) {
  const { id: activity_id, actor, agent, branch, pr_url } = activities
  return db
    .select({ activity_id, actor, agent, branch, pr_url, since: issue_claims.since })
    .from(issue_claims)
    .innerJoin(activities, and(eq(activities.repo_id, repo_id), eq(activity_id, issue_claims.activity_id)))
    .where(and(eq(issue_claims.repo_id, repo_id), eq(issue_claims.number, number), isLiveAt(repo_id, now)))
    .orderBy(asc(issue_claims.position))
    .limit(limit)
}
