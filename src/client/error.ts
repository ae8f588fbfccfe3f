/** What a call of the client fails with: the service's error object, or that there was no answer (specification §7.1). */
import type { FailureType } from '../base/failure.ts'

/** The service's types, and what only a client can tell. */
export type ErrorType = FailureType | 'insecure_address' | 'unreachable' | 'timed_out' | 'unexpected_answer'

interface ErrorFields {
  /** HTTP status; null where there was no answer. */
  status: number | null
  type: ErrorType
  message: string
  /** The offending field, such as `scope.paths[3]`. */
  param: string | null
  /** To be named in reports; null where there was no answer. */
  request_id: string | null
  /** Seconds after which the service asks to try again; null where it does not say. */
  retry_after: number | null
}

export class DeconflictError extends Error implements ErrorFields {
  readonly status: number | null
  readonly type: ErrorType
  readonly param: string | null
  readonly request_id: string | null
  readonly retry_after: number | null

  constructor(fields: ErrorFields, cause?: unknown) {
    super(fields.message, { cause })
    this.name = 'DeconflictError'
    this.status = fields.status
    this.type = fields.type
    this.param = fields.param
    this.request_id = fields.request_id
    this.retry_after = fields.retry_after
  }
}

/** No answer came, or nothing was asked. */
export function silence(
  type: 'insecure_address' | 'unreachable' | 'timed_out',
  message: string,
  cause?: unknown,
) {
  return new DeconflictError(
    { status: null, type, message, param: null, request_id: null, retry_after: null },
    cause,
  )
}

/** The failure that an answer tells of; `body` is its text. */
export function failureIn(response: Response, body: string): DeconflictError {
  const { status, headers } = response
  const told = errorObjectIn(body)
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return new DeconflictError({
    status,
    type: told?.type ?? 'unexpected_answer',
    message: told?.message ?? strangeAnswer(response),
    param: told?.param ?? null,
    request_id: told?.request_id ?? headers.get('x-request-id'),
    retry_after: Number.isFinite(seconds) ? seconds : null,
  })
}

type ErrorObject = Pick<ErrorFields, 'type' | 'message' | 'request_id'> & { param?: string }

function errorObjectIn(body: string): ErrorObject | undefined {
  try {
    const { error } = JSON.parse(body)
    return typeof error?.type === 'string' && typeof error.message === 'string' ? error : undefined
  } catch {
    return undefined
  }
}

/** An answer that is not the service's own, such as that of a proxy in between. */
function strangeAnswer({ status, headers }: Response): string {
  const location = headers.get('location')
  return location
    ? `the server sends on to ${location}; use that address`
    : `the answer (HTTP ${status}) is not one of Deconflict; check the address of the server`
}
