/** The inbox: a delivery is checked, stored, acknowledged, and then handed to its handlers by a job (contract §5). */
import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import { z } from 'zod'
import { Failure, unavailable } from '../../base/failure.ts'
import type { App } from '../../context/app.ts'
import { isDatabaseAway } from '../../db/errors.ts'
import type { JobHandler } from '../../jobs/jobs.ts'
import { addOnce } from '../../jobs/store.ts'
import { setDeliveryId } from '../../telemetry/execution.ts'
import { type Delivery, isHandled } from './events.ts'
import { accessOwnersOf, repositoryIdOf } from './source.ts'
import { UnsignedBodies } from './unsigned-body.ts'

/** The kind of job that a delivery becomes. */
export const DELIVERY = 'delivery'

/** The handlers of `POST /api/github/webhooks`. An unsigned body is not even read, and of others at most `unsigned_bytes` are kept at a time. */
export function receiveDelivery(
  app: App,
  { unsigned_bytes }: { unsigned_bytes: number },
): (RequestHandler | ErrorRequestHandler)[] {
  const bodies = new UnsignedBodies(unsigned_bytes)
  const refuseUnsigned: RequestHandler = (req, _res, next) => {
    if (!app.github_app)
      throw unavailable(
        'the GitHub App is not configured: set APP_ID, PRIVATE_KEY and WEBHOOK_SECRET',
        undefined,
        300,
      )
    if (!/^sha256=[0-9a-f]{64}$/.test(req.get('X-Hub-Signature-256') ?? '')) throw wronglySigned()
    next()
  }
  const store: RequestHandler = async (req, res) => {
    const body = await bodies.read(req, (bytes) => verified(app, req, bytes))
    const status = await accept(app, req, body)
    app.metrics.deliveries.inc({ outcome: status })
    res.status(202).json({ status })
  }
  const countRefusal: ErrorRequestHandler = (error, _req, _res, next) => {
    // A failure without a cause is an answer to what was sent, or to the App being off, and no error of the service.
    const isRefused = error instanceof Failure && error.cause === undefined
    app.metrics.deliveries.inc({ outcome: isRefused ? 'refused' : 'failed' })
    next(error)
  }
  return [refuseUnsigned, store, countRefusal]
}

/** The body as text, if the webhook secret signed it. */
async function verified(app: App, req: Request, bytes: Buffer): Promise<string> {
  const probot = await app.github_app?.probot.ready()
  const body = bytes.toString('utf8')
  // Probot takes an empty body for a mistake of ours.
  const isSigned = body !== '' && (await probot?.webhooks.verify(body, req.get('X-Hub-Signature-256') ?? ''))
  if (!isSigned) throw wronglySigned()
  return body
}

/** Answers what became of the delivery: `accepted`, `known` from before, or `ignored`. */
async function accept(app: App, req: Request, body: string): Promise<string> {
  const id = headerOf(req, 'X-GitHub-Delivery')
  const name = headerOf(req, 'X-GitHub-Event')
  setDeliveryId(id)
  const payload = parsed(body)
  if (!isHandled(name)) {
    app.log.info({ event: name, outcome: 'ignored' }, 'delivery')
    return 'ignored'
  }
  const now = app.clock()
  const job = {
    id: `${DELIVERY}:${id}`,
    kind: DELIVERY,
    repo_id: repositoryIdOf(payload),
    payload: { name, payload },
    run_at: now,
  }
  try {
    const isNew = await addOnce(app.database.connection(), job, now)
    // Not when the job's turn comes: permissions that were taken back end at once.
    for (const owner of accessOwnersOf(name, payload)) await app.forgetAccess(owner)
    const outcome = isNew ? 'accepted' : 'known'
    app.log.info({ event: name, outcome }, 'delivery')
    return outcome
  } catch (error) {
    if (isDatabaseAway(error)) throw unavailable('the database does not answer; deliver it again', error)
    // JSON is read to any depth, and written with the stack.
    if (error instanceof RangeError) throw new Failure('invalid_request', 'body: is nested too deep')
    throw error
  }
}

/** What a job holds of a delivery. */
const StoredDelivery = z.object({ name: z.string(), payload: z.looseObject({}) })

/** Hands a stored delivery to its handlers. */
export function handleDelivery(app: App): JobHandler {
  return async (job) => {
    const event = { id: job.id.slice(DELIVERY.length + 1), ...StoredDelivery.parse(job.payload) }
    if (!isDelivery(event)) throw new Error(`no handler for deliveries of ${event.name}`)
    await app.github_app?.probot.receive(event)
  }
}

/** GitHub signed the payload, so it has the form that GitHub documents for the event. */
function isDelivery(event: { id: string; name: string; payload: object }): event is Delivery {
  return isHandled(event.name)
}

function wronglySigned(): Failure {
  return new Failure('unauthorized', 'X-Hub-Signature-256: does not fit the body and the webhook secret')
}

function headerOf(req: Request, name: string): string {
  const value = req.get(name) ?? ''
  if (/^[\w-]{1,100}$/.test(value)) return value
  throw new Failure('invalid_request', `${name}: missing or malformed`, { param: name })
}

function parsed(body: string): object {
  try {
    const payload: unknown = JSON.parse(body)
    if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return payload
  } catch {
    // Falls through: no JSON and no object are one mistake.
  }
  throw new Failure(
    'invalid_request',
    'body: must be a JSON object; set the content type of the webhook to application/json',
  )
}
