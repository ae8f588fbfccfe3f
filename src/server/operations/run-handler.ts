/** Runs the handler of an operation and renders its result. */
import {
  type InputOf,
  OPERATIONS,
  type OperationName,
  type RepositoryOperationName,
} from '../../vocabulary/contract/contract.ts'
import type { Token } from '../github/tokens.ts'
import type { RepoContext } from '../records/repositories/repo.ts'
import {
  CREATE_HANDLERS,
  type CreateHandler,
  HANDLERS,
  type Handler,
  type HandlerOptions,
  Repeated,
  Versioned,
} from './handlers.ts'
import { createOnce } from './idempotency.ts'

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
  return result instanceof Repeated
    ? { ...answerOf(name, result.output), status: 200 }
    : answerOf(name, result)
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
