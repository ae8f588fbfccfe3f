/** The only error class that clients see, and the table that maps its kinds to HTTP responses (docs/contract/errors.md#types). */

const FAILURES = {
  invalid_request: { status: 400, type: 'invalid_request' },
  category_not_allowed: { status: 400, type: 'category_not_allowed' },
  unauthorized: { status: 401, type: 'unauthorized' },
  forbidden: { status: 403, type: 'forbidden' },
  not_found: { status: 404, type: 'not_found' },
  method_not_allowed: { status: 405, type: 'method_not_allowed' },
  request_timeout: { status: 408, type: 'invalid_request' },
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
  /** Path of the invalid field or parameter: `title`, `scope.paths[3]`, `limit`. */
  param?: string | undefined
  /** Response headers that belong to the failure, such as `Retry-After` or `Allow`. */
  headers?: Record<string, string> | undefined
  cause?: unknown
}

/** An error whose message is meant for the client. Any other exception is logged and answered as `internal_error`. */
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

/** A dependency is unavailable. Nothing was stored; the client can retry after `retryAfter` seconds. */
export function unavailable(message: string, cause?: unknown, retryAfter = 5): Failure {
  return new Failure('service_unavailable', message, {
    cause,
    headers: { 'Retry-After': String(retryAfter) },
  })
}
