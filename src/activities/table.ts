/** The table of activities. */
import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { byteText, hourOf, instant, repoId } from '../db/column.ts'
import type { ChangedFile } from '../lines/change.ts'
import type { Scope } from '../scope/scope.ts'
import type { ActivitySource, ActivityStatus, ArchiveReason, Risk } from './activity.ts'

/** Must match the text in queries, so that the planner uses the partial indexes. */
const isOpen = sql`status not in ('archived', 'expired')`

export const activities = pgTable(
  'activities',
  {
    repo_id: repoId(),
    id: byteText().notNull(),
    title: text().notNull(),
    summary: text().notNull(),
    actor: text().notNull(),
    agent: text(),
    status: text().$type<ActivityStatus>().notNull(),
    risk: text().$type<Risk>().notNull(),
    branch: text(),
    base_branch: text(),
    /** The branch has been pushed. Only such a branch can count as deleted. */
    branch_pushed: boolean().notNull().default(false),
    scope: jsonb().$type<Scope>().notNull(),
    /** The paths are file names from GitHub, without wildcards. */
    scope_is_literal: boolean().notNull().default(false),
    /** `scope.changes`, in the order in which they were sent. Their digests are in `file_changes` while it is live. */
    changed_files: jsonb().$type<ChangedFile[]>().notNull().default([]),
    /** The commit that the patches of `changed_files` start from; null if unknown. */
    base_sha: text(),
    /** The changed files of its pull request or branch, as GitHub lists them; null if they were not read. */
    pushed_files: jsonb().$type<ChangedFile[]>(),
    pushed_base_sha: text(),
    pr_url: text(),
    /** The number in `pr_url`. Unlike the URL, it survives a rename of the repository. */
    pr_number: integer(),
    draft_pr: boolean().notNull(),
    blocking: boolean().notNull(),
    source: text().$type<ActivitySource>().notNull(),
    heartbeat_at: instant(),
    expires_at: instant().notNull(),
    /** Indexed for the sweep instead of `expires_at`, which every heartbeat changes. */
    expires_hour: integer().notNull().generatedAlwaysAs(hourOf('expires_at')),
    created_at: instant().notNull(),
    updated_at: instant().notNull(),
    archived_at: instant(),
    archive_reason: text().$type<ArchiveReason>(),
    /** The GitHub login of the creator; null if there was no user, and for rows older than the column. */
    created_by: text(),
    /** The GitHub login of the user who archived it; null as for `created_by`. */
    archived_by: text(),
    /** When the work was merged, by PATCH or by webhook. Kept after archival. */
    merged_at: instant(),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.id] }),
    index('activities_open').on(table.repo_id, table.id).where(isOpen),
    index('activities_state').on(table.repo_id, table.status, table.expires_hour),
    index('activities_archived').on(table.repo_id, table.archived_at).where(sql`archived_at is not null`),
    index('activities_branch').on(table.repo_id, table.branch, table.id).where(isOpen),
    index('activities_base_branch').on(table.repo_id, table.base_branch, table.id).where(isOpen),
    index('activities_pull_request').on(table.repo_id, table.pr_number).where(sql`pr_number is not null`),
    index('activities_merged').on(table.repo_id, table.merged_at).where(sql`merged_at is not null`),
  ],
)

export type ActivityRow = typeof activities.$inferSelect
