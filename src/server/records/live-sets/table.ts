/** The table of the versions of live sets, and of the numbers of their records. */
import { sql } from 'drizzle-orm'
import { bigint, integer, pgTable } from 'drizzle-orm/pg-core'

/** Microseconds since 1970: a repository that was deleted and stored again goes on above the versions that it had. */
const FIRST_VERSION = sql`(extract(epoch from now()) * 1000000)::bigint`

/**
 * One row for each repository that has had a live record. The transaction that changes what is compared raises `version` and
 * stores it with the record. It holds the row until it commits, so the order of the versions is that of the commits.
 */
export const live_sets = pgTable('live_sets', {
  repo_id: bigint({ mode: 'number' }).primaryKey(),
  version: bigint({ mode: 'number' }).notNull().default(FIRST_VERSION),
  /** The version of the last change of the links between branches. */
  links_version: bigint({ mode: 'number' }).notNull().default(0),
  /** Who knows an older version reads all records again: that of the last change of a record that was deleted, or the first one. */
  deleted_version: bigint({ mode: 'number' }).notNull().default(FIRST_VERSION),
  /** The numbers of the records that are stored as live. */
  activities: integer().notNull().default(0),
  notables: integer().notNull().default(0),
})

export type Counted = 'activities' | 'notables'
