/** Queries for the repositories of an owner, and what the ledger knows of one. */
import { and, asc, eq, gt, gte, ilike, isNotNull } from 'drizzle-orm'
import { COUNTED_MAX } from '../db/batch.ts'
import type { Db } from '../db/database.ts'
import { pairs } from '../ledger/table.ts'
import { pull_requests } from '../pull-requests/table.ts'
import { literal, type RepositoryRow } from '../repositories/store.ts'
import { repositories } from '../repositories/table.ts'
import type { History } from './expected-comments.ts'

/** A page of the repositories of an owner in which the App is installed. */
export function listInstalledOf(
  db: Db,
  owner: string,
  { after, limit }: { after: number; limit: number },
): Promise<RepositoryRow[]> {
  const { repo_id, installation_id } = repositories
  return db
    .select()
    .from(repositories)
    .where(and(gt(repo_id, after), ilike(repositories.owner, literal(owner)), isNotNull(installation_id)))
    .orderBy(asc(repo_id))
    .limit(limit)
}

/** What happened in a repository since `since`. */
export async function readHistory(db: Db, repo_id: number, since: Date): Promise<History> {
  return {
    pairs: await db
      .select()
      .from(pairs)
      .where(and(eq(pairs.repo_id, repo_id), gte(pairs.seen_at, since)))
      .orderBy(asc(pairs.seen_at), asc(pairs.first), asc(pairs.second))
      .limit(COUNTED_MAX),
    pull_requests: await db
      .select()
      .from(pull_requests)
      .where(and(eq(pull_requests.repo_id, repo_id), gte(pull_requests.changed_at, since)))
      .limit(COUNTED_MAX),
  }
}
