/** Runs the handler of an operation and renders its result; a create once per `Idempotency-Key`, however often the request is sent (docs/contract/idempotency.md#replay). */

import { createHash } from 'node:crypto'
import { DAY_MS, later } from '../../vocabulary/clock.ts'
import {
  type InputOf,
  OPERATIONS,
  type OperationName,
  type RepositoryOperationName,
} from '../../vocabulary/contract/contract.ts'
import { Failure } from '../../vocabulary/failure.ts'
import type { Token } from '../github/tokens.ts'
import { inTransaction, type RepoContext } from '../records/repositories/repo.ts'
import {
  type Answered,
  CREATE_HANDLERS,
  type CreateHandler,
  HANDLERS,
  type Handler,
  type HandlerOptions,
  Versioned,
} from './handlers.ts'
import { findKey, lockKey, type ScopedKey, type StoredKey, saveKey, saveResponse } from './store.ts'

export interface OperationResponse {
  status: 200 | 201 | 304
  /** JSON text; empty with status 304. */
  body: string
  /** The entity tag of the body, for operations that are conditional. */
  etag?: string
  /** The id of the created record, or null. */
  created_id: string | null
  /** True for the stored response to an earlier request with the same idempotency key. */
  replayed: boolean
}

type CreateName = keyof typeof CREATE_HANDLERS

export function isCreate(name: OperationName): name is CreateName {
  return name in CREATE_HANDLERS
}

/** Runs a handler that creates nothing. `known`: the entity tags that the caller has. */
export async function handle(
  ctx: RepoContext,
  name: Exclude<RepositoryOperationName, CreateName>,
  { input, options, known }: { input: unknown; options: HandlerOptions; known: string | undefined },
): Promise<OperationResponse> {
  const handler = HANDLERS[name] as Handler<RepositoryOperationName>
  const result = await handler(ctx, input as never, options)
  if (result instanceof Versioned) return answerUnlessKnown(name, result, known)
  const { is_repeated = false, ...output } = result as Answered<object>
  return { ...answerOf(name, output), ...(is_repeated && { status: 200 }) }
}

/** `known`: a list of entity tags, or `*` for any (RFC 9110, section 13.1.2). */
async function answerUnlessKnown(
  name: OperationName,
  { version, read }: Versioned<unknown>,
  known = '',
): Promise<OperationResponse> {
  const etag = `W/"${version}"`
  if (known.trim() === '*' || known.includes(`"${version}"`))
    return { status: 304, body: '', etag, created_id: null, replayed: false }
  return { ...answerOf(name, await read()), etag }
}

export function answerOf(name: OperationName, output: unknown): OperationResponse {
  const body = JSON.stringify(output)
  return { status: OPERATIONS[name].status, body, created_id: null, replayed: false }
}

/** Creates a record, at most once if there is an idempotency key. */
export async function create(
  ctx: RepoContext,
  name: CreateName,
  input: InputOf<CreateName>,
  { token, key }: { token: Token; key: string | undefined },
): Promise<OperationResponse> {
  const handler = CREATE_HANDLERS[name] as unknown as CreateHandler<CreateName, { id: string }>
  if (key !== undefined) {
    const { identity } = ctx.caller
    const owner = identity ? `user:${identity.id}` : `token:${token.hash}`
    const scoped = { repo_id: ctx.repo.id, caller: owner, operation: name, key }
    return { status: 201, ...(await createOnce(ctx, scoped, input, handler)) }
  }
  const row = await handler.create(ctx, input)
  const body = JSON.stringify(await handler.respond(ctx, row))
  return { status: 201, body, created_id: row.id, replayed: false }
}

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
