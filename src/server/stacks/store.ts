/** Queries for the commits and links of branches. Every statement starts with the repository id. */
import { and, asc, eq, lt, ne, or, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import { type BranchLink, branch_commits, branch_links } from './table.ts'

export async function addCommits(
  db: Db,
  repo_id: number,
  { branch, shas, now }: { branch: string; shas: readonly string[]; now: Date },
): Promise<void> {
  await db.execute(sql`insert into branch_commits (repo_id, sha, branch, pushed_at)
    select ${repo_id}::bigint, sha, ${branch}::text, ${now.toISOString()}::timestamptz
    from json_array_elements_text(${JSON.stringify([...new Set(shas)])}::text::json) as given(sha)
    on conflict (repo_id, sha, branch) do update set pushed_at = excluded.pushed_at`)
}

const readBranchesWith = prepared('branches_with_commit', (db) =>
  db
    .select({ branch: branch_commits.branch })
    .from(branch_commits)
    .where(
      and(
        eq(branch_commits.repo_id, sql.placeholder('repo_id')),
        eq(branch_commits.sha, sql.placeholder('sha')),
        ne(branch_commits.branch, sql.placeholder('branch')),
      ),
    )
    .orderBy(asc(branch_commits.branch))
    .limit(sql.placeholder('limit')),
)

/** Up to `limit` other branches than `branch` that have the commit `sha`. */
export async function listBranchesWith(
  db: Db,
  repo_id: number,
  of: { sha: string; branch: string; limit: number },
): Promise<string[]> {
  const rows = await readBranchesWith(db, { repo_id, ...of })
  return rows.map((row) => row.branch)
}

/** Stores links. Returns the new ones, and those that were last seen more than a day ago. */
export async function addLinks(
  db: Db,
  repo_id: number,
  links: readonly BranchLink[],
  now: Date,
): Promise<BranchLink[]> {
  if (links.length === 0) return []
  const distinct = new Map(links.map((link) => [JSON.stringify([link.branch, link.base_branch]), link]))
  return db
    .insert(branch_links)
    .values([...distinct.values()].map((link) => ({ ...link, repo_id, linked_at: now })))
    .onConflictDoUpdate({
      target: [branch_links.repo_id, branch_links.branch, branch_links.base_branch],
      set: { linked_at: now },
      // A link that was seen less than a day ago is neither updated nor returned.
      setWhere: lt(branch_links.linked_at, sql`${now.toISOString()}::timestamptz - interval '1 day'`),
    })
    .returning({ branch: branch_links.branch, base_branch: branch_links.base_branch })
}

/** Up to `limit` links, in a stable order. */
export function listLinks(db: Db, repo_id: number, limit: number): Promise<BranchLink[]> {
  return db
    .select({ branch: branch_links.branch, base_branch: branch_links.base_branch })
    .from(branch_links)
    .where(eq(branch_links.repo_id, repo_id))
    .orderBy(asc(branch_links.branch), asc(branch_links.base_branch))
    .limit(limit)
}

/** Deletes the links of a branch in both directions. */
export async function deleteLinksOf(db: Db, repo_id: number, branch: string): Promise<void> {
  await db
    .delete(branch_links)
    .where(
      and(
        eq(branch_links.repo_id, repo_id),
        or(eq(branch_links.branch, branch), eq(branch_links.base_branch, branch)),
      ),
    )
}

/** Deletes the commits and links of a branch that was deleted. */
export async function deleteBranchRows(db: Db, repo_id: number, branch: string): Promise<void> {
  await db
    .delete(branch_commits)
    .where(and(eq(branch_commits.repo_id, repo_id), eq(branch_commits.branch, branch)))
  await deleteLinksOf(db, repo_id, branch)
}

/** Deletes the commits and links that no push or event showed since `before`; null for all. Returns how many. */
export async function deleteStacks(db: Db, repo_id: number, before: Date | null): Promise<number> {
  const commits = await db
    .delete(branch_commits)
    .where(
      and(eq(branch_commits.repo_id, repo_id), before ? lt(branch_commits.pushed_at, before) : undefined),
    )
    .returning({ sha: branch_commits.sha })
  const links = await db
    .delete(branch_links)
    .where(and(eq(branch_links.repo_id, repo_id), before ? lt(branch_links.linked_at, before) : undefined))
    .returning({ branch: branch_links.branch })
  return commits.length + links.length
}
