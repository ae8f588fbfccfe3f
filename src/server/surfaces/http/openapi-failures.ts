/** The error responses of each operation in the OpenAPI document, with an example of each type. */
import { z } from 'zod'
import type { ZodOpenApiResponsesObject } from 'zod-openapi'
import type { OperationName } from '../../../vocabulary/contract/contract.ts'
import { NOT_AN_ISSUE } from '../../../vocabulary/contract/issue.ts'
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

interface ShownFailure {
  kind: FailureKind
  description: string
  message: string
  param?: string
}

const REQUEST_ID = 'req_01h455vb4pex5vsknk084sn02t'

/** Any operation can return these. */
const FAILURES: ShownFailure[] = [
  {
    kind: 'invalid_request',
    description: 'The request is malformed: invalid JSON, a missing or unknown field, or an invalid cursor.',
    message: 'path: unknown field; did you mean paths?',
    param: 'path',
  },
  {
    kind: 'unauthorized',
    description: 'The token is missing or GitHub rejects it.',
    message: 'Authorization: send a GitHub token that can read the repository, as Bearer TOKEN',
  },
  {
    kind: 'request_timeout',
    description: 'The request did not arrive in time.',
    message: 'the request did not arrive in time; send it again',
  },
  {
    kind: 'validation_error',
    description: 'A value is invalid.',
    message: 'risk: must be one of low, medium, high, critical',
    param: 'risk',
  },
  {
    kind: 'rate_limited',
    description: 'Too many requests; see Retry-After.',
    message: 'more than 600 requests in one minute; retry after the number of seconds in Retry-After',
  },
  {
    kind: 'headers_too_large',
    description: 'The request line and headers exceed 16 KiB, or there are more than 100 headers.',
    message: `headers: send at most ${HEADERS_COUNT_MAX}`,
  },
  {
    kind: 'internal_error',
    description: 'Internal error; safe to retry.',
    message: 'internal error; try again, and report the request_id if it persists',
  },
  {
    kind: 'service_unavailable',
    description: 'GitHub or the database is unavailable; safe to retry.',
    message: 'the database is unavailable; try again',
  },
]

const FORBIDDEN: ShownFailure = {
  kind: 'forbidden',
  description:
    'The token does not have the required permission on the repository, or is not authorised for single sign-on.',
  message: 'this token can only read the repository; use a token with push access to it',
}

const NOT_FOUND: ShownFailure = {
  kind: 'not_found',
  description: 'The record does not exist, or the token cannot access its repository.',
  message: 'the activity does not exist, or this token cannot access its repository',
}

const NO_ISSUE: ShownFailure = {
  kind: 'not_found',
  description: 'The path does not name an issue.',
  message: NOT_AN_ISSUE,
}

const NOT_OPEN: ShownFailure = {
  kind: 'not_found',
  description: 'The pull request is not open, or not tracked.',
  message: 'pull_request: #12 is not open, or not tracked in this repository',
  param: 'pull_request',
}

const TOO_LARGE: ShownFailure = {
  kind: 'body_too_large',
  description: 'The body is larger than 1 MiB.',
  message: 'body: must have at most 1048576 bytes',
}

const NOT_LIVE: ShownFailure = {
  kind: 'invalid_transition',
  description: 'The current status does not allow the change.',
  message: 'the record is archived; create a new one to continue',
}

const IDEMPOTENCY: ShownFailure[] = [
  {
    kind: 'idempotency_conflict',
    description: 'A request with this Idempotency-Key is still in progress.',
    message: 'Idempotency-Key: a request with this key is still in progress; send it again in a moment',
  },
  {
    kind: 'idempotency_mismatch',
    description: 'The Idempotency-Key was already used with a different body.',
    message:
      'Idempotency-Key: this key was already used with a different body; use a new key for a new request',
    param: 'Idempotency-Key',
  },
]

const CATEGORY_DISABLED: ShownFailure = {
  kind: 'category_not_allowed',
  description: 'The settings of the repository disable this category.',
  message: 'category: this repository has disabled release; allowed: architecture, process',
  param: 'category',
}

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
  const byStatus = new Map<number, ShownFailure[]>()
  for (const shown of all) addTo(byStatus, failureOf(shown).status, shown)
  return Object.fromEntries([...byStatus].map(([status, failures]) => [status, responseOf(status, failures)]))
}

function failureOf({ kind, message, param }: ShownFailure): Failure {
  return new Failure(kind, message, { param })
}

/** The response of one status, with an example of each of its error types. */
function responseOf(
  status: number,
  failures: ShownFailure[],
): ZodOpenApiResponsesObject[`${1 | 2 | 3 | 4 | 5}XX`] {
  const examples = failures.map((shown) => {
    const failure = failureOf(shown)
    const value = JSON.parse(errorJson(failure, REQUEST_ID))
    return [failure.type, { summary: shown.description, value }]
  })
  return {
    description: failures.map(({ description }) => description).join(' '),
    ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
    content: { 'application/json': { schema: ErrorBody, examples: Object.fromEntries(examples) } },
  }
}

const retryAfter = z.object({
  'Retry-After': z.string().meta({ description: 'Seconds to wait before retrying.', examples: ['60'] }),
})
