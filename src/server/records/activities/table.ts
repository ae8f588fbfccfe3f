/** The table of activities. */
import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { ChangedFile } from '../../../engine/lines/change.ts'
import {
  type ActivitySource,
  ActivityStatus,
  type ArchiveReason,
  type Risk,
} from '../../../vocabulary/contract/activity.ts'
import type { Scope } from '../../../vocabulary/contract/scope.ts'
import { byteText, hourOf, instant, isOneOf, repoId } from '../../platform/db/database.ts'

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
    /** `scope.changes`, in the order in which they were sent. While the activity is live, their digests are in `file_changes`. */
    changed_files: jsonb().$type<ChangedFile[]>().notNull().default([]),
    /** The commit that the patches of `changed_files` start from; null if unknown. */
    base_sha: text(),
    /** The changed files of its pull request or branch, as GitHub lists them; null if they were not read. */
    pushed_files: jsonb().$type<ChangedFile[]>(),
    pushed_base_sha: text(),
    /** False if GitHub cut the list of `pushed_files`. */
    changes_complete: boolean().notNull().default(true),
    pr_url: text(),
    /** The number in `pr_url`. Unlike the URL, it survives a rename of the repository. */
    pr_number: integer(),
    draft_pr: boolean().notNull(),
    /** The login of the first person who is assigned to its pull request, other than its author; null if nobody is. */
    assignee: text(),
    /** Its pull request is by somebody who is new to the repository, whose title is not shown to agents. */
    is_by_newcomer: boolean().notNull().default(false),
    /** GitHub cannot merge its pull request into the base branch. */
    conflicts_with_base: boolean().notNull().default(false),
    /** The issues that its pull request closes; null if it has none, or if that was not read. See `closingIssues`. */
    closes: integer().array(),
    /** The number of the issue that was sent with it; null if none was. */
    issue: integer(),
    /** See `IssuePlaces`; null if it is on no issue. */
    issue_places: jsonb().$type<IssuePlaces>(),
    /** The numbers that are kept for it while it is live, as they are written (`0043`), by directory; null if it reserved none. */
    reserved_numbers: jsonb().$type<Record<string, string>>(),
    blocking: boolean().notNull(),
    source: text().$type<ActivitySource>().notNull(),
    heartbeat_at: instant(),
    expires_at: instant().notNull(),
    /** Its own time to live, if it has one. Null once it is linked to a pull request. */
    ttl_ms: bigint({ mode: 'number' }),
    /** Indexed for the sweep instead of `expires_at`, which every heartbeat changes. */
    expires_hour: integer().notNull().generatedAlwaysAs(hourOf('expires_at')),
    /** When its scope was last declared, or its branch last pushed. Null for an activity that was created from a pull request. */
    declared_at: instant(),
    created_at: instant().notNull(),
    updated_at: instant().notNull(),
    archived_at: instant(),
    archive_reason: text().$type<ArchiveReason>(),
    /** The GitHub login of the creator; null if there was no user. */
    created_by: text(),
    /** The GitHub login of the user who archived it; null if no user did, or if it is not archived. */
    archived_by: text(),
    /** When the work was merged, by PATCH or by webhook. Kept after archival. */
    merged_at: instant(),
    /** The version of the live set at its last change other than a heartbeat. */
    version: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.id] }),
    index('activities_open').on(table.repo_id, table.id).where(isOpen),
    index('activities_version').on(table.repo_id, table.version),
    index('activities_state').on(table.repo_id, table.status, table.expires_hour),
    index('activities_archived').on(table.repo_id, table.archived_at).where(sql`archived_at is not null`),
    index('activities_branch').on(table.repo_id, table.branch, table.id).where(isOpen),
    index('activities_base_branch').on(table.repo_id, table.base_branch, table.id).where(isOpen),
    index('activities_pull_request').on(table.repo_id, table.pr_number).where(sql`pr_number is not null`),
    index('activities_reserved').on(table.repo_id, table.id).where(sql`reserved_numbers is not null`),
    index('activities_merged').on(table.repo_id, table.merged_at).where(sql`merged_at is not null`),
    check('activities_status_check', isOneOf(table.status, ActivityStatus.options)),
    check('activities_expires_at_check', sql`${table.expires_at} >= ${table.created_at}`),
    check(
      'activities_archived_at_check',
      sql`(${table.status} = 'archived') = (${table.archived_at} is not null) and (${table.status} = 'archived' or ${table.archived_by} is null)`,
    ),
    check(
      'activities_archive_reason_check',
      sql`(${table.status} = 'archived') = (${table.archive_reason} is not null)`,
    ),
    check('activities_merged_at_check', sql`${table.status} <> 'merged' or ${table.merged_at} is not null`),
    check(
      'activities_pr_number_check',
      sql`(${table.pr_url} is null) = (${table.pr_number} is null) and (${table.pr_number} is not null or ${table.source} <> 'pull_request') and ${table.pr_url} ilike '%/pull/' || ${table.pr_number}::text`,
    ),
  ],
)

/**
 * Where an activity stands on each of its issues, by number. Of all live ones, the one with the lowest position holds an issue. The
 * position is the version of the live set with which it came, whatever the clocks of the instances say.
 */
export type IssuePlaces = Record<number, { position: number; since: string }>

export type ActivityRow = Omit<typeof activities.$inferSelect, 'version'>
