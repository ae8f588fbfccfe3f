/** The SQL of idempotency keys. */
import { and, eq, gt, lte, sql } from 'drizzle-orm'
import type { Db } from '../platform/db/database.ts'
import { idempotency_keys } from './table.ts'

/** An idempotency key with everything that it is scoped to. */
export interface ScopedKey {
  repo_id: number
  caller: string
  operation: string
  key: string
}

export type StoredKey = typeof idempotency_keys.$inferSelect

function isKey(scoped: ScopedKey) {
  return and(
    eq(idempotency_keys.repo_id, scoped.repo_id),
    eq(idempotency_keys.caller, scoped.caller),
    eq(idempotency_keys.operation, scoped.operation),
    eq(idempotency_keys.key, scoped.key),
  )
}

/** Locks the key until the transaction ends; false if another transaction holds the lock. */
export async function lockKey(tx: Db, scoped: ScopedKey): Promise<boolean> {
  const name = JSON.stringify([scoped.repo_id, scoped.caller, scoped.operation, scoped.key])
  const [row] = await tx
    .select({ locked: sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${name}, 0))` })
    .from(sql`(values (1)) as one`)
  return row?.locked === true
}

/** Finds the key if it was stored after `expired`. */
export async function findKey(db: Db, scoped: ScopedKey, expired: Date): Promise<StoredKey | undefined> {
  const [row] = await db
    .select()
    .from(idempotency_keys)
    .where(and(isKey(scoped), gt(idempotency_keys.created_at, expired)))
  return row
}

/** Stores a new key, or replaces an expired one. */
export async function saveKey(tx: Db, row: Omit<StoredKey, 'answer'>): Promise<void> {
  const { repo_id, caller, operation, key } = idempotency_keys
  const { input_hash, record_id, created_at } = row
  await tx
    .insert(idempotency_keys)
    .values(row)
    .onConflictDoUpdate({
      target: [repo_id, caller, operation, key],
      set: { input_hash, record_id, created_at, answer: null },
    })
}

/** Stores the response unless one is stored already. Returns the stored one. */
export async function saveResponse(db: Db, scoped: ScopedKey, body: string): Promise<string> {
  const [row] = await db
    .update(idempotency_keys)
    .set({ answer: sql`coalesce(${idempotency_keys.answer}, ${body})` })
    .where(isKey(scoped))
    .returning({ answer: idempotency_keys.answer })
  return row?.answer ?? body
}

/** Deletes the keys that were stored at `expired` or earlier. Returns how many. */
export async function deleteKeys(db: Db, repo_id: number, expired: Date): Promise<number> {
  const deleted = await db
    .delete(idempotency_keys)
    .where(and(eq(idempotency_keys.repo_id, repo_id), lte(idempotency_keys.created_at, expired)))
    .returning({ key: idempotency_keys.key })
  return deleted.length
}
