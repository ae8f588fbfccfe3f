/** The table of changed files of live activities, with the digests of their patches. */
import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { ChangeOrigin } from '../../../engine/lines/change.ts'
import type { ChangeStatus } from '../../../vocabulary/contract/scope.ts'
import { bytes, byteText, repoId } from '../../platform/db/database.ts'

export const file_changes = pgTable(
  'file_changes',
  {
    repo_id: repoId(),
    activity_id: byteText().notNull(),
    origin: text().$type<ChangeOrigin>().notNull(),
    /** The position in the list of files. */
    position: integer().notNull(),
    path: text().notNull(),
    previous_path: text(),
    status: text().$type<ChangeStatus>().notNull(),
    blob_sha: text(),
    changed_lines: integer(),
    /** See `encodeDigest`. */
    digest: bytes(),
  },
  (table) => [primaryKey({ columns: [table.repo_id, table.activity_id, table.origin, table.position] })],
)
