/** The inbox of webhooks: verifies a delivery, stores it as a job, acknowledges it, and dispatches it when the job runs (docs/contract/webhooks.md#deliveries). */
import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import { z } from 'zod'
import { Failure, unavailable } from '../../../vocabulary/failure.ts'
import type { JobHandler } from '../../jobs/jobs.ts'
import { enqueueOnce } from '../../jobs/store.ts'
import { isDatabaseUnavailable } from '../../platform/db/errors.ts'
import { setDeliveryId } from '../../platform/telemetry/execution.ts'
import type { App } from '../../records/repositories/app.ts'
import { rescheduledByRateLimit } from '../../records/repositories/installation.ts'
import { ACCESS_EVENTS, type Delivery, isHandled, isStored } from './github-events.ts'
import { UnsignedBodies } from './unsigned-body.ts'

/** The kind of job that applies a delivery. */
export const DELIVERY = 'delivery'

/** The handlers of `POST /api/github/webhooks`. A body without a signature is not read, and unverified bodies take at most `unsigned_bytes` together. */
export function receiveDelivery(
  app: App,
  { unsigned_bytes }: { unsigned_bytes: number },
): (RequestHandler | ErrorRequestHandler)[] {
  const bodies = new UnsignedBodies(unsigned_bytes)
  const rejectUnsigned: RequestHandler = (req, _res, next) => {
    if (!app.github_app)
      throw unavailable(
        'the GitHub App is not configured: create it at the address that the service logs, or set APP_ID, PRIVATE_KEY and WEBHOOK_SECRET',
        undefined,
        300,
      )
    if (!/^sha256=[0-9a-f]{64}$/.test(req.get('X-Hub-Signature-256') ?? '')) throw invalidSignature()
    next()
  }
  const store: RequestHandler = async (req, res) => {
    const bytes = await bodies.receive(req)
    const body = await verified(app, req, bytes).finally(() => bodies.release(bytes))
    const status = await accept(app, req, body)
    app.metrics.deliveries.inc({ outcome: status })
    res.status(202).json({ status })
  }
  const countFailure: ErrorRequestHandler = (error, _req, _res, next) => {
    // A failure without a cause was caused by the sender, or the App is not configured. It is not an error of the service.
    const isRefused = error instanceof Failure && error.cause === undefined
    app.metrics.deliveries.inc({ outcome: isRefused ? 'refused' : 'failed' })
    next(error)
  }
  return [rejectUnsigned, store, countFailure]
}

/** The body as text. Throws `unauthorized` unless it is signed with the webhook secret. */
async function verified(app: App, req: Request, bytes: Buffer): Promise<string> {
  const probot = await app.github_app?.probot.ready()
  const body = bytes.toString('utf8')
  // Probot throws on an empty body.
  const isSigned = body !== '' && (await probot?.webhooks.verify(body, req.get('X-Hub-Signature-256') ?? ''))
  if (!isSigned) throw invalidSignature()
  return body
}

/** Returns the outcome: `accepted`, `known` if it was delivered before, or `ignored`. */
async function accept(app: App, req: Request, body: string): Promise<string> {
  const id = headerOf(req, 'X-GitHub-Delivery')
  const name = headerOf(req, 'X-GitHub-Event')
  setDeliveryId(id)
  const payload = parsed(body)
  if (!isStored(name, payload)) {
    app.log.info({ event: name, outcome: 'ignored' }, 'delivery')
    return 'ignored'
  }
  const now = app.clock()
  const job = {
    id: `${DELIVERY}:${id}`,
    kind: DELIVERY,
    priority: 'live' as const,
    ...sourceOf(payload),
    payload: { name, payload },
    run_at: now,
  }
  try {
    const isNew = await enqueueOnce(app.database.connection(), job, now)
    if (isNew) app.wakeWorker()
    // Not only when the job runs: a revoked permission must take effect at once.
    await invalidateAccess(app, name, payload)
    const outcome = isNew ? 'accepted' : 'known'
    app.log.info({ event: name, outcome }, 'delivery')
    return outcome
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw unavailable('the database is unavailable; redeliver later', error)
    // `JSON.parse` has no depth limit, but `JSON.stringify` is recursive.
    if (error instanceof RangeError) throw new Failure('invalid_request', 'body: is nested too deeply')
    throw error
  }
}

/** The payload of the job. */
const StoredDelivery = z.object({ name: z.string(), payload: z.looseObject({}) })

/** Dispatches a stored delivery to the event handlers. */
export function handleDelivery(app: App): JobHandler {
  return rescheduledByRateLimit(app, async (job) => {
    const event = { id: job.id.slice(DELIVERY.length + 1), ...StoredDelivery.parse(job.payload) }
    if (!isDelivery(event)) throw new Error(`no handler for deliveries of ${event.name}`)
    await app.github_app?.probot.receive(event)
    // Invalidates again, because a request may have cached GitHub's earlier answer in the meantime.
    await invalidateAccess(app, event.name, event.payload)
  })
}

/** Invalidates the permissions that the event may have changed, on every instance. */
async function invalidateAccess(app: App, name: string, payload: object): Promise<void> {
  for (const owner of accessOwnersOf(name, payload)) await app.invalidateAccess(owner)
}

/** Trusts the payload to have the documented form of its event, because GitHub signed it. */
function isDelivery(event: { id: string; name: string; payload: object }): event is Delivery {
  return isHandled(event.name)
}

function invalidSignature(): Failure {
  return new Failure('unauthorized', 'X-Hub-Signature-256: does not match the body and the webhook secret')
}

function headerOf(req: Request, name: string): string {
  const value = req.get(name) ?? ''
  if (/^[\w-]{1,100}$/.test(value)) return value
  throw new Failure(
    'invalid_request',
    `${name}: is missing or malformed; send it as GitHub does with each delivery`,
    { param: name },
  )
}

function parsed(body: string): object {
  try {
    const payload: unknown = JSON.parse(body)
    if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return payload
  } catch {
    // The failure below also applies to JSON that is not an object.
  }
  throw new Failure(
    'invalid_request',
    'body: must be a JSON object; set the content type of the webhook to application/json',
  )
}

const account = z.object({ login: z.string() }).nullish().catch(null)

/** The parts of a payload that are read before the event is known. A missing or malformed part is null. */
const Source = z.object({
  repository: z
    .object({ id: z.int().catch(0), owner: account })
    .nullish()
    .catch(null),
  organization: account,
  installation: z.object({ account }).nullish().catch(null),
  changes: z
    .object({
      /** The former owner of a repository that was transferred. */
      owner: z
        .object({ from: z.object({ user: account, organization: account }) })
        .nullish()
        .catch(null),
      /** The former name of an organization. */
      login: z.object({ from: z.string() }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
})

/** The id of the repository, 0 if the payload has none; and the login of the account. */
function sourceOf(payload: object): { repo_id: number; owner: string } {
  const source = Source.parse(payload)
  return { repo_id: source.repository?.id ?? 0, owner: ownerOf(source) ?? '' }
}

function ownerOf({ organization, repository, installation }: z.output<typeof Source>): string | undefined {
  return organization?.login ?? repository?.owner?.login ?? installation?.account?.login
}

/** Events that can change permissions. */
const CHANGING_ACCESS: ReadonlySet<string> = new Set([
  'repository',
  'installation',
  'installation_repositories',
  ...ACCESS_EVENTS,
])

/** The accounts whose permissions the event may change: the current owner and the former one. */
function accessOwnersOf(name: string, payload: object): string[] {
  if (!CHANGING_ACCESS.has(name)) return []
  const source = Source.parse(payload)
  const { changes } = source
  const former = changes?.owner?.from
  const logins = [ownerOf(source), former?.organization?.login ?? former?.user?.login ?? changes?.login?.from]
  return logins.filter((login) => login !== undefined)
}
