/** Runs a create once per `Idempotency-Key`, however often the request is sent (docs/contract/idempotency.md#replay). */
import { createHash } from 'node:crypto'
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import type { InputOf, OperationName } from '../../vocabulary/contract/contract.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { inTransaction, type RepoContext } from '../records/repositories/repo.ts'
import type { CreateHandler } from './handlers.ts'
import { findKey, lockKey, type ScopedKey, type StoredKey, saveKey, saveResponse } from './store.ts'

export const KEY_RETENTION_MS = DAY_MS

const HEADER = 'Idempotency-Key'

/** Validates the header; undefined if it was not sent. Throws `invalid_request`. */
export function idempotencyKeyOf(header: string | undefined): string | undefined {
  if (header === undefined || /^[\x20-\x7e]{1,255}$/.test(header)) return header
  throw new Failure('invalid_request', `${HEADER}: must be 1 to 255 printable ASCII characters`, {
    param: HEADER,
  })
}

/**
 * Creates a record, or returns the response to the earlier request with the same key. The record and the key are committed
 * in one transaction; the response is stored afterwards. After a crash in between, the next replay computes and stores it.
 * Throws `idempotency_conflict`, `idempotency_mismatch`, and whatever the handler throws; a failed create stores no key.
 */
export async function createOnce<Name extends OperationName, Row extends { id: string }>(
  ctx: RepoContext,
  scoped: ScopedKey,
  input: InputOf<Name>,
  handler: CreateHandler<Name, Row>,
) {
  const input_hash = hashOf(input)
  const found = await inTransaction(ctx, async (tx): Promise<{ stored: StoredKey } | { row: Row }> => {
    if (!(await lockKey(tx.db, scoped))) throw inProgress()
    const stored = await findKey(tx.db, scoped, later(ctx.now, -KEY_RETENTION_MS))
    if (stored) return { stored }
    const row = await handler.create(tx, input)
    await saveKey(tx.db, { ...scoped, input_hash, record_id: row.id, created_at: ctx.now })
    return { row }
  })
  if ('row' in found) {
    const body = await respond(ctx, scoped, found.row, handler)
    return { body, created_id: found.row.id, replayed: false }
  }
  const { stored } = found
  if (stored.input_hash !== input_hash) throw mismatch()
  const body =
    stored.answer ?? (await respond(ctx, scoped, await handler.find(ctx, stored.record_id), handler))
  return { body, created_id: stored.record_id, replayed: true }
}

/** The hash leaves out null and empty lists, so that it stays the same if a request is retried on a version with more fields. */
function hashOf(input: object): string {
  const json = JSON.stringify(input, (_, value) =>
    value === null || (Array.isArray(value) && value.length === 0) ? undefined : value,
  )
  return createHash('sha256').update(json).digest('hex')
}

/** Computes and stores the response. If a concurrent replay stored one first, that one is returned. */
async function respond<Name extends OperationName, Row extends { id: string }>(
  ctx: RepoContext,
  scoped: ScopedKey,
  row: Row,
  handler: CreateHandler<Name, Row>,
): Promise<string> {
  return saveResponse(ctx.db, scoped, JSON.stringify(await handler.respond(ctx, row)))
}

function inProgress(): Failure {
  return new Failure(
    'idempotency_conflict',
    `${HEADER}: a request with this key is still in progress; send it again in a moment`,
    { param: HEADER, headers: { 'Retry-After': '1' } },
  )
}

function mismatch(): Failure {
  return new Failure(
    'idempotency_mismatch',
    `${HEADER}: this key was already used with a different body; use a new key for a new request`,
    { param: HEADER },
  )
}
