/** The request pipeline that every surface uses: authorise, open the repository, parse the input, run the handler (docs/contract/errors.md#order). */
import {
  type InputOf,
  OPERATIONS,
  type OperationName,
  type RepositoryOperationName,
} from '../../vocabulary/contract/contract.ts'
import { isId } from '../../vocabulary/contract/field.ts'
import type { Operation } from '../../vocabulary/contract/operation.ts'
import { parse } from '../../vocabulary/contract/parse.ts'
import { Failure } from '../../vocabulary/failure.ts'
import { type Identity, mayAccess, type VisibleRepository } from '../github/tokens.ts'
import { databaseUnavailable } from '../platform/db/errors.ts'
import type { AuditEntry } from '../platform/telemetry/audit.ts'
import { correlationIds } from '../platform/telemetry/execution.ts'
import type { App } from '../records/repositories/app.ts'
import { registerRepository } from '../records/repositories/registration.ts'
import {
  type ContextCaller,
  noCaller,
  type OpenedRepo,
  openRepo,
  type RepoRequest,
} from '../records/repositories/repo.ts'
import type { Caller } from './admission.ts'
import { answerOf, CREATE_HANDLERS, handle, isCreate, type OperationResponse } from './handlers.ts'
import { create, idempotencyKeyOf } from './idempotency.ts'
import { listRepositories } from './overview/overview.ts'

/** A request in the terms of the contract, from any surface. */
export interface OperationRequest {
  caller: Caller
  /** Owner and name of the repository; empty if the operation is not about one. */
  owner: string
  repo: string
  /** The id of the record or the number of the issue in the path; empty if the path has none. */
  id: string
  /** The surface, for the audit log. */
  source: 'rest' | 'mcp'
  /** Reads the raw input. It is called after the caller is authorised, so the body of anyone else is never read. */
  input: () => unknown
  /** The header as received; operations that do not support it ignore it. */
  idempotency_key: string | undefined
  /** The header as received; operations that are not conditional ignore it. */
  if_none_match?: string | undefined
}

/** Runs an operation. Throws `Failure`; any other exception is an internal error. */
export async function perform(
  app: App,
  name: OperationName,
  request: OperationRequest,
): Promise<OperationResponse> {
  const timed = { ...request, now: app.clock() }
  const after: (() => Promise<void>)[] = []
  const committed = (id: string) => app.audit?.write(auditEntry(app, name, timed, id || null))
  const response = await charged(request, () =>
    name === 'listRepositories'
      ? performForCaller(app, timed)
      : performOnRepository(app, name, { ...timed, afterAnswer: (work) => after.push(work), committed }),
  )
  for (const work of after) app.background.start(work)
  return response
}

/** A write as the audit log names it, with the user of the token, for whom GitHub is asked unless the answer is cached. */
async function auditEntry(
  { access }: App,
  action: OperationName,
  { caller, owner, repo, source, now }: OperationRequest & { now: Date },
  record_id: string | null,
): Promise<AuditEntry> {
  const request_id = correlationIds().request_id ?? null
  const identity = await caller.admit((token) => access.tokens.identity(token)).catch(nullIfFailed)
  const login = identity?.login ?? null
  const { address } = caller
  return { at: now.toISOString(), request_id, action, login, owner, repo, record_id, source, address }
}

/** Charges the caller for what `operation` cost, whether it succeeds or fails. */
async function charged(
  { caller }: OperationRequest,
  operation: () => Promise<OperationResponse>,
): Promise<OperationResponse> {
  let length = 0
  try {
    const response = await operation()
    length = response.body.length
    return response
  } catch (error) {
    throw databaseUnavailable(error) ?? error
  } finally {
    await caller.chargeWork(length)
  }
}

/** The operation that is about no single repository. */
async function performForCaller(
  app: App,
  request: OperationRequest & { now: Date },
): Promise<OperationResponse> {
  const name = 'listRepositories'
  const visible = await request.caller.admit((token) => app.access.repositories(token))
  parse(OPERATIONS[name].input, await request.input(), 'parameter')
  const caller = { ...noCaller(), meter: request.caller.meter }
  return answerOf(name, await listRepositories(app, visible, { now: request.now, caller }))
}

async function performOnRepository(
  app: App,
  name: RepositoryOperationName,
  request: OperationRequest &
    Pick<ContextCaller, 'afterAnswer'> & { now: Date; committed: (id: string) => void },
): Promise<OperationResponse> {
  const operation: Operation = OPERATIONS[name]
  const repository = await authorise(app, operation, request)
  const opening = { owner: request.owner, name: request.repo, now: request.now }
  const opened = await open(app, repository, opening)
  const key = operation.is_idempotent ? idempotencyKeyOf(request.idempotency_key) : undefined
  const input = await readInput(opened, name, request)
  const { id, if_none_match: known, committed } = request
  const is_archived = operation.needs_identity === 'to_archive' && input.status === 'archived'
  const is_identified = key !== undefined || operation.needs_identity === 'always' || is_archived
  // One call to GitHub, unless the answer is cached.
  const identify = (): Promise<Identity> => request.caller.admit((token) => app.access.tokens.identity(token))
  const caller: ContextCaller = {
    identity: is_identified ? await identify() : null,
    findIdentity: () => identify().catch(nullIfFailed),
    may_write: repository.may_write,
    may_administer: repository.may_administer,
    listDirectory: (directory) =>
      request.caller.admit((token) => app.access.listDirectory(token, { ...repository, ...directory })),
    afterAnswer: request.afterAnswer,
    meter: request.caller.meter,
  }
  if (isCreate(name)) {
    const idempotency = { token: request.caller.token, key, committed }
    return create({ ...opened, caller }, name, input as InputOf<typeof name>, idempotency)
  }
  const run = () => handle({ ...opened, caller }, name, { input, id, known, committed })
  return name === 'checkOverlap' ? request.caller.inTurn(run) : run()
}

/**
 * Admits the caller and returns the repository if the caller has the permission that the operation needs. Throws
 * `forbidden`, `not_found`, and whatever `Caller.admit` throws.
 */
async function authorise(
  app: App,
  operation: Pick<Operation, 'access' | 'record'>,
  { caller, owner, repo: name, id }: OperationRequest,
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
  if (!mayAccess(repository, access)) throw new Failure('forbidden', DENIED[access])
  if (record && !isId(record, id))
    throw new Failure(
      'not_found',
      `the ${NOUNS[record]} does not exist; its id must be ${record}_ followed by 26 characters`,
    )
  return repository
}

const DENIED = {
  read: '',
  write: 'this token can only read the repository; use a token with push access to it',
  admin: 'this token cannot administer the repository; use that of somebody with admin permission on it',
}

const NOUNS = { act: 'activity', ntb: 'notable' } as const

/** Null for a failure of GitHub, such as an outage or a rate limit; throws any other error again. */
function nullIfFailed(error: unknown): null {
  if (error instanceof Failure) return null
  throw error
}

/** Opens the repository. Its first request from a caller with write access registers it before. */
async function open(app: App, repository: VisibleRepository, opening: RepoRequest): Promise<OpenedRepo> {
  const opened = await openRepo(app, repository, opening)
  if (opened.repo.is_known || !repository.may_write) return opened
  await registerRepository(app, repository, opening.now)
  return openRepo(app, repository, opening)
}

/** Parses the input. An unknown id and the precheck of a create take precedence over an invalid value. */
async function readInput(
  opened: OpenedRepo,
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
    if (operation.record) await FIND[operation.record](opened, request.id)
    if (error.kind === 'validation_error' && isCreate(name))
      CREATE_HANDLERS[name].precheck?.(opened, raw as object)
    throw error
  }
}

/** Functions that throw `not_found` if no record has the id. */
const FIND = { act: CREATE_HANDLERS.createActivity.find, ntb: CREATE_HANDLERS.createNotable.find }
