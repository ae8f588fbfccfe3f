/** Reads of GitHub with the stored ETags: an answer that is the same as before costs nothing of the rate limit. */

import { and, eq, lt, sql } from 'drizzle-orm'
import { DAY_MS, later } from '../../../vocabulary/clock.ts'
import { statusOf } from '../../github/octokit.ts'
import type { Db } from '../../platform/db/database.ts'
import type { RepoContext } from './repo.ts'
import { etags } from './table.ts'

/** Repositories at rest are asked once a day. */
const KEPT_FOR_MS = 3 * DAY_MS

interface Answer<Data> {
  data: Data
  headers: { etag?: string | undefined }
}

export class ConditionalReads {
  readonly #ctx: RepoContext
  readonly #stored: ReadonlyMap<string, string>
  readonly #seen = new Map<string, string>()

  private constructor(ctx: RepoContext, stored: ReadonlyMap<string, string>) {
    this.#ctx = ctx
    this.#stored = stored
  }

  static async open(ctx: RepoContext): Promise<ConditionalReads> {
    return new ConditionalReads(ctx, await listEtags(ctx.db, ctx.repo.id))
  }

  /** Whether the address was read before. */
  has(address: string): boolean {
    return this.#stored.has(address)
  }

  /**
   * Calls GitHub with the headers given to `call`; undefined if the answer is the one whose ETag is stored. `address` names
   * the answer within the repository. Throws what the client throws.
   */
  async read<Data>(
    address: string,
    call: (headers: Record<string, string>) => Promise<Answer<Data>>,
  ): Promise<Data | undefined> {
    const etag = this.#stored.get(address)
    try {
      const { data, headers } = await call(etag === undefined ? {} : { 'if-none-match': etag })
      if (headers.etag) this.#seen.set(address, headers.etag)
      return data
    } catch (error) {
      if (statusOf(error) !== 304 || etag === undefined) throw error
      this.#seen.set(address, etag)
      return undefined
    }
  }

  /** Stores the ETags, once what was read has been applied. */
  async save(): Promise<void> {
    const { db, now, repo } = this.#ctx
    await saveEtags(db, repo.id, { seen: this.#seen, now, before: later(now, -KEPT_FOR_MS) })
  }
}

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
