/** The table of notables. */
import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { type Category, type Importance, NotableStatus } from '../../../vocabulary/contract/notable.ts'
import type { Scope } from '../../../vocabulary/contract/scope.ts'
import { byteText, hourOf, instant, isOneOf, repoId } from '../../platform/db/database.ts'

export const notables = pgTable(
  'notables',
  {
    repo_id: repoId(),
    id: byteText().notNull(),
    title: text().notNull(),
    summary: text().notNull(),
    category: text().$type<Category>().notNull(),
    importance: text().$type<Importance>().notNull(),
    status: text().$type<NotableStatus>().notNull(),
    decision_url: text(),
    supersedes: jsonb().$type<string[]>().notNull(),
    superseded_by: text(),
    applies_until: instant(),
    scope: jsonb().$type<Scope>().notNull(),
    /** The `labelKey` of each area of the scope. */
    area_keys: text().array().notNull(),
    blocking: boolean().notNull(),
    created_by: text(),
    expires_at: instant().notNull(),
    expires_hour: integer().notNull().generatedAlwaysAs(hourOf('expires_at')),
    created_at: instant().notNull(),
    updated_at: instant().notNull(),
    archived_at: instant(),
    /** When its notification was enqueued, see docs/notifications.md. */
    notified_at: instant(),
    /** The version of the live set at its last change. */
    version: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.id] }),
    index('notables_active').on(table.repo_id, table.id).where(sql`status = 'active'`),
    index('notables_state').on(table.repo_id, table.status, table.expires_hour),
    index('notables_version').on(table.repo_id, table.version),
    index('notables_archived').on(table.repo_id, table.archived_at).where(sql`archived_at is not null`),
    check('notables_status_check', isOneOf(table.status, NotableStatus.options)),
    check('notables_expires_at_check', sql`${table.expires_at} >= ${table.created_at}`),
    check(
      'notables_archived_at_check',
      sql`(${table.status} = 'archived') = (${table.archived_at} is not null)`,
    ),
    check(
      'notables_superseded_by_check',
      sql`${table.superseded_by} is null or ${table.status} = 'archived'`,
    ),
  ],
)

export type NotableRow = Omit<typeof notables.$inferSelect, 'version'>
