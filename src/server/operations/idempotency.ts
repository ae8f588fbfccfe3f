/** Creates a record, once per `Idempotency-Key`, however often the request is sent (docs/contract/idempotency.md#replay). */

import { createHash } from 'node:crypto'
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import type { InputOf } from '../../vocabulary/contract/contract.ts'
import { Failure } from '../../vocabulary/failure.ts'
import type { Token } from '../github/tokens.ts'
import { inTransaction, type RepoContext } from '../records/repositories/repo.ts'
import { CREATE_HANDLERS, type CreateHandler, type CreateName, type OperationResponse } from './handlers.ts'
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
 * Creates a record; with an idempotency key, or returns the response to the earlier request with the same key. The record and
 * the key are committed in one transaction; the response is stored afterwards. After a crash in between, the next replay
 * computes and stores it. `committed` is called once a record is committed. Throws `idempotency_conflict`,
 * `idempotency_mismatch`, and whatever the handler throws; a failed create stores no key.
 */
export async function create(
  ctx: RepoContext,
  name: CreateName,
  input: InputOf<CreateName>,
  { token, key, committed }: { token: Token; key: string | undefined; committed: (id: string) => void },
): Promise<OperationResponse> {
  const handler = CREATE_HANDLERS[name] as unknown as CreateHandler<CreateName, { id: string }>
  const respond = async (row: { id: string }) => JSON.stringify(await handler.respond(ctx, row))
  if (key === undefined) {
    const row = await handler.create(ctx, input)
    committed(row.id)
    return { status: 201, body: await respond(row), created_id: row.id }
  }
  const { identity } = ctx.caller
  const caller = identity ? `user:${identity.id}` : `token:${token.hash}`
  const scoped = { repo_id: ctx.repo.id, caller, operation: name, key }
  const { stored, row } = await createWithKey(ctx, scoped, { input, create: handler.create })
  const created_id = stored.record_id
  if (row) committed(created_id)
  // Of concurrent replays, the response that is stored first is that of all.
  const body =
    stored.answer ??
    (await saveResponse(ctx.db, scoped, await respond(row ?? (await handler.find(ctx, created_id)))))
  return { status: 201, body, created_id, replayed: row === undefined }
}

/** Returns the key as it is stored, and the record if it was created now. */
async function createWithKey<Row extends { id: string }, Input extends object>(
  ctx: RepoContext,
  scoped: ScopedKey,
  given: { input: Input; create: (tx: RepoContext, input: Input) => Promise<Row> },
): Promise<{ stored: StoredKey; row?: Row }> {
  const input_hash = hashOf(given.input)
  return inTransaction(ctx, async (tx) => {
    if (!(await lockKey(tx.db, scoped)))
      throw new Failure(
        'idempotency_conflict',
        `${HEADER}: a request with this key is still in progress; send it again in a moment`,
        { param: HEADER, headers: { 'Retry-After': '1' } },
      )
    const known = await findKey(tx.db, scoped, later(ctx.now, -KEY_RETENTION_MS))
    if (known && known.input_hash !== input_hash)
      throw new Failure(
        'idempotency_mismatch',
        `${HEADER}: this key was already used with a different body; use a new key for a new request`,
        { param: HEADER },
      )
    if (known) return { stored: known }
    const row = await given.create(tx, given.input)
    const stored = { ...scoped, input_hash, record_id: row.id, created_at: ctx.now }
    await saveKey(tx.db, stored)
    return { stored: { ...stored, answer: null }, row }
  })
}

/** The hash leaves out null and empty lists, so that it stays the same if a request is retried on a version with more fields. */
function hashOf(input: object): string {
  const json = JSON.stringify(input, (_, value) =>
    value === null || (Array.isArray(value) && value.length === 0) ? undefined : value,
  )
  return createHash('sha256').update(json).digest('hex')
}
