/** Queries for what the App published on pull requests. Every statement starts with the repository id. */
import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
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

/** Lets refused texts be sent to GitHub again, for one pull request or for all of the repository. */
export async function clearRefusals(db: Db, repo_id: number, number?: number): Promise<void> {
  const which = number === undefined ? undefined : eq(publications.number, number)
  await db
    .update(publications)
    .set({ comment_refused: null, check_refused: null })
    .where(and(eq(publications.repo_id, repo_id), which))
}
