/** Queries for pull requests. Every statement starts with the repository id. */
import { and, asc, desc, eq, gt, inArray, lt, lte, not, or, type Placeholder, sql } from 'drizzle-orm'
import { type Batch, isNoneOf } from '../db/batch.ts'
import type { Db } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import { type PullRequestRow, pull_requests } from './table.ts'

function isPullRequest(repo_id: number | Placeholder, number: number | Placeholder) {
  return and(eq(pull_requests.repo_id, repo_id), eq(pull_requests.number, number))
}

/** What an event says about a pull request, except its title. */
export type Facts = Pick<
  PullRequestRow,
  | 'number'
  | 'is_open'
  | 'is_draft'
  | 'is_bot'
  | 'is_by_newcomer'
  | 'author'
  | 'closes'
  | 'merged_at'
  | 'is_muted'
  | 'head_sha'
  | 'branch'
  | 'base_branch'
  | 'stack_number'
  | 'stack_position'
  | 'opened_at'
  | 'changed_at'
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
  facts: Facts & Pick<PullRequestRow, 'title'>,
  { event, now, commenting_since }: { event: string; now: Date; commenting_since: Date },
): Promise<boolean> {
  const { title: _, ...known } = facts
  const isOwn = isOwnEvent(event, facts)
  const isReady = sql`((${event === 'draft'}::boolean or ${pull_requests.is_draft}) and not ${facts.is_draft}::boolean)`
  const isReopening = event === 'reopened'
  const isPush = event === 'opened' || isReopening || event === 'files'
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
      ready_at: event === 'draft' && !facts.is_draft ? facts.changed_at : null,
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

/** Whether the event is an opening, a push or a change to ready. */
function isOwnEvent(event: string, { is_draft }: Pick<PullRequestRow, 'is_draft'>): boolean {
  return event === 'opened' || event === 'reopened' || event === 'files' || (event === 'draft' && !is_draft)
}

const readPullRequest = prepared('pull_request', (db) =>
  db
    .select()
    .from(pull_requests)
    .where(isPullRequest(sql.placeholder('repo_id'), sql.placeholder('number'))),
)

export async function findPullRequest(
  db: Db,
  repo_id: number,
  number: number,
): Promise<PullRequestRow | undefined> {
  const [row] = await readPullRequest(db, { repo_id, number })
  return row
}

export async function savePullRequest(
  db: Db,
  repo_id: number,
  number: number,
  changes: Partial<Omit<PullRequestRow, 'repo_id' | 'number'>>,
): Promise<void> {
  await db.update(pull_requests).set(changes).where(isPullRequest(repo_id, number))
}

/** Up to `limit` open pull requests after the number `after`, by number. */
export function listOpen(
  db: Db,
  repo_id: number,
  page: { after: number; limit: number },
): Promise<
  Pick<PullRequestRow, 'number' | 'published_at' | 'head_sha' | 'changed_at' | 'is_behind' | 'closes'>[]
> {
  const { number, published_at, head_sha, changed_at, is_behind, closes } = pull_requests
  return db
    .select({ number, published_at, head_sha, changed_at, is_behind, closes })
    .from(pull_requests)
    .where(
      and(eq(pull_requests.repo_id, repo_id), pull_requests.is_open, gt(pull_requests.number, page.after)),
    )
    .orderBy(asc(pull_requests.number))
    .limit(page.limit)
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
export type RecheckedPullRequest = Pick<PullRequestRow, keyof typeof rechecked>

const readRelatedTo = prepared('pull_requests_related_to', (db) =>
  db
    .select(rechecked)
    .from(pull_requests)
    .where(
      and(
        eq(pull_requests.repo_id, sql.placeholder('repo_id')),
        pull_requests.is_open,
        sql`${pull_requests.related_ids} && array(select json_array_elements_text(${sql.placeholder('ids')}::text::json))`,
      ),
    ),
)

/** The open pull requests whose last recheck found one of the records `ids`. */
export function listRelatedTo(db: Db, repo_id: number, ids: string[]): Promise<RecheckedPullRequest[]> {
  return readRelatedTo(db, { repo_id, ids: JSON.stringify(ids) })
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

const readNumbered = prepared('open_pull_requests_numbered', (db) =>
  db
    .select(numbered)
    .from(pull_requests)
    .where(
      and(
        eq(pull_requests.repo_id, sql.placeholder('repo_id')),
        pull_requests.is_open,
        sql`${pull_requests.number} = any(${sql.placeholder('numbers')}::int[])`,
      ),
    ),
)

/** The open pull requests among `numbers`. */
export function listNumbered(db: Db, repo_id: number, numbers: number[]): Promise<NumberedPullRequest[]> {
  return readNumbered(db, { repo_id, numbers: `{${numbers}}` })
}

/** The numbers of closed pull requests without an event since `closed_before`; if that is null, of all pull requests. */
export async function listNumbers(
  db: Db,
  repo_id: number,
  closed_before: Date | null,
  { limit, except }: Batch<number>,
): Promise<number[]> {
  const { is_open, changed_at, number } = pull_requests
  const which = closed_before ? and(not(is_open), lte(changed_at, closed_before)) : undefined
  const rows = await db
    .select({ number })
    .from(pull_requests)
    .where(and(eq(pull_requests.repo_id, repo_id), which, isNoneOf(number, except)))
    .limit(limit)
  return rows.map((row) => row.number)
}

/** Deletes these pull requests; returns how many. With `closed_before`, it keeps those that `listNumbers` would not return. */
export async function deletePullRequests(
  db: Db,
  repo_id: number,
  closed_before: Date | null,
  numbers: number[],
): Promise<number> {
  const { is_open, changed_at, number } = pull_requests
  const which = closed_before ? and(not(is_open), lte(changed_at, closed_before)) : undefined
  const deleted = await db
    .delete(pull_requests)
    .where(and(eq(pull_requests.repo_id, repo_id), which, inArray(number, numbers)))
    .returning({ number })
  return deleted.length
}

const readMergedClosing = prepared('merged_pull_request_closing', (db) =>
  db
    .select({
      number: pull_requests.number,
      merged_at: sql<Date>`${pull_requests.merged_at}`.mapWith(pull_requests.merged_at),
    })
    .from(pull_requests)
    .where(
      and(
        eq(pull_requests.repo_id, sql.placeholder('repo_id')),
        gt(pull_requests.merged_at, sql`${sql.placeholder('since')}::timestamptz`),
        sql`${sql.placeholder('issue')}::int = any(${pull_requests.closes})`,
      ),
    )
    .orderBy(desc(pull_requests.merged_at), desc(pull_requests.number))
    .limit(1),
)

/** The pull request that was merged last, after `since`, and closes the issue. */
export async function findMergedClosing(
  db: Db,
  repo_id: number,
  { issue, since }: { issue: number; since: Date },
): Promise<{ number: number; merged_at: Date } | undefined> {
  const [row] = await readMergedClosing(db, { repo_id, issue, since: since.toISOString() })
  return row
}

/** Lets refused texts be sent to GitHub again, for one pull request or for all of the repository. */
export async function clearRefusals(db: Db, repo_id: number, number?: number): Promise<void> {
  await db
    .update(pull_requests)
    .set({ comment_refused: null, check_refused: null })
    .where(number === undefined ? eq(pull_requests.repo_id, repo_id) : isPullRequest(repo_id, number))
}
