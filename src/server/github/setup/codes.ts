/** One-time codes that open `/setup`. They are written to the log only: whoever creates the App owns it. */
import { createHash, randomBytes } from 'node:crypto'
import { later } from '../../../vocabulary/clock.ts'
import type { App } from '../../records/repositories/app.ts'
import { type CodeRow, findCode, insertCode, takeCode } from './store.ts'

/** How long a code is valid. A restart of the service logs a new one. */
const TTL_MS = 24 * 3_600_000

type Context = Pick<App, 'database' | 'clock'>

/** Creates a code that is valid on every instance for 24 hours. Only its hash is stored. */
export async function issueCode({ database, clock }: Context): Promise<string> {
  const code = randomBytes(20).toString('base64url')
  const now = clock()
  await insertCode(database.connection(), { code_hash: hashOf(code), expires_at: later(now, TTL_MS) }, now)
  return code
}

/** The stored code; undefined if it was never issued, has expired, or was used up. */
export function findValidCode({ database, clock }: Context, code: string): Promise<CodeRow | undefined> {
  return findCode(database.connection(), hashOf(code), clock())
}

/** Uses the code up, and returns it; undefined if it is not valid. */
export function useCode({ database, clock }: Context, code: string): Promise<CodeRow | undefined> {
  return takeCode(database.connection(), hashOf(code), clock())
}

/** Makes a code that was used up valid again, because the App was not created. */
export function restoreCode({ database, clock }: Context, code: CodeRow): Promise<void> {
  return insertCode(database.connection(), code, clock())
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('hex')
}
