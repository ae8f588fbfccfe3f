/** The request pipeline that every surface uses: authorise, open the repository, parse the input, run the handler (docs/contract/errors.md#order). */

import {
  type CallerOperationName,
  type InputOf,
  OPERATIONS,
  type OperationName,
  type RepositoryOperationName,
} from '../../vocabulary/contract/contract.ts'
import { isId } from '../../vocabulary/contract/id.ts'
import type { Operation } from '../../vocabulary/contract/operation.ts'
import { parse } from '../../vocabulary/contract/parse.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { databaseUnavailable } from '../db/errors.ts'
import type { VisibleRepository } from '../github/repository-lists.ts'
import type { App } from '../repositories/app.ts'
import { registerRepository } from '../repositories/installed-repository.ts'
import {
  OutdatedRepository,
  openCachedRepo,
  openRepo,
  type RepoContext,
  type RepoRequest,
} from '../repositories/repo.ts'
import { inSpan } from '../telemetry/trace.ts'
import type { Caller } from './admission.ts'
import { CALLER_HANDLERS, CREATE_HANDLERS, type CreateHandler, HANDLERS } from './handlers.ts'
import { createOnce, idempotencyKeyOf } from './idempotency.ts'

/** A request in the terms of the contract, from any surface. */
export interface OperationRequest {
  caller: Caller
  /** Owner and name of the repository; empty if the operation is not about one. */
  owner: string
  repo: string
  /** Empty if the path of the operation has none. */
  id: string
  /** Reads the raw input. It is called after the caller is authorised, so the body of anyone else is never read. */
  input: () => unknown
  /** The header as received; operations that do not support it ignore it. */
  idempotency_key: string | undefined
  /** Aborted when the client disconnects. Optional: without it the operation always runs to its end. */
  signal?: AbortSignal
}

export interface OperationResponse {
  status: 200 | 201
  /** JSON text. */
  body: string
  /** The id of the created record, or null. */
  created_id: string | null
  /** True for the stored response to an earlier request with the same idempotency key. */
  replayed: boolean
}

/** Runs an operation. Throws `Failure`; any other exception is an internal error. */
export async function perform(
  app: App,
  name: OperationName,
  request: OperationRequest,
): Promise<OperationResponse> {
  const now = app.clock()
  try {
    return isForCaller(name)
      ? await performForCaller(app, name, { ...request, now })
      : await performOnRepository(app, name, { ...request, now })
  } catch (error) {
    throw databaseUnavailable(error) ?? error
  } finally {
    await request.caller.chargeWork()
  }
}

function isForCaller(name: OperationName): name is CallerOperationName {
  return name in CALLER_HANDLERS
}

async function performForCaller(
  app: App,
  name: CallerOperationName,
  { caller, now, signal, input }: OperationRequest & { now: Date },
): Promise<OperationResponse> {
  const visible = await caller.admit((token) => app.access.repositories(token))
  parse(OPERATIONS[name].input, await input(), 'parameter')
  return inSpan('run operation', DATABASE, async () =>
    answerOf(name, await CALLER_HANDLERS[name](app, visible, { now, signal, meter: caller.meter })),
  )
}

async function performOnRepository(
  app: App,
  name: RepositoryOperationName,
  request: OperationRequest & { now: Date },
): Promise<OperationResponse> {
  const operation: Operation = OPERATIONS[name]
  const { caller } = request
  const repository = await authorise(app, operation, request)
  const opening = openingOf(request)
  const ctx =
    (operation.confirms_repository && openCachedRepo(app, repository, opening)) ||
    (await inSpan('open repository', DATABASE, () => open(app, repository, opening)))
  const key = operation.is_idempotent ? idempotencyKeyOf(request.idempotency_key) : undefined
  const input = await readInput(ctx, name, request)
  const identify = () => caller.admit((token) => app.access.tokens.identity(token))
  if (key !== undefined || operation.needs_identity(input)) ctx.identity = await identify()
  ctx.findIdentity = () => identify().catch(nullIfFailed)
  return inSpan('run operation', DATABASE, async () => {
    if (isCreate(name)) return create(ctx, name, input as InputOf<typeof name>, { caller, key })
    try {
      return await handle(ctx, name, input, request.id)
    } catch (error) {
      if (!(error instanceof OutdatedRepository)) throw error
      const { identity, findIdentity } = ctx
      const current = { ...(await open(app, repository, opening)), identity, findIdentity }
      return handle(current, name, input, request.id)
    }
  })
}

function openingOf({
  caller,
  owner,
  repo: name,
  now,
  signal,
}: OperationRequest & { now: Date }): RepoRequest {
  return { owner, name, now, meter: caller.meter, signal }
}

/** Null for a failure of GitHub, such as an outage or a rate limit; throws any other error again. */
function nullIfFailed(error: unknown): null {
  if (error instanceof Failure) return null
  throw error
}

/** Attributes of the spans that contain database work. */
const DATABASE = { kind: 'internal', attributes: { 'db.system.name': 'postgresql' } } as const

/**
 * Admits the caller and returns the repository if the caller has the permission that the operation needs. Throws
 * `forbidden`, `not_found`, and whatever `Caller.admit` throws.
 */
export async function authorise(
  app: App,
  operation: Pick<Operation, 'access' | 'record'>,
  { caller, owner, repo: name, id }: Pick<OperationRequest, 'caller' | 'owner' | 'repo' | 'id'>,
): Promise<VisibleRepository> {
  const { access, record } = operation
  const repository = await caller.admit((token) => app.access.repository(token, { owner, name, access }))
  if (!repository) {
    if (record)
      throw new Failure(
        'not_found',
        `the ${NOUNS[record]} does not exist, or this token cannot access its repository`,
      )
    throw new Failure(
      'forbidden',
      'this token cannot access the repository; check the owner, the name and the permissions of the token',
    )
  }
  if (access === 'write' && !repository.may_write)
    throw new Failure(
      'forbidden',
      'this token can only read the repository; use a token with push access to it',
    )
  if (record && !isId(record, id))
    throw new Failure(
      'not_found',
      `the ${NOUNS[record]} does not exist; its id must be ${record}_ followed by 26 characters`,
    )
  return repository
}

const NOUNS = { act: 'activity', ntb: 'notable' } as const

/** Opens the repository. Its first request from a caller with write access also registers it. */
async function open(app: App, repository: VisibleRepository, opening: RepoRequest): Promise<RepoContext> {
  const ctx = await openRepo(app, repository, opening)
  if (ctx.repo.is_known || !repository.may_write) return ctx
  await registerRepository(app, repository, opening.now)
  return openRepo(app, repository, opening)
}

/** Parses the input. An unknown id and the precheck of a create take precedence over an invalid value. */
async function readInput(
  ctx: RepoContext,
  name: OperationName,
  request: OperationRequest,
): Promise<Record<string, unknown>> {
  const operation: Operation = OPERATIONS[name]
  let raw: unknown
  try {
    raw = await request.input()
    return parse(operation.input, raw, operation.method === 'GET' ? 'parameter' : 'field')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (operation.record) await FIND[operation.record](ctx, request.id)
    if (error.kind === 'validation_error' && isCreate(name))
      CREATE_HANDLERS[name].precheck?.(ctx, raw as object)
    throw error
  }
}

/** Functions that throw `not_found` if no record has the id. */
const FIND = {
  act: CREATE_HANDLERS.createActivity.find,
  ntb: CREATE_HANDLERS.createNotable.find,
}

type CreateName = keyof typeof CREATE_HANDLERS

function isCreate(name: OperationName): name is CreateName {
  return name in CREATE_HANDLERS
}

async function handle(
  ctx: RepoContext,
  name: Exclude<RepositoryOperationName, CreateName>,
  input: unknown,
  id: string,
): Promise<OperationResponse> {
  const handler = HANDLERS[name] as (ctx: RepoContext, input: unknown, id: string) => Promise<unknown>
  return answerOf(name, await handler(ctx, input, id))
}

function answerOf(name: OperationName, output: unknown): OperationResponse {
  const body = JSON.stringify(output)
  return { status: OPERATIONS[name].status, body, created_id: null, replayed: false }
}

async function create(
  ctx: RepoContext,
  name: CreateName,
  input: InputOf<CreateName>,
  { caller, key }: { caller: Caller; key: string | undefined },
): Promise<OperationResponse> {
  const handler = CREATE_HANDLERS[name] as unknown as CreateHandler<CreateName, { id: string }>
  if (key !== undefined) {
    const owner = ctx.identity ? `user:${ctx.identity.id}` : `token:${caller.token.hash}`
    const scoped = { repo_id: ctx.repo.id, caller: owner, operation: name, key }
    return { status: 201, ...(await createOnce(ctx, scoped, input, handler)) }
  }
  const row = await handler.create(ctx, input)
  const body = JSON.stringify(await handler.respond(ctx, row))
  return { status: 201, body, created_id: row.id, replayed: false }
}
