/** The one error class of the service, and the table that turns its kinds into answers (specification §7, contract §3). */

const FAILURES = {
  invalid_request: { status: 400, type: 'invalid_request' },
  category_not_allowed: { status: 400, type: 'category_not_allowed' },
  unauthorized: { status: 401, type: 'unauthorized' },
  forbidden: { status: 403, type: 'forbidden' },
  not_found: { status: 404, type: 'not_found' },
  method_not_allowed: { status: 405, type: 'method_not_allowed' },
  request_timeout: { status: 408, type: 'invalid_request' },
  client_disconnected: { status: 408, type: 'invalid_request' },
  invalid_transition: { status: 409, type: 'invalid_transition' },
  idempotency_conflict: { status: 409, type: 'idempotency_conflict' },
  body_too_large: { status: 413, type: 'invalid_request' },
  validation_error: { status: 422, type: 'validation_error' },
  idempotency_mismatch: { status: 422, type: 'idempotency_mismatch' },
  rate_limited: { status: 429, type: 'rate_limited' },
  headers_too_large: { status: 431, type: 'invalid_request' },
  internal_error: { status: 500, type: 'internal_error' },
  service_unavailable: { status: 503, type: 'service_unavailable' },
} as const

export type FailureKind = keyof typeof FAILURES

/** The values of `error.type` on the wire. */
export type FailureType = (typeof FAILURES)[FailureKind]['type']

export const FAILURE_TYPES = [...new Set(Object.values(FAILURES).map((row) => row.type))]

interface FailureDetails {
  /** Path of the offending field in the body's own terms: `title`, `scope.paths[3]`, `limit`. */
  param?: string | undefined
  /** Response headers that belong to the failure, such as `Retry-After` or `Allow`. */
  headers?: Record<string, string> | undefined
  cause?: unknown
}

/** What went wrong, in words meant for the caller. Anything else that is thrown is a fault of ours and stays hidden. */
export class Failure extends Error {
  readonly kind: FailureKind
  readonly param: string | undefined
  readonly headers: Record<string, string>

  constructor(kind: FailureKind, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'Failure'
    this.kind = kind
    this.param = details.param
    this.headers = details.headers ?? {}
  }

  get status(): number {
    return FAILURES[this.kind].status
  }

  get type(): FailureType {
    return FAILURES[this.kind].type
  }
}

/** A dependency is away: nothing was lost, and the same request may be sent again after `retryAfter` seconds. */
export function unavailable(message: string, cause?: unknown, retryAfter = 5): Failure {
  return new Failure('service_unavailable', message, {
    cause,
    headers: { 'Retry-After': String(retryAfter) },
  })
}

/** The caller ended the connection before it had an answer; nobody reads this one. */
export function clientDisconnected(): Failure {
  return new Failure('client_disconnected', 'the connection was closed before the answer was ready')
}
