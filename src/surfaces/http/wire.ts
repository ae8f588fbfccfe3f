/** The HTTP server itself: what it bears of slow, broken and too many connections, and what it says to what is no request (contract §3). */
import { createServer, IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Express, Response } from 'express'
import type { Logger } from 'pino'
import { Failure } from '../../base/failure.ts'
import { newId } from '../../base/id.ts'
import { errorJson, HEADERS_COUNT_MAX } from './exchange.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

export interface WireLimits {
  /** From the first byte of a request, or from the connection on, until its headers are complete. */
  headers_ms: number
  /** From the first byte of a request until its body is complete. */
  request_ms: number
  /** How long a connection is kept between two requests; longer than load balancers keep theirs, which close first then. */
  idle_ms: number
  /** How long a connection may move no byte in either direction, such as that of a client that does not read its answer. */
  silence_ms: number
  /** Connections at one time; more are closed at once. */
  connections: number
  /** Bytes of webhook bodies that are kept at one time before their signature is checked. */
  unsigned_bytes: number
}

export const WIRE_LIMITS: Readonly<WireLimits> = {
  headers_ms: 15_000,
  request_ms: 30_000,
  idle_ms: 65_000,
  silence_ms: 90_000,
  connections: 10_000,
  unsigned_bytes: 64 * 1024 * 1024,
}

const HEADERS_MAX = 16_384
/** How often requests that are late are looked for: a limit may be passed by that much. */
const LATE_CHECK_MS = 1000

const METHODS = 'GET, HEAD, POST, PATCH'

/**
 * The server of `surface`. Express gives every request and response its own prototypes, which is most of what it costs;
 * objects that are made with these prototypes are spared that.
 */
export function httpServer(surface: Express, { limits, log }: { limits: WireLimits; log: Logger }): Server {
  const server = createServer(
    {
      IncomingMessage: constructorOf(IncomingMessage, surface.request),
      ServerResponse: constructorOf(ServerResponse, surface.response),
      headersTimeout: limits.headers_ms,
      requestTimeout: limits.request_ms,
      keepAliveTimeout: limits.idle_ms,
      connectionsCheckingInterval: Math.min(LATE_CHECK_MS, limits.headers_ms),
      maxHeaderSize: HEADERS_MAX,
      // Node would refuse it without an error object; `exchange` does so with one.
      requireHostHeader: false,
    },
    surface,
  )
  server.maxHeadersCount = HEADERS_COUNT_MAX
  server.timeout = limits.silence_ms
  server.maxConnections = limits.connections
  server.on('clientError', (error, socket) => refuse(socket, failureOf(error), { error, log }))
  // Expectations that are unknown may be passed over (RFC 9110 §10.1.1); node would refuse them without an error object.
  server.on('checkExpectation', surface)
  server.on('connect', (_req, socket) => refuse(socket, noTunnel(), { log }))
  return server
}

function failureOf(error: NodeJS.ErrnoException): Failure {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Failure('request_timeout', 'the request did not arrive in time; send it again, as a whole')
    case 'HPE_HEADER_OVERFLOW':
      return new Failure('headers_too_large', `the headers must have at most ${HEADERS_MAX} bytes in all`)
    default:
      return new Failure('invalid_request', 'this is no valid HTTP request')
  }
}

function noTunnel(): Failure {
  return new Failure('method_not_allowed', `CONNECT is not possible here; possible: ${METHODS}`, {
    headers: { Allow: METHODS },
  })
}

/** Node's own marks on a connection, for which there are no public ones: the answer that is under way, the request that is read. */
interface UnderWay {
  _httpMessage?: Response | null
  parser?: { incoming: IncomingMessage | null } | null
}

/** Answers what never reaches Express, or not as a whole, in the same form as everything else, and ends the connection. */
function refuse(
  socket: Duplex,
  failure: Failure,
  { error, log }: { error?: NodeJS.ErrnoException; log: Logger },
): void {
  const { _httpMessage: current, parser } = socket as Duplex & UnderWay
  const isAnsweredAlready = !current && parser?.incoming?.complete === false
  if (!socket.writable || error?.code === 'ECONNRESET' || current?.headersSent || isAnsweredAlready) {
    socket.destroy()
    return
  }
  // The request before this one is complete: it gets its own answer, and is the last on this connection.
  if (current?.req.complete) {
    current.shouldKeepAlive = false
    return
  }
  const { status, type } = failure
  const request_id: string = current?.locals.request_id ?? newId('req')
  if (current) {
    // It has a line in the log, which is written when it is over.
    current.statusCode = status
    current.locals.error_type = type
  } else log.info({ request_id, status, error_type: type }, 'refused what is no request')
  const body = errorJson(failure, request_id)
  const headers = {
    ...Object.fromEntries(SECURITY_HEADERS),
    'Content-Type': 'application/json',
    'X-Request-Id': request_id,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
    ...failure.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
}

/** Node's constructors are functions: called so, all that they make has one shape, which `Reflect.construct` would not give it. */
function constructorOf<Base extends typeof IncomingMessage | typeof ServerResponse>(
  base: Base,
  prototype: object,
): Base {
  const construct = base as unknown as (this: object, ...args: unknown[]) => void
  function Built(this: object, one: unknown, other: unknown) {
    construct.call(this, one, other)
  }
  Built.prototype = prototype
  return Built as unknown as Base
}
