/** The error responses of each operation in the OpenAPI document, with an example of each type. */
import { z } from 'zod'
import type { ZodOpenApiResponsesObject } from 'zod-openapi'
import type { OperationName } from '../../../vocabulary/contract/contract.ts'
import type { Operation } from '../../../vocabulary/contract/operation.ts'
import { FAILURE_TYPES, Failure, type FailureKind } from '../../../vocabulary/failure.ts'
import { addTo } from '../../../vocabulary/lists.ts'
import { errorJson, HEADERS_COUNT_MAX } from './exchange.ts'

const ErrorBody = z
  .strictObject({
    error: z
      .strictObject({
        type: z.enum(FAILURE_TYPES).meta({ description: 'The machine-readable type; branch on it.' }),
        message: z.string().meta({ description: 'What is wrong and what to do, for humans.' }),
        param: z
          .string()
          .optional()
          .meta({ description: 'The field or parameter that is wrong, such as `scope.paths[3]`.' }),
        request_id: z
          .string()
          .meta({ description: 'The same as the header `X-Request-Id`; include it in bug reports.' }),
      })
      .meta({ description: 'The error.' }),
  })
  .meta({ id: 'Error' })

/** A kind of failure, and what it means for an operation. */
type ShownFailure = [kind: FailureKind, description: string]

const REQUEST_ID = 'req_01h455vb4pex5vsknk084sn02t'

/** Any operation can return these. */
const FAILURES: ShownFailure[] = [
  [
    'invalid_request',
    'The request is malformed: invalid JSON, a missing or unknown field, or an invalid cursor.',
  ],
  ['unauthorized', 'The token is missing or GitHub rejects it.'],
  ['request_timeout', 'The request did not arrive in time.'],
  ['validation_error', 'A value is invalid.'],
  ['rate_limited', 'Too many requests; see Retry-After.'],
  [
    'headers_too_large',
    `The request line and headers exceed 16 KiB, or there are more than ${HEADERS_COUNT_MAX} headers.`,
  ],
  ['internal_error', 'Internal error; safe to retry.'],
  ['service_unavailable', 'GitHub or the database is unavailable; safe to retry.'],
]
const FORBIDDEN: ShownFailure = [
  'forbidden',
  'The token does not have the required permission on the repository, or is not authorised for single sign-on.',
]
const NOT_FOUND: ShownFailure = [
  'not_found',
  'The record does not exist, or the token cannot access its repository.',
]
const NO_ISSUE: ShownFailure = ['not_found', 'The path does not name an issue.']
const NOT_OPEN: ShownFailure = ['not_found', 'The pull request is not open, or not tracked.']
const TOO_LARGE: ShownFailure = ['body_too_large', 'The body is larger than 1 MiB.']
const NOT_LIVE: ShownFailure = ['invalid_transition', 'The current status does not allow the change.']
const IDEMPOTENCY: ShownFailure[] = [
  ['idempotency_conflict', 'A request with this Idempotency-Key is still in progress.'],
  ['idempotency_mismatch', 'The Idempotency-Key was already used with a different body.'],
]
const CATEGORY_DISABLED: ShownFailure = [
  'category_not_allowed',
  'The settings of the repository disable this category.',
]

/** Operations that only a live activity accepts. */
const LIVE_ONLY = /\/(?:heartbeat|number)$/

/** The error responses of an operation, by status. */
export function failuresOf(name: OperationName, operation: Operation): ZodOpenApiResponsesObject {
  const { method, on, record, path, is_idempotent } = operation
  const all = [
    ...FAILURES,
    ...(on === 'repository' ? [FORBIDDEN] : []),
    ...(record ? [NOT_FOUND] : []),
    ...(path.includes('{number}') ? [NO_ISSUE] : []),
    ...(name === 'explainPullRequest' ? [NOT_OPEN] : []),
    ...(method === 'GET' ? [] : [TOO_LARGE]),
    ...(method === 'PATCH' || LIVE_ONLY.test(path) ? [NOT_LIVE] : []),
    ...(is_idempotent ? IDEMPOTENCY : []),
    ...(name === 'createNotable' ? [CATEGORY_DISABLED] : []),
  ]
  const byStatus = new Map<number, Failure[]>()
  for (const [kind, description] of all) {
    const failure = new Failure(kind, description)
    addTo(byStatus, failure.status, failure)
  }
  return Object.fromEntries([...byStatus].map(([status, failures]) => [status, responseOf(status, failures)]))
}

/** The response of one status, with an example of each of its error types, whose message is what it means. */
function responseOf(
  status: number,
  failures: Failure[],
): ZodOpenApiResponsesObject[`${1 | 2 | 3 | 4 | 5}XX`] {
  const examples = failures.map((failure) => {
    const value = JSON.parse(errorJson(failure, REQUEST_ID))
    return [failure.type, { summary: failure.message, value }]
  })
  return {
    description: failures.map(({ message }) => message).join(' '),
    ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
    content: { 'application/json': { schema: ErrorBody, examples: Object.fromEntries(examples) } },
  }
}

const retryAfter = z.object({
  'Retry-After': z.string().meta({ description: 'Seconds to wait before retrying.', examples: ['60'] }),
})
