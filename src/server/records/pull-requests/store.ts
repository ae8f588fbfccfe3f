/** Queries for pull requests. Every statement starts with the repository id. */
import { and, asc, desc, eq, gt, isNull, lt, lte, not, or, type SQLWrapper, sql } from 'drizzle-orm'
import type { GithubPullRequest } from '../../github/pull-request.ts'
import type { Db } from '../../platform/db/database.ts'
import { type PullRequestChanges, type PullRequestRow, pull_requests } from './table.ts'

function isPullRequest(repo_id: number, number: number) {
  return and(eq(pull_requests.repo_id, repo_id), eq(pull_requests.number, number))
}

/** What an event says about a pull request, as far as it is stored. */
export type Facts = Pick<
  PullRequestRow,
  (keyof GithubPullRequest & keyof PullRequestRow) | 'closes' | 'is_muted'
>

/**
 * Stores the facts of an event and sets `is_behind` until the event is applied. Returns false, and changes nothing, if a
 * newer event is stored. The title is stored with the first event only; later, `savePullRequest` stores it.
 * GitHub's timestamps have seconds: of two events of one second, a close wins over all but a reopening. One that was opened
 * after `commenting_since` has an event of its own, even if that was missed.
 */
export async function recordPullRequest(
  db: Db,
  repo_id: number,
  facts: Facts,
  { event, now, commenting_since }: { event: string; now: Date; commenting_since: Date },
): Promise<boolean> {
  const { title: _, ...known } = facts
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

export async function savePullRequest(
  db: Db,
  repo_id: number,
  number: number,
  changes: PullRequestChanges,
): Promise<void> {
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

/** Deletes the closed pull requests without an event since `closed_before`; if that is null, all pull requests. Returns how many. */
export async function deletePullRequests(
  db: Db,
  repo_id: number,
  closed_before: Date | null,
): Promise<number> {
  const { is_open, changed_at, number } = pull_requests
  const which = closed_before ? and(not(is_open), lte(changed_at, closed_before)) : undefined
  const deleted = await db
    .delete(pull_requests)
    .where(and(eq(pull_requests.repo_id, repo_id), which))
    .returning({ number })
  return deleted.length
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

/** The pull requests, by number, whose comment, or check run if it is open, neither has this hash nor was refused with it. */
export async function listUnsaid(db: Db, repo_id: number, hash: string): Promise<number[]> {
  const { number, is_open, comment_hash, comment_refused, check_hash, check_refused } = pull_requests
  const isOther = (published: SQLWrapper, refused: SQLWrapper) =>
    sql`(${published} <> ${hash} and ${refused} is distinct from ${hash})`
  const isUnsaid = sql`(${isOther(comment_hash, comment_refused)} or ${is_open} and ${isOther(check_hash, check_refused)})`
  const rows = await db
    .select({ number })
    .from(pull_requests)
    .where(and(eq(pull_requests.repo_id, repo_id), isUnsaid))
    .orderBy(asc(number))
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
