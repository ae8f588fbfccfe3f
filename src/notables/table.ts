/** The table of notables. */
import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { byteText, hourOf, instant, repoId } from '../db/column.ts'
import type { Scope } from '../scope/scope.ts'
import type { Category, Importance, NotableStatus } from './notable.ts'

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
  },
  (table) => [
    primaryKey({ columns: [table.repo_id, table.id] }),
    index('notables_active').on(table.repo_id, table.id).where(sql`status = 'active'`),
    index('notables_state').on(table.repo_id, table.status, table.expires_hour),
    index('notables_ending')
      .on(table.repo_id, table.applies_until)
      .where(sql`status = 'active' and applies_until is not null`),
    index('notables_archived').on(table.repo_id, table.archived_at).where(sql`archived_at is not null`),
  ],
)

export type NotableRow = typeof notables.$inferSelect
