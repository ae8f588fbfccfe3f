/** Queries for pull requests. Every statement starts with the repository id. */
import { and, asc, eq, gt, gte, isNull, lt, lte, ne, notInArray, or, type SQLWrapper, sql } from 'drizzle-orm'
import type { GithubPullRequest } from '../../github/pull-request.ts'
import type { Db } from '../../platform/db/database.ts'
import { branch_commits } from '../stacks/table.ts'
import { type PullRequestChanges, type PullRequestRow, pull_requests } from './table.ts'

function isPullRequest(repo_id: number, number: number) {
  return and(eq(pull_requests.repo_id, repo_id), eq(pull_requests.number, number))
}

function isOpenIn(repo_id: number) {
  return and(eq(pull_requests.repo_id, repo_id), pull_requests.is_open)
}

/** What an event says about a pull request, as far as it is stored. */
export type Facts = Pick<
  PullRequestRow,
  (keyof GithubPullRequest & keyof PullRequestRow) | 'closes' | 'is_muted'
>

/**
 * Stores the facts of an event and sets `is_behind` until the event is applied. Returns false, and changes nothing, if a
 * newer event is stored. Title and summary are stored with the first event only; later, `savePullRequest` stores them.
 * GitHub's timestamps have seconds: of two events of one second, a close wins over all but a reopening. One that was opened
 * after `commenting_since` has an event of its own, even if that was missed.
 */
export async function recordPullRequest(
  db: Db,
  repo_id: number,
  facts: Facts,
  { event, now, commenting_since }: { event: string; now: Date; commenting_since: Date },
): Promise<boolean> {
  const { title: _, summary_hash: __, ...known } = facts
  const isReopening = event === 'reopened'
  const isPush = event === 'opened' || isReopening || event === 'files'
  const isMadeReady = event === 'draft' && !facts.is_draft
  const isOwn = isPush || isMadeReady
  const isReady = sql`(${isMadeReady}::boolean or ${pull_requests.is_draft} and not ${facts.is_draft}::boolean)`
  const isMoved = sql`(${isPush}::boolean or ${pull_requests.head_sha} <> ${facts.head_sha})`
  const isNewer = lt(pull_requests.changed_at, facts.changed_at)
  const isLevel = and(
    eq(pull_requests.changed_at, facts.changed_at),
    facts.is_open && !isReopening ? pull_requests.is_open : sql`true`,
  )
  const stored = await db
    .insert(pull_requests)
    .values({
      ...facts,
      repo_id,
      pushed_at: isPush ? facts.changed_at : facts.opened_at,
      is_push_seen: isPush,
      push_received_at: now,
      ready_at: isMadeReady ? facts.changed_at : null,
      own_event_at: isOwn || facts.opened_at > commenting_since ? now : null,
      is_behind: true,
      is_due: true,
      related_ids: [],
    })
    .onConflictDoUpdate({
      target: [pull_requests.repo_id, pull_requests.number],
      set: {
        ...known,
        is_behind: true,
        is_due: true,
        pushed_at: sql`case when ${isMoved} then ${facts.changed_at.toISOString()}::timestamptz else ${pull_requests.pushed_at} end`,
        is_push_seen: sql`${isMoved} or ${pull_requests.is_push_seen}`,
        ready_at: sql`case when ${isReady} then ${facts.changed_at.toISOString()}::timestamptz else ${pull_requests.ready_at} end`,
        own_event_at: sql`case when ${isOwn}::boolean or ${isMoved} or ${isReady} then ${now.toISOString()}::timestamptz else ${pull_requests.own_event_at} end`,
        push_received_at: sql`case when ${isMoved} then ${now.toISOString()}::timestamptz else ${pull_requests.push_received_at} end`,
      },
      setWhere: or(isNewer, isLevel),
    })
    .returning({ number: pull_requests.number })
  return stored.length > 0
}

export async function findPullRequest(
  db: Db,
  repo_id: number,
  number: number,
): Promise<PullRequestRow | undefined> {
  const [found] = await db.select().from(pull_requests).where(isPullRequest(repo_id, number))
  return found
}

export async function savePullRequest(db: Db, repo_id: number, number: number, changes: PullRequestChanges) {
  await db.update(pull_requests).set(changes).where(isPullRequest(repo_id, number))
}

/** Stores what a comment of `at` says about muting, unless a newer one has said it. */
export async function muteByComment(
  db: Db,
  repo_id: number,
  { number, is_muted, at }: { number: number; is_muted: boolean; at: Date },
): Promise<void> {
  const { mute_commented_at } = pull_requests
  await db
    .update(pull_requests)
    .set({ is_muted_by_comment: is_muted, mute_commented_at: at })
    .where(and(isPullRequest(repo_id, number), or(isNull(mute_commented_at), lte(mute_commented_at, at))))
}

/** Deletes the closed pull requests without an event since `before`; if that is null, all pull requests. Returns how many. */
export async function deletePullRequests(db: Db, repo_id: number, before: Date | null): Promise<number> {
  const { is_open, changed_at, number } = pull_requests
  const which = before ? and(eq(is_open, false), lte(changed_at, before)) : undefined
  const deleted = await db
    .delete(pull_requests)
    .where(and(eq(pull_requests.repo_id, repo_id), which))
    .returning({ number })
  return deleted.length
}

/** The pull requests, by number, whose comment, or check run if it is open, neither has this hash nor was refused with it. */
export async function listUnsaid(db: Db, repo_id: number, hash: string): Promise<number[]> {
  const { number, is_open, comment_hash, comment_refused, check_hash, check_refused } = pull_requests
  const isOther = (published: SQLWrapper, refused: SQLWrapper) =>
    sql`(${published} <> ${hash} and ${refused} is distinct from ${hash})`
  const isUnsaid = sql`(${isOther(comment_hash, comment_refused)} or ${is_open} and ${isOther(check_hash, check_refused)})`
  const isOne = and(eq(pull_requests.repo_id, repo_id), isUnsaid)
  const rows = await db.select({ number }).from(pull_requests).where(isOne).orderBy(asc(number))
  return rows.map((row) => row.number)
}

/** Lets refused texts be sent to GitHub again, for one pull request or for all of the repository. */
export async function clearRefusals(db: Db, repo_id: number, number?: number): Promise<void> {
  const which = number === undefined ? undefined : eq(pull_requests.number, number)
  await db
    .update(pull_requests)
    .set({ comment_refused: null, check_refused: null })
    .where(and(eq(pull_requests.repo_id, repo_id), which))
}

/** How many pull requests are read at once. */
const PAGE = 500

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
export function listHeadsIn(db: Db, repo_id: number, of: { branch: string; limit: number }) {
  const { sha, is_uncertain } = branch_commits
  const isOfBranch = and(eq(branch_commits.repo_id, repo_id), eq(branch_commits.branch, of.branch))
  const { branch } = pull_requests
  return db
    .selectDistinct({ branch, sha, is_uncertain })
    .from(branch_commits)
    .innerJoin(pull_requests, and(eq(pull_requests.repo_id, repo_id), eq(pull_requests.head_sha, sha)))
    .where(and(isOfBranch, pull_requests.is_open, ne(branch, of.branch)))
    .limit(of.limit)
}

/** The oldest open pull request of a branch: what the links of the branch depend on. */
export async function findOpenOn(db: Db, repo_id: number, branch: string) {
  const { base_branch, stack_number, stack_position } = pull_requests
  const [row] = await db
    .select({ base_branch, stack_number, stack_position })
    .from(pull_requests)
    .where(and(isOpenIn(repo_id), eq(pull_requests.branch, branch)))
    .orderBy(asc(pull_requests.number))
    .limit(1)
  return row
}

/** Up to `limit` open pull requests of a stack of GitHub. */
export function listStack(db: Db, repo_id: number, of: { stack_number: number; limit: number }) {
  return db
    .select({ branch: pull_requests.branch, stack_position: pull_requests.stack_position })
    .from(pull_requests)
    .where(and(isOpenIn(repo_id), eq(pull_requests.stack_number, of.stack_number)))
    .limit(of.limit)
}
