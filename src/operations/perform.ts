/** The one pipeline that every surface goes through: who asks, may they, what do they want, do it (contract §3, order of checks). */
import { Failure, unavailable } from '../base/failure.ts'
import { isId } from '../base/id.ts'
import { parse } from '../base/parse.ts'
import type { App } from '../context/app.ts'
import { registerRepository } from '../context/following.ts'
import { type Asked, openRepo, type RepoContext } from '../context/repo.ts'
import { isDatabaseAway } from '../db/errors.ts'
import type { VisibleRepository } from '../github/access.ts'
import { inSpan } from '../telemetry/trace.ts'
import type { Caller } from './admission.ts'
import { type InputOf, OPERATIONS, type Operation, type OperationName } from './contract.ts'
import { CREATIONS, type Creation, HANDLERS } from './handlers.ts'
import { idempotencyKeyOf, once } from './idempotency.ts'
import type { KeyUse } from './store.ts'

/** What a caller wants to reach. */
export interface Target {
  caller: Caller
  owner: string
  repo: string
  /** Empty where the operation's path has none. */
  id: string
}

/** A request as every surface can state it. */
export interface Call extends Target {
  /** What is sent, read when the caller is known and not before. */
  input: () => unknown
  /** The header as it came; calls that are no creation ignore it. */
  idempotency_key: string | undefined
  /** Aborted when the caller no longer waits; without one the caller always does. */
  signal?: AbortSignal
}

export interface Answer {
  status: 200 | 201
  /** JSON. */
  body: string
  /** Id of the record that was created, or null. */
  created_id: string | null
  /** The answer was given before, to an earlier request with the same key. */
  replayed: boolean
}

/** Carries out an operation. Throws `Failure`, and nothing else but faults of our own. */
export async function perform(app: App, name: OperationName, call: Call): Promise<Answer> {
  try {
    return await carryOut(app, name, call)
  } catch (error) {
    if (isDatabaseAway(error)) throw unavailable('the database does not answer; try again', error)
    throw error
  } finally {
    await call.caller.chargeWork()
  }
}

async function carryOut(app: App, name: OperationName, call: Call): Promise<Answer> {
  const operation: Operation = OPERATIONS[name]
  const now = app.clock()
  const repository = await authorise(app, operation, call)
  const { caller, signal } = call
  const asked = { owner: call.owner, name: call.repo, now, meter: caller.meter, signal }
  const ctx = await inSpan('open repository', DATABASE, () => open(app, repository, asked))
  const key = operation.is_idempotent ? idempotencyKeyOf(call.idempotency_key) : undefined
  const input = await inputOf(ctx, name, call)
  if (key !== undefined || operation.needs_identity(input))
    ctx.identity = await caller.admit((token) => app.access.identity(token))
  return inSpan('carry out', DATABASE, () => answerOf(ctx, name, input, { call, key }))
}

/** Opens the repository; one that is not known yet is registered first, when the caller may write there. */
async function open(app: App, repository: VisibleRepository, asked: Asked): Promise<RepoContext> {
  const ctx = await openRepo(app, repository, asked)
  if (ctx.repo.is_known || !repository.may_write) return ctx
  await registerRepository(app, repository, asked.now)
  return openRepo(app, repository, asked)
}

/** Of the spans in which the database is worked with. */
const DATABASE = { kind: 'internal', attributes: { 'db.system.name': 'postgresql' } } as const

async function answerOf(
  ctx: RepoContext,
  name: OperationName,
  input: unknown,
  { call, key }: { call: Call; key: string | undefined },
): Promise<Answer> {
  if (isCreation(name))
    return create(ctx, name, input, key === undefined ? undefined : keyUseOf(ctx, name, call.caller, key))
  const handle = HANDLERS[name] as (ctx: RepoContext, input: unknown, id: string) => Promise<unknown>
  const body = JSON.stringify(await handle(ctx, input, call.id))
  return { status: OPERATIONS[name].status, body, created_id: null, replayed: false }
}

/**
 * Admits the caller and answers the repository, when they may do there what the operation does. Throws `forbidden`,
 * `not_found`, and what admission throws.
 */
export async function authorise(
  app: App,
  operation: Pick<Operation, 'access' | 'record'>,
  { caller, owner, repo: name, id }: Target,
): Promise<VisibleRepository> {
  const { access } = operation
  const repository = await caller.admit((token) => app.access.repository(token, { owner, name, access }))
  if (!repository) {
    if (operation.record)
      throw new Failure('not_found', 'there is no such record, or this token cannot see its repository')
    throw new Failure(
      'forbidden',
      'this token cannot see the repository; check its name, and that the token has access to it',
    )
  }
  if (operation.access === 'write' && !repository.may_write) {
    throw new Failure(
      'forbidden',
      'this token may read the repository but not write; it needs push access there',
    )
  }
  if (operation.record && !isId(operation.record, id)) {
    throw new Failure(
      'not_found',
      `there is no such record: ids here are ${operation.record}_ and 26 characters`,
    )
  }
  return repository
}

/** The parsed input. A record that is not there, and what a creation refuses, go before a value that is wrong. */
async function inputOf(ctx: RepoContext, name: OperationName, call: Call): Promise<Record<string, unknown>> {
  const operation: Operation = OPERATIONS[name]
  let sent: unknown
  try {
    sent = await call.input()
    return parse(operation.input, sent, operation.method === 'GET' ? 'parameter' : 'field')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (operation.record) await RECORDS[operation.record](ctx, call.id)
    if (error.kind === 'validation_error' && isCreation(name)) CREATIONS[name].refuse?.(ctx, sent as object)
    throw error
  }
}

const RECORDS = {
  act: CREATIONS.createActivity.find,
  ntb: CREATIONS.createNotable.find,
}

function isCreation(name: OperationName): name is keyof typeof CREATIONS {
  return name in CREATIONS
}

function keyUseOf(ctx: RepoContext, operation: OperationName, { token }: Caller, key: string): KeyUse {
  const caller = ctx.identity ? `user:${ctx.identity.id}` : `token:${token.hash}`
  return { repo_id: ctx.repo.id, caller, operation, key }
}

async function create(
  ctx: RepoContext,
  name: keyof typeof CREATIONS,
  input: unknown,
  use: KeyUse | undefined,
): Promise<Answer> {
  const creation = CREATIONS[name] as unknown as Creation<typeof name, { id: string }>
  const given = input as InputOf<typeof name>
  if (use) {
    const { answer, id, replayed } = await once(ctx, use, given, creation)
    return { status: 201, body: answer, created_id: id, replayed }
  }
  const row = await creation.create(ctx, given)
  const body = JSON.stringify(await creation.answer(ctx, row))
  return { status: 201, body, created_id: row.id, replayed: false }
}
