/** The tables that an overlap check finds records by: what each of them claims, and how many there are (contract §6). */
import { index, integer, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core'
import { byteText, repoId } from '../db/column.ts'
import type { Kind } from './claim.ts'

/** What the live activities and active notables claim. The key is the index: it holds all there is of a row. */
export const claims = pgTable(
  'claims',
  {
    repo_id: repoId(),
    /** Where it lies; see `prefixOf`. */
    place: byteText().notNull(),
    kind: smallint().$type<Kind>().notNull(),
    /** The glob, where the place and the kind do not say it all; else empty. */
    glob: byteText().notNull(),
    record_id: byteText().notNull(),
    /** How much its record counts in the severity of an overlap: 0 to 2. */
    weight: smallint().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.repo_id, table.place, table.kind, table.glob, table.record_id, table.weight],
    }),
    index('claims_record').on(table.repo_id, table.record_id),
  ],
)

/** How many records are stored as live, in shards: writers of one repository hardly ever wait for each other's row. */
export const tallies = pgTable(
  'tallies',
  {
    repo_id: repoId(),
    /** The prefix of the ids of what is counted. */
    counted: text().$type<Counted>().notNull(),
    shard: smallint().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.repo_id, table.counted, table.shard] })],
)

export type Counted = 'act' | 'ntb'
