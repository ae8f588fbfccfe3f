/** Queries for the lines of merged pull requests. Every statement starts with the repository id. */
import { and, eq, inArray, ne, type SQL, sql } from 'drizzle-orm'
import type { DoneBy, DoneSubject } from '../../../engine/check/source.ts'
import { COMMON_MIN, type ENOUGH } from '../../../engine/lines/added-lines.ts'
import type { Db } from '../../platform/db/database.ts'
import { prepared } from '../../platform/db/statements.ts'
import { findPullRequest } from '../pull-requests/store.ts'
import { pull_requests } from '../pull-requests/table.ts'
import { merged_lines } from './table.ts'

/** A parameter for a list of any length. */
function arrayOf(numbers: readonly number[]): string {
  return `{${numbers}}`
}

export async function saveMergedLines(
  tx: Db,
  repo_id: number,
  { number, hashes }: { number: number; hashes: readonly number[] },
): Promise<void> {
  await tx.execute(sql`insert into merged_lines (repo_id, hash, number)
    select ${repo_id}::bigint, hash, ${number}::int from unnest(${arrayOf(hashes)}::int[]) as line(hash)
    on conflict do nothing`)
}

/** Deletes lines of pull requests that were merged into `base_branch`, except those of `number`, because a merge removed them there. */
export async function deleteRemovedLines(
  tx: Db,
  repo_id: number,
  { number, base_branch, hashes }: { number: number; base_branch: string; hashes: readonly number[] },
): Promise<void> {
  await tx.execute(sql`delete from merged_lines where repo_id = ${repo_id}
    and hash = any(${arrayOf(hashes)}::int[]) and number <> ${number} and number in (
      select number from pull_requests where repo_id = ${repo_id} and base_branch = ${base_branch})`)
}

/** Deletes the lines of these pull requests, if they were merged into `base_branch`. */
export async function deleteLinesOf(
  db: Db,
  repo_id: number,
  { numbers, base_branch }: { numbers: readonly number[]; base_branch: string },
): Promise<void> {
  await db.execute(sql`delete from merged_lines where repo_id = ${repo_id} and number in (
    select number from pull_requests where repo_id = ${repo_id} and base_branch = ${base_branch}
      and number = any(${arrayOf(numbers)}::int[]))`)
}

const readTwins = prepared('merged_twins', (db) => {
  const repo_id = sql`${sql.placeholder('repo_id')}::bigint`
  const branch = sql`${sql.placeholder('branch')}::text`
  const base_branch = sql`${sql.placeholder('base_branch')}::text`
  const numbers = sql`${sql.placeholder('numbers')}::int[]`
  // The work is on its branch or on top of it: linked with it, or with its head. A pull request that was opened again from
  // another branch has the same head, and is on top of nothing.
  const isOnTop = sql`(merged.branch = ${branch}
    or (exists (select from branch_links
          where repo_id = ${repo_id} and branch = ${branch} and base_branch = merged.branch)
        or exists (select from branch_commits
          where repo_id = ${repo_id} and sha = merged.head_sha and branch = ${branch}))
      and not exists (select from pull_requests as own
        where own.repo_id = ${repo_id} and own.number = any(${numbers}) and own.head_sha = merged.head_sha))`
  const isInStack = sql`exists (select from pull_requests as own
    where own.repo_id = ${repo_id} and own.number = any(${numbers})
      and (own.stack_number = merged.stack_number or merged.number = any(own.merged_below)))`
  const twin = sql`(
    with found as (
      select hash, number, count(*) over (partition by hash) as merged_in from merged_lines
      where repo_id = ${repo_id} and hash = any(${sql.placeholder('hashes')}::int[]) and number <> all(${numbers})
    ), twins as (
      select number, count(*)::int as shared from found where merged_in < ${sql.raw(String(COMMON_MIN))} group by number
    ), common as (
      select ${sql.placeholder('lines')}::int - count(distinct hash)::int as lines
      from found where merged_in >= ${sql.raw(String(COMMON_MIN))}
    )
    select merged.*, shared, lines
    from twins cross join common join pull_requests as merged on merged.number = twins.number
    where merged.repo_id = ${repo_id}
      and shared >= greatest(${sql.placeholder('shared_min')}::int, ${sql.placeholder('share_min')}::float * lines)
      and merged_at > ${sql.placeholder('since')}::timestamptz
      and (${base_branch} is null or merged.base_branch = ${base_branch})
      and (${branch} is null or not ${isOnTop}) and not ${isInStack}
    order by shared desc, merged_at desc, merged.number desc
    limit 1
  ) as twin`
  return db
    .select({
      number: sql<number>`number`,
      title: sql<string>`title`,
      author: sql<string>`author`,
      is_by_newcomer: sql<boolean>`is_by_newcomer`,
      head_sha: sql<string>`head_sha`,
      merged_at: sql<Date>`merged_at`.mapWith(pull_requests.merged_at),
      shared: sql<number>`shared`,
      lines: sql<number>`lines`,
    })
    .from(twin)
})

/**
 * The pull request merged after `since` that has enough of the lines with these hashes, the one with the most: for the base branch of
 * the work, or for any if that is not known, and not below it in a stack.
 */
export async function findTwin(
  db: Db,
  repo_id: number,
  { hashes, branch, base_branch, numbers }: DoneSubject & { hashes: readonly number[] },
  { since, ...enough }: typeof ENOUGH & { since: Date },
): Promise<Omit<DoneBy, 'url'> | undefined> {
  const [twin] = await readTwins(db, {
    repo_id,
    branch,
    base_branch,
    hashes: arrayOf(hashes),
    lines: hashes.length,
    numbers: arrayOf(numbers),
    since: since.toISOString(),
    ...enough,
  })
  return twin
}

/**
 * Deletes the lines of up to `limit` pull requests that were merged before `before`, or that are not stored any more. Returns
 * how many lines.
 */
export async function deleteOldLines(db: Db, repo_id: number, before: Date, limit: number): Promise<number> {
  const kept = sql`select number from pull_requests where repo_id = ${repo_id} and merged_at > ${before.toISOString()}::timestamptz`
  const old = await db
    .selectDistinct({ number: merged_lines.number })
    .from(merged_lines)
    .where(and(eq(merged_lines.repo_id, repo_id), sql`${merged_lines.number} not in (${kept})`))
    .limit(limit)
  if (old.length === 0) return 0
  return deleteLines(
    db,
    and(
      eq(merged_lines.repo_id, repo_id),
      inArray(
        merged_lines.number,
        old.map(({ number }) => number),
      ),
    ),
  )
}

/** Deletes all lines of a repository. Returns how many. */
export function deleteMergedLines(tx: Db, repo_id: number): Promise<number> {
  return deleteLines(tx, eq(merged_lines.repo_id, repo_id))
}

async function deleteLines(db: Db, condition: SQL | undefined): Promise<number> {
  const deleted = await db.delete(merged_lines).where(condition).returning({ number: merged_lines.number })
  return deleted.length
}

/** How many merged pull requests below one are remembered, the last ones. */
const MERGED_BELOW_MAX = 50

/** Notes the merge of `number` at the open pull requests that are based on its branch. */
export async function saveMergedBelow(
  tx: Db,
  repo_id: number,
  { number, branch }: { number: number; branch: string },
): Promise<void> {
  const { merged_below } = (await findPullRequest(tx, repo_id, number)) ?? {}
  await tx
    .update(pull_requests)
    .set({ merged_below: [...(merged_below ?? []), number].slice(-MERGED_BELOW_MAX) })
    .where(
      and(
        eq(pull_requests.repo_id, repo_id),
        pull_requests.is_open,
        eq(pull_requests.base_branch, branch),
        ne(pull_requests.number, number),
      ),
    )
}
