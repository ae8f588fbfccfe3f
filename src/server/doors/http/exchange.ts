/** Middleware of every HTTP exchange: request id, access log, caller and error responses. */
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { typeidUnboxed } from 'typeid-js'
import { stopwatch } from '../../../vocabulary/clock.ts'
import { PAGE_HEADER } from '../../../vocabulary/contract/route.ts'
import { Failure } from '../../../vocabulary/failure.ts'
import { admission } from '../../operations/admission.ts'
import { databaseUnavailable, faultOf } from '../../platform/db/errors.ts'
import { type Execution, runInExecution } from '../../platform/telemetry/execution.ts'
import type { App } from '../../records/repositories/app.ts'

export const HEADERS_COUNT_MAX = 100

/**
 * The security headers of every response. Most responses are JSON, so nothing may be loaded, framed or cached. A surface that serves pages replaces the policy and
 * adds the headers that only matter for pages.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
}
const SECURITY_ENTRIES = Object.entries(SECURITY_HEADERS)

/** The response to the last request of each connection. */
export const lastResponses = new WeakMap<Duplex, Response>()

/** Assigns the request id, and logs the exchange when it ends. The log never contains a token, a body or query values. */
export function exchange({ log, metrics }: Pick<App, 'log' | 'metrics'>): RequestHandler {
  return (req, res, next) => {
    const elapsed = stopwatch()
    const request_id = typeidUnboxed('req')
    lastResponses.set(req.socket, res)
    res.locals.request_id = request_id
    res.setHeader('X-Request-Id', request_id)
    for (const [name, value] of SECURITY_ENTRIES) res.setHeader(name, value)
    const execution: Execution = { ids: { request_id }, effects: {} }
    res.on('close', () => {
      const { operation, error_type } = res.locals
      const took = elapsed()
      const status = res.writableFinished ? res.statusCode : 'aborted'
      metrics.requests.observe({ operation: operation ?? 'unknown', status }, took / 1000)
      const { method } = req
      const ms = Math.round(took)
      log.info(
        { ...execution.ids, method, operation, status: res.statusCode, error_type, ms },
        res.writableFinished ? 'request' : 'request aborted by the client',
      )
    })
    checkHeaders(req)
    runInExecution(execution, next)
  }
}

export type FindToken = (req: Request) => Promise<string | undefined>

/**
 * Sets `res.locals.caller`. Requests of the page without `Authorization` get the token of their session. If a proxy forwards
 * something that is not an address, the address of the proxy counts.
 */
export function findCaller(app: App, findToken: FindToken): RequestHandler {
  const callerOf = admission(app)
  return async (req, res, next) => {
    const isFromPage = req.headers.authorization === undefined && req.headers[PAGE_HEADER] !== undefined
    const token = isFromPage ? await findToken(req) : undefined
    if (token !== undefined) req.headers.authorization = `Bearer ${token}`
    res.locals.caller = callerOf({
      authorization: req.headers.authorization,
      address: isIP(req.ip ?? '') ? req.ip : req.socket.remoteAddress,
      onCharge: (headers) => {
        if (res.headersSent) return
        for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
      },
    })
    next()
  }
}

/** Names the route in logs and metrics. Routes of the contract use the name of their operation instead. */
export function named(operation: string): RequestHandler {
  return (_req, res, next) => {
    res.locals.operation = operation
    next()
  }
}

function checkHeaders(req: Request): void {
  if (req.headers.host === undefined && req.httpVersion === '1.1')
    throw new Failure('invalid_request', 'Host: this header is missing; HTTP/1.1 requires it', {
      param: 'Host',
    })
  // Node ignores headers beyond this count, possibly the token.
  if (req.rawHeaders.length > 2 * HEADERS_COUNT_MAX)
    throw new Failure('headers_too_large', `headers: send at most ${HEADERS_COUNT_MAX}`)
}

/** The last handler: no route matched. */
export function routeNotFound(req: Request): never {
  const isApiPath = /^\/(?:api\/)?v1(?:\/|$)/.test(req.path)
  const hint = isApiPath ? 'see /docs for all routes' : 'the API is under /api/v1; see /docs'
  throw new Failure('not_found', `no route has this path; ${hint}`)
}

/** Rejects methods that a path does not support. */
export function onlyMethods(methods: string[]): RequestHandler {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
  const allow = allowed.join(', ')
  return (req) => {
    throw new Failure('method_not_allowed', `this path does not support ${req.method}; use ${allow}`, {
      headers: { Allow: allow },
    })
  }
}

/** Sends the error object. Exceptions other than `Failure` are logged and sent as `internal_error`. */
export function sendFailures(log: Logger) {
  return (error: unknown, _req: Request, res: Response, _next: NextFunction): void => {
    const failure = failureOf(error)
    const { request_id } = res.locals
    // A failure without a cause is either logged already (GitHub is unavailable) or expected (a feature is not configured).
    if (failure.status >= 500 && failure.cause !== undefined)
      log.error({ request_id, ...faultOf(failure.cause) }, failure.message)
    if (res.headersSent || res.destroyed) {
      res.destroy()
      return
    }
    res.locals.error_type = failure.type
    for (const [name, value] of Object.entries(failure.headers))
      if (!res.hasHeader(name)) res.setHeader(name, value)
    sendJson(res, failure.status, errorJson(failure, request_id))
  }
}

export function errorJson({ type, message, param }: Failure, request_id: string): string {
  return JSON.stringify({ error: { type, message, param, request_id } })
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error
  // Some queries run outside of `perform`, such as those of /readyz.
  const failure = databaseUnavailable(error)
  if (failure) return failure
  // Express' router throws this for a path that is not valid percent-encoding.
  if (error instanceof URIError) return new Failure('not_found', 'the path is not valid percent-encoding')
  return new Failure(
    'internal_error',
    'internal error; try again, and report the request_id if it persists',
    { cause: error },
  )
}

export function sendJson(res: Response, status: number, json: string): void {
  res.statusCode = status
  res.setHeader('Content-Type', 'application/json')
  res.setHeader('Content-Length', Buffer.byteLength(json))
  res.end(json)
}
