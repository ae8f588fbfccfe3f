/** Queries for the ETags of what was read on GitHub. */
import { and, eq, lt, sql } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { etags } from './table.ts'

export async function listEtags(db: Db, repo_id: number): Promise<Map<string, string>> {
  const { address, etag } = etags
  const rows = await db.select({ address, etag }).from(etags).where(eq(etags.repo_id, repo_id))
  return new Map(rows.map((row) => [row.address, row.etag]))
}

/** Stores the ETags of these addresses, and deletes those that were not asked for since `before`. */
export async function saveEtags(
  db: Db,
  repo_id: number,
  { seen, now, before }: { seen: ReadonlyMap<string, string>; now: Date; before: Date },
): Promise<void> {
  const rows = [...seen].map(([address, etag]) => ({ repo_id, address, etag, asked_at: now }))
  if (rows.length > 0)
    await db
      .insert(etags)
      .values(rows)
      .onConflictDoUpdate({
        target: [etags.repo_id, etags.address],
        set: { etag: sql`excluded.etag`, asked_at: sql`excluded.asked_at` },
      })
  await db.delete(etags).where(and(eq(etags.repo_id, repo_id), lt(etags.asked_at, before)))
}

export async function deleteEtags(tx: Db, repo_id: number): Promise<void> {
  await tx.delete(etags).where(eq(etags.repo_id, repo_id))
}
