/**
 * The one-time codes that open `/setup`, and the credentials of the GitHub App that it created. Codes are written to the log only: whoever
 * creates the App owns it.
 */
import { hash, randomBytes } from 'node:crypto'
import { and, eq, gt, lte } from 'drizzle-orm'
import { DAY_MS, later } from '../../../vocabulary/clock.ts'
import type { Db } from '../../platform/db/database.ts'
import type { App } from '../../records/repositories/app.ts'
import { created_app, setup_codes } from './table.ts'

type Context = Pick<App, 'database' | 'clock'>

export type CodeRow = typeof setup_codes.$inferSelect

/** Creates a code that is valid on every instance for 24 hours; a restart of the service logs a new one. Only its hash is stored. */
export async function issueCode(app: Context): Promise<string> {
  const code = randomBytes(20).toString('base64url')
  await storeCode(app, { code_hash: hash('sha256', code), expires_at: later(app.clock(), DAY_MS) })
  return code
}

/** Stores a code: a new one, or one that was used up, because the App was not created. Deletes those that have expired. */
export async function storeCode({ database, clock }: Context, code: CodeRow): Promise<void> {
  const db = database.connection()
  await db.delete(setup_codes).where(lte(setup_codes.expires_at, clock()))
  await db.insert(setup_codes).values(code).onConflictDoNothing()
}

/** The stored code; undefined if it was never issued, has expired, or was used up. */
export async function findCode({ database, clock }: Context, code: string): Promise<CodeRow | undefined> {
  const [row] = await database.connection().select().from(setup_codes).where(isValid(code, clock()))
  return row
}

/** Uses the code up, and returns it; undefined if it is not valid. Of concurrent calls, one gets it. */
export async function takeCode({ database, clock }: Context, code: string): Promise<CodeRow | undefined> {
  const [row] = await database.connection().delete(setup_codes).where(isValid(code, clock())).returning()
  return row
}

function isValid(code: string, now: Date) {
  return and(eq(setup_codes.code_hash, hash('sha256', code)), gt(setup_codes.expires_at, now))
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
