/** The inbox of webhooks: verifies a delivery, stores it as a job, acknowledges it, and dispatches it when the job runs (docs/contract/webhooks.md#deliveries). */
import type { IncomingMessage } from 'node:http'
import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import { Failure, unavailable } from '../../../vocabulary/failure.ts'
import { postponedByGithub } from '../../github/tracking/jobs.ts'
import type { JobHandler } from '../../jobs/jobs.ts'
import { DELIVERY, enqueueOnce } from '../../jobs/store.ts'
import { setDeliveryId } from '../../platform/telemetry/execution.ts'
import type { App } from '../../records/repositories/app.ts'
import { accessOwnersOf, applyEvent, isStored, sourceOf } from './github-events.ts'

const BODY_MAX = 25 * 1024 * 1024

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
    if (isNew) app.wakeup.wake()
    // Not only when the job runs: a revoked permission must take effect at once.
    await invalidateAccess(app, name, payload)
    const outcome = isNew ? 'accepted' : 'known'
    app.log.info({ event: name, outcome }, 'delivery')
    return outcome
  } catch (error) {
    // `JSON.parse` has no depth limit, but `JSON.stringify` is recursive.
    if (error instanceof RangeError) throw new Failure('invalid_request', 'body: is nested too deeply')
    throw error
  }
}

/** Dispatches a stored delivery to the event handlers. */
export function handleDelivery(app: App): JobHandler {
  return postponedByGithub(app, async (job) => {
    const { name, payload } = job.payload as { name: string; payload: object }
    // GitHub signed the payload, so it has the documented form of its event.
    await applyEvent(app, name, payload)
    // Invalidates again, because a request may have cached GitHub's earlier answer in the meantime.
    await invalidateAccess(app, name, payload)
  })
}

/** Invalidates the permissions that the event may have changed, on every instance. */
async function invalidateAccess(app: App, name: string, payload: object): Promise<void> {
  for (const owner of accessOwnersOf(name, payload)) await app.invalidateAccess(owner)
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

/** A body that is being received. */
interface Receiving {
  chunks: Buffer[]
  size: number
  refuse(failureOf: () => Failure): void
}

/** Reads bodies of unverified senders, with a limit per body and for all bodies together. */
class UnsignedBodies {
  readonly #max: number
  readonly #receiving = new Set<Receiving>()
  /** Bytes of the bodies being received or verified. */
  #held = 0

  /** `max`: bytes of all bodies together. Completing a body copies it, which is not counted. */
  constructor(max: number) {
    this.#max = max
  }

  /** Receives a body. Its bytes count until `release` is called with it. Throws `body_too_large`, `service_unavailable`. */
  async receive(req: IncomingMessage): Promise<Buffer> {
    refuseUnreadable(req)
    return new Promise((resolve, reject) => {
      const receiving: Receiving = {
        chunks: [],
        size: 0,
        refuse: (failureOf) => {
          if (!this.#receiving.delete(receiving)) return
          this.#held -= receiving.size
          receiving.chunks.length = 0
          // Discard the rest, so that the sender gets the response.
          req.off('data', keep).resume()
          reject(failureOf())
        },
      }
      const keep = (chunk: Buffer) => this.#keep(receiving, chunk)
      this.#receiving.add(receiving)
      req.on('data', keep)
      req.on('end', () => {
        if (this.#receiving.delete(receiving)) resolve(Buffer.concat(receiving.chunks))
      })
      req.on('close', () => receiving.refuse(incomplete))
      if (req.closed) receiving.refuse(incomplete)
    })
  }

  release(body: Buffer): void {
    this.#held -= body.length
  }

  /** Adds a chunk to its body. Above the total limit, the largest body is rejected, so that GitHub's small deliveries get through. */
  #keep(receiving: Receiving, chunk: Buffer): void {
    receiving.chunks.push(chunk)
    receiving.size += chunk.length
    this.#held += chunk.length
    if (receiving.size > BODY_MAX) receiving.refuse(tooLarge)
    while (this.#held > this.#max && this.#receiving.size > 0) {
      const [largest] = [...this.#receiving].sort((a, b) => b.size - a.size)
      largest?.refuse(tooManyBytes)
    }
  }
}

/** Rejects a body that is declared as too large or compressed, without receiving it. */
function refuseUnreadable({ headers }: IncomingMessage): void {
  if (Number(headers['content-length']) > BODY_MAX) throw tooLarge()
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new Failure('invalid_request', 'body: send it without Content-Encoding')
}

function incomplete(): Failure {
  return new Failure('invalid_request', 'body: the connection was closed before the body was complete')
}

function tooLarge(): Failure {
  return new Failure('body_too_large', 'body: must be at most 25 MB', { headers: { Connection: 'close' } })
}

function tooManyBytes(): Failure {
  return new Failure(
    'service_unavailable',
    'too many deliveries are being received at once; redeliver later',
    { headers: { 'Retry-After': '10', Connection: 'close' } },
  )
}
