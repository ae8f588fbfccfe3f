/** The table of pull requests in repositories where the App is installed: what GitHub says about them, and what was published. */
import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { instant, repoId } from '../../platform/db/database.ts'

export const pull_requests = pgTable(
  'pull_requests',
  {
    repo_id: repoId(),
    number: integer().notNull(),
    is_open: boolean().notNull(),
    is_draft: boolean().notNull(),
    /** Opened by a bot. */
    is_bot: boolean().notNull(),
    /** Has the label that turns comments off. */
    is_muted: boolean().notNull(),
    /** Somebody who may has turned comments off with a comment. */
    is_muted_by_comment: boolean().notNull().default(false),
    /** When the newest comment that decided that was written. */
    mute_commented_at: instant(),
    /** It is in the merge queue of its base branch, so it is merged before others. */
    is_queued: boolean().notNull().default(false),
    /** GitHub's time of the newest event of the merge queue; null if there was none. */
    queue_changed_at: instant(),
    /** The newest event has not been applied to activities yet. The next event applies it. */
    is_behind: boolean().notNull(),
    head_sha: text().notNull(),
    /** The title that was last copied to its activity. */
    title: text().notNull(),
    /** A hash of the summary that was last copied to its activity; null if none was. */
    summary_hash: text(),
    /** The issues that it closes; null if its description was not read. See `closingIssues`. */
    closes: integer().array(),
    /** `owner:branch` for a fork. */
    branch: text().notNull(),
    base_branch: text().notNull(),
    /** GitHub's stack that it belongs to, and its place there: 1 is the bottom. */
    stack_number: integer(),
    stack_position: integer(),
    /** The merged pull requests below it: each was merged while this one, or one below this one, was based on its branch. */
    merged_below: integer().array(),
    /** Its author has merged nothing in the repository yet, so that comments leave its title out. */
    is_by_newcomer: boolean().notNull().default(false),
    /** The login of its author. */
    author: text().notNull(),
    opened_at: instant().notNull(),
    /** When it was last pushed, or opened if no push is known. */
    pushed_at: instant().notNull(),
    is_push_seen: boolean().notNull().default(false),
    /** When the service learned of that push. */
    push_received_at: instant().notNull(),
    /** When it was last made ready; null if the service did not see that. */
    ready_at: instant(),
    /** When the service saw it opened, pushed or made ready; null if it only imported it. It gets no first comment before. */
    own_event_at: instant(),
    /** When it was merged; null if it was not. */
    merged_at: instant(),
    /** GitHub's `updated_at` of the newest event. Older events are ignored. */
    changed_at: instant().notNull(),
    /** An event of the pull request has arrived since the comment was last written. */
    is_due: boolean().notNull().default(false),
    /** The overlapping records of the last recheck. */
    related_ids: text().array().notNull(),
    /** The App's comment; null if there is none. */
    comment_id: bigint({ mode: 'number' }),
    /** When the comment was posted. */
    comment_posted_at: instant(),
    /** How often it was edited. */
    comment_edits: integer().notNull().default(0),
    /** When somebody deleted the comment. It is made again only for a pair that was found later. */
    comment_deleted_at: instant(),
    /** The version of the text of the comment: see `TEXT_VERSION`. Null if there is no comment. */
    comment_version: integer(),
    /** When it first got a comment about overlaps, or would have got one in shadow mode. */
    commented_at: instant(),
    /** The budget was in force then. */
    is_over_budget: boolean().notNull().default(false),
    /** The reactions 👍 and 👎 on the comment, as of the last time that it was written. */
    thumbs_up: integer().notNull().default(0),
    thumbs_down: integer().notNull().default(0),
    /** The hash of the published text. */
    comment_hash: text(),
    /** The hash of a text that GitHub refused permanently. It is not sent again. */
    comment_refused: text(),
    /** The hash of the last check run, including its commit. */
    check_hash: text(),
    /** Like `comment_refused`. */
    check_refused: text(),
    /** When the comment or the check run was last published. */
    published_at: instant(),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.number] }),
    index('pull_requests_open').on(table.repo_id, table.number).where(sql`is_open`),
    index('pull_requests_opened').on(table.repo_id, table.opened_at),
    index('pull_requests_merged').on(table.repo_id, table.merged_at).where(sql`merged_at is not null`),
    index('pull_requests_posted')
      .on(table.repo_id, table.comment_posted_at)
      .where(sql`comment_posted_at is not null`),
  ],
)

export type PullRequestRow = typeof pull_requests.$inferSelect
export type PullRequestChanges = Partial<Omit<PullRequestRow, 'repo_id' | 'number'>>
