/** The claims index of overlap checks, and the number of live records. */
import { index, integer, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core'
import type { Weight } from '../../vocabulary/weight.ts'
import { byteText, repoId } from '../db/column.ts'
import type { Kind } from './claim.ts'

/** The claims of live activities and active notables. The primary key is a covering index. */
export const claims = pgTable(
  'claims',
  {
    repo_id: repoId(),
    /** The prefix; see `Claim`. */
    place: byteText().notNull(),
    kind: smallint().$type<Kind>().notNull(),
    /** The glob of a `PATTERN`, else empty. */
    glob: byteText().notNull(),
    record_id: byteText().notNull(),
    /** See `Weight`. */
    weight: smallint().$type<Weight>().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.repo_id, table.place, table.kind, table.glob, table.record_id, table.weight],
    }),
    index('claims_record').on(table.repo_id, table.record_id),
  ],
)

/** The number of records stored as live, in shards, so that concurrent writers rarely wait for each other. */
export const tallies = pgTable(
  'tallies',
  {
    repo_id: repoId(),
    /** The id prefix of the counted records. */
    counted: text().$type<Counted>().notNull(),
    shard: smallint().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.repo_id, table.counted, table.shard] })],
)

export type Counted = 'act' | 'ntb'
