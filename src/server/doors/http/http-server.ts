/** The HTTP server: limits of connections, and responses to requests that Node rejects before Express sees them. */
import { createServer, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { typeidUnboxed } from 'typeid-js'
import { Failure } from '../../../vocabulary/failure.ts'
import { errorJson, HEADERS_COUNT_MAX, lastResponses, SECURITY_HEADERS } from './exchange.ts'

export interface ConnectionLimits {
  /** Timeout from the first byte of a request, or from the start of the connection, until the headers are complete. */
  headers_ms: number
  /** Timeout from the first byte of a request until its body is complete. */
  request_ms: number
  /** Idle timeout between two requests. Longer than that of common load balancers, so that they close the connection first. */
  idle_ms: number
  /** Timeout without traffic in either direction, for example when a client does not read its response. */
  stall_ms: number
  /** Concurrent connections; further ones are closed immediately. */
  connections: number
  /** Total size in bytes of the webhook bodies in memory whose signature is not verified yet. */
  unsigned_bytes: number
}

export const CONNECTION_LIMITS: Readonly<ConnectionLimits> = {
  headers_ms: 15_000,
  request_ms: 30_000,
  idle_ms: 65_000,
  stall_ms: 90_000,
  connections: 10_000,
  unsigned_bytes: 64 * 1024 * 1024,
}

const HEADERS_MAX = 16_384
/** Interval of the timeout checks, and so their precision. */
const TIMEOUT_CHECK_MS = 1000

const METHODS = 'GET, HEAD, POST, PATCH'

export function httpServer(
  surface: Express,
  { limits, log }: { limits: ConnectionLimits; log: Logger },
): Server {
  const server = createServer({
    headersTimeout: limits.headers_ms,
    requestTimeout: limits.request_ms,
    keepAliveTimeout: limits.idle_ms,
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, limits.headers_ms),
    maxHeaderSize: HEADERS_MAX,
    // Node would reject a missing Host without an error object; `exchange` rejects it with one.
    requireHostHeader: false,
  })
  server.maxHeadersCount = HEADERS_COUNT_MAX
  server.timeout = limits.stall_ms
  server.maxConnections = limits.connections
  server.on('request', surface)
  // An unknown `Expect` header may be ignored (RFC 9110, section 10.1.1); Node would reject it without an error object.
  server.on('checkExpectation', surface)
  server.on('clientError', (error, socket) => reject(socket, failureOf(error), { error, log }))
  server.on('connect', (_req, socket) => {
    // Node leaves this socket to the listener: an error without a handler would end the process, and nothing else closes it.
    socket.on('error', () => {}).on('finish', () => socket.destroy())
    const message = `CONNECT is not supported; use ${METHODS}`
    reject(socket, new Failure('method_not_allowed', message, { headers: { Allow: METHODS } }), { log })
  })
  return server
}

function failureOf(error: NodeJS.ErrnoException): Failure {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Failure('request_timeout', 'the request did not arrive in time; send it again')
    case 'HPE_HEADER_OVERFLOW':
      return new Failure(
        'headers_too_large',
        `headers: send at most ${HEADERS_MAX} bytes including the request line`,
      )
    default:
      return new Failure('invalid_request', 'the request is not valid HTTP/1.1')
  }
}

interface Rejection {
  error?: NodeJS.ErrnoException
  log: Logger
}

/** Sends an error object for a request that Express did not get, or got only in part, and closes the connection. */
function reject(socket: Duplex, failure: Failure, { error, log }: Rejection): void {
  const res = lastResponses.get(socket)
  const isReceiving = res?.req.complete === false
  const isAnswering = res?.req.complete === true && !res.writableFinished
  // A response without a socket waits until the response to an earlier request on the connection is sent.
  const isTooLate = isReceiving ? res.headersSent || res.socket === null : isAnswering && res.headersSent
  if (!socket.writable || error?.code === 'ECONNRESET' || isTooLate) {
    socket.destroy()
    return
  }
  // The previous request is complete: its response is sent, and the connection is closed after it.
  if (isAnswering) {
    res.shouldKeepAlive = false
    return
  }
  const current = isReceiving ? res : undefined
  const { status, type } = failure
  const request_id: string = current?.locals.request_id ?? typeidUnboxed('req')
  if (current) {
    // `exchange` logs the request when the connection closes.
    current.statusCode = status
    current.locals.error_type = type
  } else log.info({ request_id, status, error_type: type }, 'invalid request rejected')
  const body = errorJson(failure, request_id)
  const headers = {
    ...SECURITY_HEADERS,
    'Content-Type': 'application/json',
    'X-Request-Id': request_id,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
    ...failure.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
}
