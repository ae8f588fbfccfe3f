/** The tables of stacks: the commits of pushed branches, and which branch is built on which. */
import { boolean, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { byteText, instant, repoId } from '../../platform/db/database.ts'

/** The commits that pushes added to a branch, and its heads. */
export const branch_commits = pgTable(
  'branch_commits',
  {
    repo_id: repoId(),
    sha: byteText().notNull(),
    branch: text().notNull(),
    pushed_at: instant().notNull(),
    /** A forced push came later, so the branch may not contain the commit any more. */
    is_uncertain: boolean().notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.sha, table.branch] }),
    index('branch_commits_branch').on(table.repo_id, table.branch),
    index('branch_commits_pushed').on(table.repo_id, table.pushed_at),
  ],
)

/** `branch` is built on `base_branch`, although the base branch of its pull request may be another one. */
export const branch_links = pgTable(
  'branch_links',
  {
    repo_id: repoId(),
    branch: text().notNull(),
    base_branch: text().notNull(),
    /** The commit of `branch` that was the head of `base_branch`; null if GitHub's stack or a merge shows the link. */
    sha: byteText(),
    /** When a push or event last showed the link. */
    linked_at: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.branch, table.base_branch] }),
    index('branch_links_base').on(table.repo_id, table.base_branch, table.branch),
    index('branch_links_linked').on(table.repo_id, table.linked_at),
  ],
)

/** One branch on top of another. */
export interface BranchLink {
  branch: string
  base_branch: string
}
