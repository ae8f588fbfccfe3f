/** Queries for the commits and links of branches. Every statement starts with the repository id. */
import { and, asc, eq, inArray, isNotNull, isNull, lt, ne, notInArray, or, type SQL, sql } from 'drizzle-orm'
import { DAY_MS, later } from '../../../vocabulary/clock.ts'
import type { Db } from '../../platform/db/database.ts'
import { raiseVersion } from '../live-sets/store.ts'
import { type BranchLink, branch_commits, branch_links } from './table.ts'

/** A link, and what shows it. */
export interface ShownLink extends BranchLink {
  /** The commit of the branch that is a head of the base branch; null if GitHub's stack or a merge shows the link. */
  sha: string | null
}

export async function addCommits(
  db: Db,
  repo_id: number,
  { branch, shas, now }: { branch: string; shas: readonly string[]; now: Date },
): Promise<void> {
  await db.execute(sql`insert into branch_commits (repo_id, sha, branch, pushed_at)
    select ${repo_id}::bigint, sha, ${branch}::text, ${now.toISOString()}::timestamptz
    from json_array_elements_text(${JSON.stringify([...new Set(shas)])}::text::json) as given(sha)
    on conflict (repo_id, sha, branch) do update set pushed_at = excluded.pushed_at, is_uncertain = false`)
}

/** Marks the stored commits of a branch after a forced push. */
export async function doubtCommits(db: Db, repo_id: number, branch: string): Promise<void> {
  await db.update(branch_commits).set({ is_uncertain: true }).where(isOfBranch(repo_id, branch))
}

/** Replaces the stored commits of a branch by those that it has now. */
export async function replaceCommits(
  db: Db,
  repo_id: number,
  commits: Parameters<typeof addCommits>[2],
): Promise<void> {
  await db.delete(branch_commits).where(isOfBranch(repo_id, commits.branch))
  await addCommits(db, repo_id, commits)
}

function isOfBranch(repo_id: number, branch: string): SQL | undefined {
  return and(eq(branch_commits.repo_id, repo_id), eq(branch_commits.branch, branch))
}

/** Up to `limit` other branches than `branch` that have one of the commits `shas`. */
export function listBranchesWith(
  db: Db,
  repo_id: number,
  of: { shas: readonly string[]; branch: string; limit: number },
): Promise<{ branch: string; is_uncertain: boolean }[]> {
  const { branch, sha, is_uncertain } = branch_commits
  return db
    .selectDistinct({ branch, is_uncertain })
    .from(branch_commits)
    .where(and(eq(branch_commits.repo_id, repo_id), inArray(sha, [...of.shas]), ne(branch, of.branch)))
    .orderBy(asc(branch))
    .limit(of.limit)
}

/** Stores links. Returns the new ones, those that another commit shows now, and those that were last seen more than a day ago. */
export async function addLinks(
  db: Db,
  repo_id: number,
  links: readonly ShownLink[],
  now: Date,
): Promise<BranchLink[]> {
  if (links.length === 0) return []
  // A commit says more than GitHub's stack.
  const sorted = links.toSorted((one, other) => Number(one.sha !== null) - Number(other.sha !== null))
  const distinct = new Map(sorted.map((link) => [JSON.stringify([link.branch, link.base_branch]), link]))
  return changingLinks(db, repo_id, (tx) =>
    tx
      .insert(branch_links)
      .values(
        [...distinct.values()].map(({ branch, base_branch, sha }) => ({
          branch,
          base_branch,
          sha,
          repo_id,
          linked_at: now,
        })),
      )
      .onConflictDoUpdate({
        target: [branch_links.repo_id, branch_links.branch, branch_links.base_branch],
        set: { linked_at: now, sha: sql`coalesce(excluded.sha, ${branch_links.sha})` },
        // A link that was seen less than a day ago is neither updated nor returned, unless another commit shows it now.
        setWhere: or(
          lt(branch_links.linked_at, later(now, -DAY_MS)),
          sql`excluded.sha <> coalesce(${branch_links.sha}, '')`,
        ),
      })
      .returning({ branch: branch_links.branch, base_branch: branch_links.base_branch }),
  )
}

/** Runs a change of links in a transaction, which raises the version if it changed any. */
function changingLinks<Changed>(
  db: Db,
  repo_id: number,
  change: (tx: Db) => Promise<Changed[]>,
): Promise<Changed[]> {
  return db.transaction(async (tx) => {
    const changed = await change(tx)
    if (changed.length > 0) await raiseVersion(tx, repo_id, { links: true })
    return changed
  })
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

/** Whether the branch is linked to one below it. */
export async function hasLinkBelow(db: Db, repo_id: number, branch: string): Promise<boolean> {
  const isBelow = and(eq(branch_links.repo_id, repo_id), eq(branch_links.branch, branch))
  return (await db.$count(branch_links, isBelow)) > 0
}

/** Deletes the links of a branch to those below it, except those to `kept` and those that its commits `shas` show. Returns how many. */
export async function deleteLinksBelow(
  db: Db,
  repo_id: number,
  { branch, kept, shas }: { branch: string; kept: string[]; shas: string[] },
): Promise<number> {
  const isUnseen = and(
    eq(branch_links.branch, branch),
    notInArray(branch_links.base_branch, kept),
    or(isNull(branch_links.sha), notInArray(branch_links.sha, shas)),
  )
  return deleteLinks(db, repo_id, isUnseen)
}

/** Deletes the links of a branch in both directions. */
export async function deleteLinksOf(db: Db, repo_id: number, branch: string): Promise<void> {
  await deleteLinks(db, repo_id, or(eq(branch_links.branch, branch), eq(branch_links.base_branch, branch)))
}

/** Deletes the links of a repository that `which` selects. Returns how many. */
async function deleteLinks(db: Db, repo_id: number, which: SQL | undefined): Promise<number> {
  const deleted = await changingLinks(db, repo_id, (tx) =>
    tx
      .delete(branch_links)
      .where(and(eq(branch_links.repo_id, repo_id), which))
      .returning({ branch: branch_links.branch }),
  )
  return deleted.length
}

/** Deletes the commits and links of a branch that was deleted. `is_base`: live work is based on it, so a merged one keeps the branch that it was merged into. */
export async function deleteBranchRows(
  db: Db,
  repo_id: number,
  { branch, is_base }: { branch: string; is_base: boolean },
): Promise<void> {
  await db.delete(branch_commits).where(isOfBranch(repo_id, branch))
  const isBelow = and(eq(branch_links.branch, branch), is_base ? isNotNull(branch_links.sha) : undefined)
  await deleteLinks(db, repo_id, or(isBelow, eq(branch_links.base_branch, branch)))
}

/** Deletes the commits and links that no push or event showed since `before`; null for all. Returns how many. */
export async function deleteStacks(db: Db, repo_id: number, before: Date | null): Promise<number> {
  const commits = await db
    .delete(branch_commits)
    .where(
      and(eq(branch_commits.repo_id, repo_id), before ? lt(branch_commits.pushed_at, before) : undefined),
    )
    .returning({ sha: branch_commits.sha })
  const links = await deleteLinks(db, repo_id, before ? lt(branch_links.linked_at, before) : undefined)
  return commits.length + links
}
