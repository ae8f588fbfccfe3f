/** The failures of each operation in the OpenAPI document, each type with an example. */
import { z } from 'zod'
import type { ZodOpenApiResponsesObject } from 'zod-openapi'
import { FAILURE_TYPES, type FailureType } from '../../base/failure.ts'
import type { Operation, OperationName } from '../../operations/contract.ts'
import { failureExample } from './examples.ts'
import { HEADERS_COUNT_MAX } from './exchange.ts'

const ErrorBody = z
  .strictObject({
    error: z
      .strictObject({
        type: z.enum(FAILURE_TYPES).meta({ description: 'What kind of failure; branch on it.' }),
        message: z.string().meta({ description: 'What is wrong and what to do, for people.' }),
        param: z.string().optional().meta({ description: 'The offending field, such as `scope.paths[3]`.' }),
        request_id: z.string().meta({ description: 'As in the header `X-Request-Id`; name it in reports.' }),
      })
      .meta({ description: 'What went wrong.' }),
  })
  .meta({ id: 'Error' })

interface ShownFailure {
  status: number
  type: FailureType
  description: string
  message: string
  param?: string
}

const MALFORMED = 'The request is malformed'

/** What any operation may answer. */
const FAILURES: ShownFailure[] = [
  {
    status: 400,
    type: 'invalid_request',
    description: `${MALFORMED}: no JSON, a field missing or unknown, a bad cursor.`,
    message: 'path: unknown field; did you mean paths?',
    param: 'path',
  },
  {
    status: 401,
    type: 'unauthorized',
    description: 'The token is missing, or GitHub does not accept it.',
    message: 'send a GitHub token as Authorization: Bearer TOKEN',
  },
  {
    status: 408,
    type: 'invalid_request',
    description: 'The request did not arrive in time.',
    message: 'the request did not arrive in time; send it again, as a whole',
  },
  {
    status: 422,
    type: 'validation_error',
    description: 'A value is there but wrong.',
    message: 'risk: must be one of low, medium, high, critical',
    param: 'risk',
  },
  {
    status: 429,
    type: 'rate_limited',
    description: 'Too many requests; see Retry-After.',
    message: 'more than 600 requests in a minute',
  },
  {
    status: 431,
    type: 'invalid_request',
    description: 'The headers and the address are larger than 16 KiB, or there are more than 100 headers.',
    message: `there must be at most ${HEADERS_COUNT_MAX} headers`,
  },
  {
    status: 500,
    type: 'internal_error',
    description: 'A fault of ours; safe to retry.',
    message: 'a fault of ours; try again',
  },
  {
    status: 503,
    type: 'service_unavailable',
    description: 'GitHub or the database is away; safe to retry.',
    message: 'the database does not answer; try again',
  },
]

const FORBIDDEN: ShownFailure = {
  status: 403,
  type: 'forbidden',
  description: 'The token may not do this in the repository.',
  message: 'this token may read the repository but not write',
}

const NOT_FOUND: ShownFailure = {
  status: 404,
  type: 'not_found',
  description: 'There is no such record, or the token cannot see it.',
  message: 'there is no such record',
}

const TOO_LARGE: ShownFailure = {
  status: 413,
  type: 'invalid_request',
  description: 'The body is larger than 1 MiB.',
  message: 'body: must be at most 1048576 bytes',
}

const STALE: ShownFailure = {
  status: 409,
  type: 'invalid_transition',
  description: 'The status does not allow it.',
  message: 'the record is archived; create a new one to go on',
}

const ONCE: ShownFailure[] = [
  {
    status: 409,
    type: 'idempotency_conflict',
    description: 'A request with this Idempotency-Key is still being carried out.',
    message: 'a request with this key is still being carried out',
  },
  {
    status: 422,
    type: 'idempotency_mismatch',
    description: 'The Idempotency-Key was used with another body.',
    message: 'Idempotency-Key: used before with a different body; take a new key for a new operation',
    param: 'Idempotency-Key',
  },
]

const DISABLED: ShownFailure = {
  status: 400,
  type: 'category_not_allowed',
  description: 'The repository has disabled this category.',
  message: 'category: this repository has disabled release; allowed are architecture, process',
  param: 'category',
}

/** By status. */
export function failuresOf(name: OperationName, operation: Operation): ZodOpenApiResponsesObject {
  const { method, record, access, path, is_idempotent } = operation
  const all = [
    ...FAILURES,
    ...(!record || access === 'write' ? [FORBIDDEN] : []),
    ...(record ? [NOT_FOUND] : []),
    ...(method === 'GET' ? [] : [TOO_LARGE]),
    ...(method === 'PATCH' || path.endsWith('/heartbeat') ? [STALE] : []),
    ...(is_idempotent ? ONCE : []),
    ...(name === 'createNotable' ? [DISABLED] : []),
  ]
  const statuses = [...new Set(all.map(({ status }) => status))].sort()
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      responseOf(
        status,
        all.filter((each) => each.status === status),
      ),
    ]),
  )
}

/** One status, with an example of each type of failure that it stands for. */
function responseOf(
  status: number,
  failures: ShownFailure[],
): ZodOpenApiResponsesObject[`${1 | 2 | 3 | 4 | 5}XX`] {
  const examples = failures.map(({ type, description, message, param }) => [
    type,
    { summary: description, value: failureExample(type, message, param) },
  ])
  return {
    description: failures.map(({ description }) => description).join(' '),
    ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
    content: { 'application/json': { schema: ErrorBody, examples: Object.fromEntries(examples) } },
  }
}

const retryAfter = z.object({
  'Retry-After': z.string().meta({ description: 'Seconds after which to try again.', examples: ['60'] }),
})
