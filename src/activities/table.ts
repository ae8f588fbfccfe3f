/** The table of activities. */
import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { byteText, hourOf, instant, repoId } from '../db/column.ts'
import type { Scope } from '../scope/scope.ts'
import type { ActivitySource, ActivityStatus, ArchiveReason, Risk } from './activity.ts'

/** As queries spell it, so that the planner sees that they ask for what the indexes hold. */
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
    /** The branch was pushed since: only one that was there can be gone. */
    branch_pushed: boolean().notNull().default(false),
    scope: jsonb().$type<Scope>().notNull(),
    /** True when the paths are file names as GitHub gave them, in which no character is a wildcard. */
    scope_is_literal: boolean().notNull().default(false),
    pr_url: text(),
    /** The number in `pr_url`: it stays right when the repository is renamed. */
    pr_number: integer(),
    draft_pr: boolean().notNull(),
    blocking: boolean().notNull(),
    source: text().$type<ActivitySource>().notNull(),
    heartbeat_at: instant(),
    expires_at: instant().notNull(),
    /** Serves the sweep in place of `expires_at`, which no index may hold: every heartbeat changes it. */
    expires_hour: integer().notNull().generatedAlwaysAs(hourOf('expires_at')),
    created_at: instant().notNull(),
    updated_at: instant().notNull(),
    archived_at: instant(),
    archive_reason: text().$type<ArchiveReason>(),
    /** GitHub login of the caller who created it; null where no user did, and where the row is older than the column. */
    created_by: text(),
    /** GitHub login of the caller who archived it; null as for `created_by`. */
    archived_by: text(),
    /** When the work was merged, by PATCH or by webhook; remembered after it was archived. */
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
