/** The queries for stacks among pull requests. */
import { and, asc, eq, ne } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { type PullRequestRow, pull_requests } from '../../records/pull-requests/table.ts'
import { branch_commits } from '../../records/stacks/table.ts'

/** Up to `limit` heads of open pull requests that are among the commits of `branch`, with the branches of these pull requests. */
export async function listHeadsIn(
  db: Db,
  repo_id: number,
  of: { branch: string; limit: number },
): Promise<{ branch: string; sha: string; is_uncertain: boolean }[]> {
  const { sha, is_uncertain } = branch_commits
  const { branch } = pull_requests
  const rows = await db
    .selectDistinct({ branch, sha, is_uncertain })
    .from(branch_commits)
    .innerJoin(pull_requests, and(eq(pull_requests.repo_id, repo_id), eq(pull_requests.head_sha, sha)))
    .where(
      and(
        eq(branch_commits.repo_id, repo_id),
        eq(branch_commits.branch, of.branch),
        pull_requests.is_open,
        ne(branch, of.branch),
      ),
    )
    .limit(of.limit)
  return rows.flatMap(({ branch, ...head }) => (branch === null ? [] : { branch, ...head }))
}

/** The oldest open pull request of a branch: what the links of the branch depend on. */
export async function findOpenOn(
  db: Db,
  repo_id: number,
  branch: string,
): Promise<Pick<PullRequestRow, 'base_branch' | 'stack_number' | 'stack_position'> | undefined> {
  const { base_branch, stack_number, stack_position } = pull_requests
  const [row] = await db
    .select({ base_branch, stack_number, stack_position })
    .from(pull_requests)
    .where(and(eq(pull_requests.repo_id, repo_id), eq(pull_requests.branch, branch), pull_requests.is_open))
    .orderBy(asc(pull_requests.number))
    .limit(1)
  return row
}

/** Up to `limit` open pull requests of GitHub's stack `stack_number`. */
export function listStack(
  db: Db,
  repo_id: number,
  { stack_number, limit }: { stack_number: number; limit: number },
): Promise<Pick<PullRequestRow, 'branch' | 'stack_position'>[]> {
  return db
    .select({ branch: pull_requests.branch, stack_position: pull_requests.stack_position })
    .from(pull_requests)
    .where(
      and(
        eq(pull_requests.repo_id, repo_id),
        pull_requests.is_open,
        eq(pull_requests.stack_number, stack_number),
      ),
    )
    .limit(limit)
}
