/** Queries of the codes of `/setup`, and of the GitHub App that it created. */
import { and, eq, gt, lte } from 'drizzle-orm'
import type { Db } from '../../platform/db/database.ts'
import { created_app, setup_codes } from './table.ts'

export interface CodeRow {
  code_hash: string
  expires_at: Date
}

/** Stores a code, and deletes those that expired at `now` or earlier. */
export async function insertCode(db: Db, code: CodeRow, now: Date): Promise<void> {
  await db.delete(setup_codes).where(lte(setup_codes.expires_at, now))
  await db.insert(setup_codes).values(code).onConflictDoNothing()
}

function isValid(code_hash: string, now: Date) {
  return and(eq(setup_codes.code_hash, code_hash), gt(setup_codes.expires_at, now))
}

/** The code with this hash, unless it has expired. */
export async function findCode(db: Db, code_hash: string, now: Date): Promise<CodeRow | undefined> {
  const [row] = await db.select().from(setup_codes).where(isValid(code_hash, now))
  return row
}

/** Deletes the code and returns it; undefined if there is none, or if it has expired. Of concurrent calls, one gets it. */
export async function takeCode(db: Db, code_hash: string, now: Date): Promise<CodeRow | undefined> {
  const [row] = await db.delete(setup_codes).where(isValid(code_hash, now)).returning()
  return row
}

export async function deleteCodes(db: Db): Promise<void> {
  await db.delete(setup_codes)
}

/** The encrypted credentials of the created App. */
export async function findCredentials(db: Db): Promise<string | undefined> {
  const [row] = await db.select({ credentials: created_app.credentials }).from(created_app)
  return row?.credentials
}

/** Stores the encrypted credentials; false if there are some already. */
export async function insertCredentials(db: Db, credentials: string, now: Date): Promise<boolean> {
  const inserted = await db
    .insert(created_app)
    .values({ credentials, created_at: now })
    .onConflictDoNothing()
    .returning({ id: created_app.id })
  return inserted.length > 0
}
