/** The exception of a client call, built from the service's error object, or from the failure to get one. */
import type { FailureType } from '../vocabulary/failure.ts'
import { parsedJson } from '../vocabulary/text.ts'

/** The service's error types, and those of the client itself. */
export type ErrorType = FailureType | 'insecure_address' | 'unreachable' | 'timed_out' | 'unexpected_answer'

interface ErrorFields {
  /** HTTP status; null without a response. */
  status: number | null
  type: ErrorType
  message: string
  /** The offending field, such as `scope.paths[3]`. */
  param: string | null
  /** Id of the request, for bug reports; null without a response. */
  request_id: string | null
  /** Seconds to wait before a retry; null if the service does not say. */
  retry_after: number | null
}

export class DeconflictError extends Error implements ErrorFields {
  /** Each bundle of the command has a class of its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return (value as Error | undefined)?.name === 'DeconflictError'
  }

  declare readonly status: number | null
  declare readonly type: ErrorType
  declare readonly param: string | null
  declare readonly request_id: string | null
  declare readonly retry_after: number | null

  /** Fields that are not given are null, as for a request that was not sent, or got no response. */
  constructor(
    { message, ...fields }: Partial<ErrorFields> & Pick<ErrorFields, 'type' | 'message'>,
    cause?: unknown,
  ) {
    super(message, { cause })
    const unknown = { status: null, param: null, request_id: null, retry_after: null }
    Object.assign(this, unknown, fields, { name: 'DeconflictError' })
  }
}

/** The fields to show, without those that are null. */
export function errorFieldsOf({ type, message, param, request_id, retry_after }: DeconflictError): object {
  const fields = { type, message, param, request_id, retry_after }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

/** The error for a response; `body` is its text. */
export function errorFromResponse(response: Response, body: string): DeconflictError {
  const { status, headers } = response
  const error = parseErrorObject(body)
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return new DeconflictError({
    status,
    type: error?.type ?? 'unexpected_answer',
    message: error?.message ?? unexpectedAnswerMessage(response),
    param: error?.param ?? null,
    request_id: error?.request_id ?? headers.get('x-request-id'),
    retry_after: Number.isFinite(seconds) ? seconds : null,
  })
}

type ErrorObject = Pick<ErrorFields, 'type' | 'message' | 'request_id'> & { param?: string }

function parseErrorObject(body: string): ErrorObject | undefined {
  const { error } = Object(parsedJson(body))
  return typeof error?.type === 'string' && typeof error.message === 'string' ? error : undefined
}

/** The message for a response that does not come from the service, but for example from a proxy. */
function unexpectedAnswerMessage({ status, headers }: Response): string {
  const location = headers.get('location')
  return location
    ? `the server redirects to ${location}; use that address`
    : `unexpected response (HTTP ${status}), not from Deconflict; check the address of the server`
}
