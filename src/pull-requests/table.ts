/** The table of pull requests in repositories that the app is installed in. */
import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { instant, repoId } from '../db/column.ts'

export const pull_requests = pgTable(
  'pull_requests',
  {
    repo_id: repoId(),
    number: integer().notNull(),
    is_open: boolean().notNull(),
    is_draft: boolean().notNull(),
    /** Opened by a bot. */
    is_bot: boolean().notNull(),
    /** Labelled so that it is not commented on. */
    is_muted: boolean().notNull(),
    /** An event was taken in whose effect on activities is not there yet; whatever event comes next brings it. */
    is_behind: boolean().notNull(),
    head_sha: text().notNull(),
    /** The title that its activity last took over; null where the row is older than the column. */
    title: text(),
    /** Null where the row is older than the column. */
    base_branch: text(),
    opened_at: instant().notNull(),
    /** GitHub's `updated_at` of the newest event that was taken in; what is older is out of date. */
    changed_at: instant().notNull(),
    /** The app's one comment; null while there is none. */
    comment_id: bigint({ mode: 'number' }),
    /** A hash of the text that the comment has. */
    comment_hash: text(),
    /** A hash of the text that GitHub refused for good to take as a comment; it is not sent again. */
    comment_refused: text(),
    /** A hash of the check run that was reported last, its commit included. */
    check_hash: text(),
    /** As `comment_refused`. */
    check_refused: text(),
    /** When the comment or the check run was last written. */
    told_at: instant(),
    /** The records that the last recheck found related. */
    related_ids: text().array().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.number] }),
    index('pull_requests_open').on(table.repo_id, table.number).where(sql`is_open`),
  ],
)

/** Deliveries that GitHub was asked to send again. Not a table of repositories: a delivery's is not known before it comes. */
export const redeliveries = pgTable('redeliveries', {
  /** GitHub's name for the delivery, the same each time that it is sent. */
  guid: text().primaryKey(),
  attempts: integer().notNull(),
  asked_at: instant().notNull(),
})

export type PullRequestRow = typeof pull_requests.$inferSelect
