/**
 * What merged pull requests have done: the issues that they close, and the lines by which work is found that one of them has
 * done already (docs/contract/issues.md#done-already). Every statement starts with the repository id.
 */
import { and, desc, eq, gt, ne, sql } from 'drizzle-orm'
import type { DoneBy, DoneSubject } from '../../../engine/check/source.ts'
import {
  COMMON_MIN,
  ENOUGH,
  isComparable,
  KEPT_FOR_MS,
  NEW_LINES_MAX,
  type NewLines,
  newLinesOf,
  numbersReverted,
} from '../../../engine/lines/added-lines.ts'
import type { FileChange } from '../../../engine/lines/change.ts'
import type { NoiseRules } from '../../../engine/lines/noise.ts'
import { later } from '../../../vocabulary/clock.ts'
import { type Db, prepared } from '../../platform/db/database.ts'
import { raiseVersion } from '../live-sets/store.ts'
import { findPullRequest } from '../pull-requests/store.ts'
import { pull_requests } from '../pull-requests/table.ts'
import { inTransaction, type RepoContext } from '../repositories/repo.ts'

/** A parameter for a list of any length. */
function arrayOf(numbers: readonly number[]): string {
  return `{${numbers}}`
}

/**
 * Keeps the lines of a pull request that is merged now, and forgets those of earlier ones that it removes: work that was
 * taken back may be done again. Those above it in a stack have its lines, and have not done them again. `files`: its changed files.
 */
export async function keepMergedWork(
  ctx: RepoContext,
  pr: { number: number; branch: string; base_branch: string },
  { files, noise }: { files: readonly FileChange[]; noise: NoiseRules },
): Promise<void> {
  const { added, removed } = await noise.deadline.run(newLinesOf(files, noise))
  const { number, base_branch } = pr
  await inTransaction(ctx, async ({ db, repo: { id } }) => {
    await saveMergedBelow(db, id, pr)
    if (removed.length > 0)
      await db.execute(sql`delete from merged_lines where repo_id = ${id}
        and hash = any(${arrayOf(removed)}::int[]) and number <> ${number} and number in (
          select number from pull_requests where repo_id = ${id} and base_branch = ${base_branch})`)
    if (added.length > 0 && added.length <= NEW_LINES_MAX)
      await db.execute(sql`insert into merged_lines (repo_id, hash, number)
        select ${id}::bigint, hash, ${number}::int from unnest(${arrayOf(added)}::int[]) as line(hash)
        on conflict do nothing`)
    await raiseVersion(db, id)
  })
}

/** How many merged pull requests below one are remembered, the last ones. */
const MERGED_BELOW_MAX = 50

/** Notes the merge of `number` at the open pull requests that are based on its branch. */
async function saveMergedBelow(
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

/** Forgets the lines of pull requests that pushed commits take back by their messages, without a pull request of their own. */
export async function forgetReverted(
  ctx: RepoContext,
  { branch, messages }: { branch: string; messages: readonly string[] },
): Promise<void> {
  const numbers = messages.flatMap(numbersReverted)
  if (numbers.length === 0) return
  await inTransaction(ctx, async ({ db, repo: { id } }) => {
    await db.execute(sql`delete from merged_lines where repo_id = ${id} and number in (
      select number from pull_requests where repo_id = ${id} and base_branch = ${branch}
        and number = any(${arrayOf(numbers)}::int[]))`)
    await raiseVersion(db, id)
  })
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
 * The pull request that has most of the lines that work adds, and enough of them: merged lately into the base branch of the work, or
 * into any if that is not known, and not below it in a stack. Null if there is none, or if lines are unknown.
 */
export async function findDoneBy(
  { db, now, repo }: RepoContext,
  lines: NewLines,
  { branch, base_branch, numbers }: DoneSubject,
): Promise<DoneBy | null> {
  if (!isComparable(lines)) return null
  const [twin] = await readTwins(db, {
    repo_id: repo.id,
    branch,
    base_branch,
    hashes: arrayOf(lines.added),
    lines: lines.added.length,
    numbers: arrayOf(numbers),
    since: later(now, -KEPT_FOR_MS).toISOString(),
    ...ENOUGH,
  })
  return twin ? { ...twin, url: `${repo.web_urls[0]}/pull/${twin.number}` } : null
}

/** The pull request that was merged last, after `since`, and closes the issue. */
export async function findMergedClosing(
  db: Db,
  repo_id: number,
  { issue, since }: { issue: number; since: Date },
): Promise<{ number: number; merged_at: Date } | undefined> {
  const { number, merged_at, closes } = pull_requests
  const [row] = await db
    .select({ number, merged_at: sql<Date>`${merged_at}`.mapWith(merged_at) })
    .from(pull_requests)
    .where(and(eq(pull_requests.repo_id, repo_id), gt(merged_at, since), sql`${issue}::int = any(${closes})`))
    .orderBy(desc(merged_at), desc(number))
    .limit(1)
  return row
}

/** Deletes the lines of up to `limit` pull requests that were merged before `before`, or that are not stored any more. */
export async function deleteOldLines(db: Db, repo_id: number, before: Date, limit: number): Promise<void> {
  await db.execute(sql`delete from merged_lines where repo_id = ${repo_id} and number in (
    select distinct number from merged_lines where repo_id = ${repo_id} and number not in (
      select number from pull_requests
        where repo_id = ${repo_id} and merged_at > ${before.toISOString()}::timestamptz)
    limit ${limit}::int)`)
}
