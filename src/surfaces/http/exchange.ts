/** What every HTTP exchange has: a request id, one line in the log, and failures in one form (specification §7.1, contract §3). */
import { isIP } from 'node:net'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { stopwatch } from '../../base/clock.ts'
import { Failure, unavailable } from '../../base/failure.ts'
import { newId } from '../../base/id.ts'
import type { App } from '../../context/app.ts'
import { faultOf, isDatabaseAway } from '../../db/errors.ts'
import type { Admission } from '../../operations/admission.ts'
import { newExecution, runInExecution } from '../../telemetry/execution.ts'
import { markFailed, type Span, serverSpan } from '../../telemetry/trace.ts'
import { setSecurityHeaders } from './security-headers.ts'

export const HEADERS_COUNT_MAX = 100

/** Gives the exchange its id, and tells of it when it is over: never of a token, a body or the value of a query. */
export function exchange({ log, metrics }: Pick<App, 'log' | 'metrics'>): RequestHandler {
  return (req, res, next) => {
    const elapsed = stopwatch()
    const request_id = newId('req')
    res.locals.request_id = request_id
    res.setHeader('X-Request-Id', request_id)
    setSecurityHeaders(res)
    const execution = newExecution({ request_id })
    const traced = serverSpan(req.headers, () => attributesOf(req, request_id))
    res.on('close', () => {
      const { operation, error_type } = res.locals
      const took = elapsed()
      const status = res.writableFinished ? res.statusCode : 'aborted'
      metrics.requests.observe({ operation: operation ?? 'unknown', status }, took / 1000)
      if (traced) endSpan(traced.span, req, res)
      const trace_id = traced?.span.spanContext().traceId
      const fields = {
        ...execution.ids,
        trace_id,
        method: req.method,
        operation,
        status: res.statusCode,
        error_type,
      }
      const ms = Math.round(took)
      if (res.writableFinished) log.info({ ...fields, ms }, 'request')
      else log.info({ ...fields, ms }, 'request broken off by the client')
    })
    refuseOddHeaders(req)
    runInExecution(execution, () => (traced ? traced.within(next) : next()))
  }
}

function attributesOf(req: Request, request_id: string) {
  return {
    'http.request.method': req.method,
    'url.path': req.path,
    'url.scheme': req.protocol,
    'deconflict.request_id': request_id,
  }
}

function endSpan(span: Span, req: Request, res: Response): void {
  const { operation, error_type } = res.locals
  if (operation !== undefined) span.updateName(operation)
  if (req.route) span.setAttribute('http.route', req.route.path)
  if (res.writableFinished) span.setAttribute('http.response.status_code', res.statusCode)
  if (res.statusCode >= 500) markFailed(span, error_type ?? String(res.statusCode))
  else if (!res.writableFinished) markFailed(span, 'aborted')
  span.end()
}

/** Leaves the caller for whatever door follows, as `res.locals.caller`. What a proxy forwards may be no address; then the proxy's own counts. */
export function findCaller(admission: Admission): RequestHandler {
  return (req, res, next) => {
    res.locals.caller = admission.callerOf({
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

/** Names what a route does, where it is none of the contract's operations. */
export function named(operation: string): RequestHandler {
  return (_req, res, next) => {
    res.locals.operation = operation
    next()
  }
}

function refuseOddHeaders(req: Request): void {
  if (req.headers.host === undefined && req.httpVersion === '1.1')
    throw new Failure('invalid_request', 'Host: this header is required and is missing', { param: 'Host' })
  // Node drops what is beyond them, and that may be the token.
  if (req.rawHeaders.length > 2 * HEADERS_COUNT_MAX)
    throw new Failure('headers_too_large', `there must be at most ${HEADERS_COUNT_MAX} headers`)
}

/** The last handler: no route took the request. */
export function noSuchAddress(req: Request): never {
  const isOfApi = /^\/(?:api\/)?v1(?:\/|$)/.test(req.path)
  const hint = isOfApi ? '/docs shows what there is' : 'the service answers under /api/v1, as /docs shows'
  throw new Failure('not_found', `there is nothing at this address; ${hint}`)
}

/** Refuses the methods that a path does not have. */
export function onlyMethods(methods: string[]): RequestHandler {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
  const allow = allowed.join(', ')
  return (req) => {
    throw new Failure('method_not_allowed', `${req.method} is not possible here; possible: ${allow}`, {
      headers: { Allow: allow },
    })
  }
}

/** Shows what was thrown as the error object; what is no `Failure` is logged and hidden. */
export function showFailures(log: Logger) {
  return (error: unknown, _req: Request, res: Response, _next: NextFunction): void => {
    const failure = failureOf(error)
    const { request_id } = res.locals
    // Without a cause nothing failed here: GitHub is away, which its call has logged, or a feature is not configured.
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

/** The error object as JSON. */
export function errorJson({ type, message, param }: Failure, request_id: string): string {
  return JSON.stringify({ error: { type, message, param, request_id } })
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error
  // Not every query is part of an operation: the quota and /readyz ask the database too.
  if (isDatabaseAway(error)) return unavailable('the database does not answer; try again', error)
  // Express' router throws this for a path that is not valid percent-encoding.
  if (error instanceof URIError) return new Failure('not_found', 'the address is not valid percent-encoding')
  return new Failure(
    'internal_error',
    'a fault of ours; try again, and report it with the request_id if it stays',
    { cause: error },
  )
}

/** Sends a text that is JSON already. */
export function sendJson(res: Response, status: number, json: string): void {
  res.statusCode = status
  res.setHeader('Content-Type', 'application/json')
  res.setHeader('Content-Length', Buffer.byteLength(json))
  res.end(json)
}
