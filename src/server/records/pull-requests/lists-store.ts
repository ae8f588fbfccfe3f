/** Queries for the open pull requests of a repository, and how many were opened and commented: for the budget of comments, the signal report and the metrics. */
import { and, asc, eq, gt, gte, notInArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { type PullRequestRow, pull_requests } from './table.ts'

const PAGE = 500

/** The open pull requests by number, in pages. */
export async function* openPages(
  db: Db,
  repo_id: number,
): AsyncGenerator<
  Pick<PullRequestRow, 'number' | 'published_at' | 'head_sha' | 'changed_at' | 'is_behind' | 'closes'>[]
> {
  const { number, published_at, head_sha, changed_at, is_behind, closes } = pull_requests
  for (let after = 0, isLast = false; !isLast; ) {
    const page = await db
      .select({ number, published_at, head_sha, changed_at, is_behind, closes })
      .from(pull_requests)
      .where(and(eq(pull_requests.repo_id, repo_id), pull_requests.is_open, gt(number, after)))
      .orderBy(asc(number))
      .limit(PAGE)
    yield page
    after = page.at(-1)?.number ?? after
    isLast = page.length < PAGE
  }
}

/** How many pull requests are stored as open, apart from these. */
export function countOpen(db: Db, repo_id: number, apart: readonly number[]): Promise<number> {
  const { number, is_open } = pull_requests
  return db.$count(
    pull_requests,
    and(eq(pull_requests.repo_id, repo_id), is_open, notInArray(number, [...apart])),
  )
}

/** What decides whether and when a pull request is rechecked because of others. */
const rechecked = {
  number: pull_requests.number,
  published_at: pull_requests.published_at,
  pushed_at: pull_requests.pushed_at,
  ready_at: pull_requests.ready_at,
  comment_id: pull_requests.comment_id,
  check_hash: pull_requests.check_hash,
}

function openOf(repo_id: number, condition: SQL) {
  return and(eq(pull_requests.repo_id, repo_id), pull_requests.is_open, condition)
}

/** The open pull requests among `numbers`, and those whose last recheck found the record `id`. */
export function listRelatedTo(db: Db, repo_id: number, { id, numbers }: { id: string; numbers: number[] }) {
  const isRelated = sql`(${pull_requests.number} = any(${`{${numbers}}`}::int[]) or ${id} = any(${pull_requests.related_ids}))`
  return db.select(rechecked).from(pull_requests).where(openOf(repo_id, isRelated))
}

const numbered = {
  ...rechecked,
  branch: pull_requests.branch,
  is_queued: pull_requests.is_queued,
  is_bot: pull_requests.is_bot,
  is_by_newcomer: pull_requests.is_by_newcomer,
  author: pull_requests.author,
  opened_at: pull_requests.opened_at,
  is_push_seen: pull_requests.is_push_seen,
  push_received_at: pull_requests.push_received_at,
  own_event_at: pull_requests.own_event_at,
  head_sha: pull_requests.head_sha,
  changed_at: pull_requests.changed_at,
}
export type NumberedPullRequest = Pick<PullRequestRow, keyof typeof numbered>

/** The open pull requests among `numbers`. */
export function listNumbered(db: Db, repo_id: number, numbers: number[]): Promise<NumberedPullRequest[]> {
  const isNumbered = sql`${pull_requests.number} = any(${`{${numbers}}`}::int[])`
  return db.select(numbered).from(pull_requests).where(openOf(repo_id, isNumbered))
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
