/** Carries a creation out once, however often it is sent with the same `Idempotency-Key` (specification §7.3, contract §7). */
import { createHash } from 'node:crypto'
import { later } from '../base/clock.ts'
import { Failure } from '../base/failure.ts'
import { inTransaction, type RepoContext } from '../context/repo.ts'
import type { InputOf, OperationName } from './contract.ts'
import type { Creation } from './handlers.ts'
import { findKey, type KeyUse, lockKey, type StoredKey, saveAnswer, saveKey } from './store.ts'

export const KEY_LIFE_MS = 86_400_000

/** Reads the header; undefined when it was not sent. Throws `invalid_request`. */
export function idempotencyKeyOf(header: string | undefined): string | undefined {
  if (header === undefined || /^[\x20-\x7e]{1,255}$/.test(header)) return header
  throw new Failure('invalid_request', 'Idempotency-Key: must be 1 to 255 printable ASCII characters', {
    param: 'Idempotency-Key',
  })
}

/** The JSON text of an answer, and whether it was given before. */
export interface Outcome {
  answer: string
  id: string
  replayed: boolean
}

/**
 * The record and the key are stored in one transaction; the answer follows once it is known, and a replay that finds
 * none, because a crash came between, completes it. Throws `idempotency_conflict`, `idempotency_mismatch`, and what
 * the creation throws; a failure leaves no key behind.
 */
export async function once<Name extends OperationName, Row extends { id: string }>(
  ctx: RepoContext,
  use: KeyUse,
  input: InputOf<Name>,
  creation: Creation<Name, Row>,
): Promise<Outcome> {
  const input_hash = createHash('sha256').update(JSON.stringify(input)).digest('hex')
  const begun = await inTransaction(
    ctx,
    async (within): Promise<{ stored: StoredKey } | { created: Row }> => {
      if (!(await lockKey(within.db, use))) throw stillRunning()
      const stored = await findKey(within.db, use, later(ctx.now, -KEY_LIFE_MS))
      if (stored) return { stored }
      const created = await creation.create(within, input)
      await saveKey(within.db, { ...use, input_hash, record_id: created.id, created_at: ctx.now })
      return { created }
    },
  )
  if ('created' in begun) return complete(ctx, use, begun.created, creation, false)
  const { stored } = begun
  if (stored.input_hash !== input_hash) throw mismatch()
  if (stored.answer !== null) return { answer: stored.answer, id: stored.record_id, replayed: true }
  return complete(ctx, use, await creation.find(ctx, stored.record_id), creation, true)
}

async function complete<Name extends OperationName, Row extends { id: string }>(
  ctx: RepoContext,
  use: KeyUse,
  row: Row,
  creation: Creation<Name, Row>,
  replayed: boolean,
): Promise<Outcome> {
  const answer = JSON.stringify(await creation.answer(ctx, row))
  return { answer: await saveAnswer(ctx.db, use, answer), id: row.id, replayed }
}

function stillRunning(): Failure {
  return new Failure(
    'idempotency_conflict',
    'Idempotency-Key: a request with this key is still being carried out; send it again in a moment',
    {
      param: 'Idempotency-Key',
      headers: { 'Retry-After': '1' },
    },
  )
}

function mismatch(): Failure {
  return new Failure(
    'idempotency_mismatch',
    'Idempotency-Key: used before with a different body; take a new key for a new operation',
    {
      param: 'Idempotency-Key',
    },
  )
}
