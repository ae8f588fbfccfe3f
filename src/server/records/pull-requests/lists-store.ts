/** Queries for the open pull requests of a repository, alone and in stacks, and how many were opened and commented: for the budget of comments, the signal report and the metrics. */
import { and, asc, eq, gt, gte, ne, notInArray, or, type SQLWrapper, sql } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { branch_commits } from '../stacks/table.ts'
import { type PullRequestRow, pull_requests } from './table.ts'

const PAGE = 500

function isOpenIn(repo_id: number) {
  return and(eq(pull_requests.repo_id, repo_id), pull_requests.is_open)
}

/** The open pull requests by number, in pages. */
export async function* openPages(db: Db, repo_id: number): AsyncGenerator<PullRequestRow[]> {
  const { number } = pull_requests
  for (let after = 0, isLast = false; !isLast; ) {
    const page = await db
      .select()
      .from(pull_requests)
      .where(and(isOpenIn(repo_id), gt(number, after)))
      .orderBy(asc(number))
      .limit(PAGE)
    yield page
    after = page.at(-1)?.number ?? after
    isLast = page.length < PAGE
  }
}

/** How many pull requests are stored as open, apart from these. */
export function countOpen(db: Db, repo_id: number, apart: readonly number[]): Promise<number> {
  return db.$count(pull_requests, and(isOpenIn(repo_id), notInArray(pull_requests.number, [...apart])))
}

/** The open pull requests among `numbers`, and those whose last recheck found the record `related_to`. */
export async function listOpen(
  db: Db,
  repo_id: number,
  { numbers, related_to }: { numbers: readonly number[]; related_to?: string },
): Promise<PullRequestRow[]> {
  const { number, related_ids } = pull_requests
  const isNumbered = sql`${number} = any(${`{${numbers}}`}::int[])`
  const isRelated = related_to === undefined ? undefined : sql`${related_to} = any(${related_ids})`
  return db
    .select()
    .from(pull_requests)
    .where(and(isOpenIn(repo_id), or(isNumbered, isRelated)))
}

/** Pull requests that were opened since `since`, by author. */
export function countByAuthor(db: Db, repo_id: number, since: Date) {
  const { author, is_bot, opened_at } = pull_requests
  return db
    .select({
      author,
      is_bot,
      pull_requests: sql<number>`count(*)::int`,
      commented: sql<number>`count(commented_at)::int`,
      over_budget: sql<number>`(count(*) filter (where is_over_budget))::int`,
    })
    .from(pull_requests)
    .where(and(eq(pull_requests.repo_id, repo_id), gte(opened_at, since)))
    .groupBy(author, is_bot)
}

/** The comments that were posted since `since`, how often they were edited, and the reactions to them. */
export async function countComments(db: Db, repo_id: number, since: Date) {
  const { comment_posted_at, comment_edits, thumbs_up, thumbs_down } = pull_requests
  const sum = (column: SQLWrapper) => sql<number>`coalesce(sum(${column}), 0)::int`
  const [counts] = await db
    .select({
      posted: sql<number>`count(*)::int`,
      edited: sum(comment_edits),
      up: sum(thumbs_up),
      down: sum(thumbs_down),
    })
    .from(pull_requests)
    .where(and(eq(pull_requests.repo_id, repo_id), gte(comment_posted_at, since)))
  return counts as NonNullable<typeof counts>
}

/** Up to `limit` heads of open pull requests that are among the commits of `branch`, with the branches of these pull requests. */
export function listHeadsIn(
  db: Db,
  repo_id: number,
  of: { branch: string; limit: number },
): Promise<{ branch: string; sha: string; is_uncertain: boolean }[]> {
  const { sha, is_uncertain } = branch_commits
  const { branch } = pull_requests
  return db
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
    .where(and(isOpenIn(repo_id), eq(pull_requests.branch, branch)))
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
    .where(and(isOpenIn(repo_id), eq(pull_requests.stack_number, stack_number)))
    .limit(limit)
}
