/** Queries for what the App published on pull requests. Every statement starts with the repository id. */
import { and, asc, eq, type SQLWrapper, sql } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { type PublicationChanges, publications, pull_requests } from './table.ts'

/** Joins a pull request with what was published on it. */
export const ofPullRequest = and(
  eq(publications.repo_id, pull_requests.repo_id),
  eq(publications.number, pull_requests.number),
)

export async function savePublication(
  db: Db,
  repo_id: number,
  number: number,
  changes: PublicationChanges,
): Promise<void> {
  await db
    .insert(publications)
    .values({ repo_id, number, ...changes })
    .onConflictDoUpdate({ target: [publications.repo_id, publications.number], set: changes })
}

/** The pull requests, by number, whose comment, or check run if it is open, neither has this hash nor was refused with it. */
export async function listUnsaid(db: Db, repo_id: number, hash: string): Promise<number[]> {
  const { comment_hash, comment_refused, check_hash, check_refused } = publications
  const isOther = (published: SQLWrapper, refused: SQLWrapper) =>
    sql`(${published} <> ${hash} and ${refused} is distinct from ${hash})`
  const isUnsaid = sql`(${isOther(comment_hash, comment_refused)} or ${pull_requests.is_open} and ${isOther(check_hash, check_refused)})`
  const rows = await db
    .select({ number: publications.number })
    .from(publications)
    .innerJoin(pull_requests, ofPullRequest)
    .where(and(eq(publications.repo_id, repo_id), isUnsaid))
    .orderBy(asc(publications.number))
  return rows.map(({ number }) => number)
}

/** Lets refused texts be sent to GitHub again, for one pull request or for all of the repository. */
export async function clearRefusals(db: Db, repo_id: number, number?: number): Promise<void> {
  const which = number === undefined ? undefined : eq(publications.number, number)
  await db
    .update(publications)
    .set({ comment_refused: null, check_refused: null })
    .where(and(eq(publications.repo_id, repo_id), which))
}
