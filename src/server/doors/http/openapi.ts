/** The OpenAPI 3.1 document, derived from the contract. */
import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from 'zod-openapi'
import { OPERATIONS, type OperationName } from '../../../vocabulary/contract/contract.ts'
import { issueNumber } from '../../../vocabulary/contract/issue.ts'
import type { Operation } from '../../../vocabulary/contract/operation.ts'
import { routeOf } from '../../../vocabulary/contract/route.ts'
import { FAILURE_TYPES, Failure, type FailureKind } from '../../../vocabulary/failure.ts'
import { addTo } from '../../../vocabulary/lists.ts'
import { errorJson, HEADERS_COUNT_MAX } from './exchange.ts'

const ACTIVITY_ID = 'act_01h455vb4pex5vsknk084sn02q'
const NOTABLE_ID = 'ntb_01h455vb4pex5vsknk084sn02r'

const owner = z.string().meta({ description: 'The owner of the repository on GitHub.', examples: ['acme'] })
const repo = z.string().meta({ description: 'The name of the repository on GitHub.', examples: ['shop'] })
const idOf = (record: 'act' | 'ntb') =>
  z
    .string()
    .meta({ description: 'The id of the record.', examples: [record === 'act' ? ACTIVITY_ID : NOTABLE_ID] })

type Document = ReturnType<typeof createDocument>

let described: Document | undefined

/** The document for the routes below the path `url`. The rest of it is built once, which takes tens of milliseconds. */
export function openApiDocument(url: string): Document {
  described ??= describeAll()
  return { ...described, servers: [{ url }] }
}

function describeAll(): Document {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const [name, operation] of Object.entries(OPERATIONS) as [OperationName, Operation][]) {
    const path = routeOf(operation)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(name, operation) }
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Deconflict',
      version: '1',
      description: 'Shows who else is working on the same part of a repository. Advisory: it never blocks.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'Issues', url: 'https://github.com/deconflict/deconflict/issues' },
    },
    tags: [...new Set(Object.values<Operation>(OPERATIONS).map(tagOf))].map((name) => ({ name })),
    security: [{ github: [] }],
    paths,
    components: {
      securitySchemes: {
        github: { type: 'http', scheme: 'bearer', description: 'A GitHub token of the caller.' },
      },
    },
  })
}

/** Groups operations by the first segment of their path. */
function tagOf({ path }: Operation): string {
  const [, noun = ''] = path.split('/')
  const names: Record<string, string> = {
    repos: 'repositories',
    activity: 'activities',
    'merge-order': 'overlaps',
  }
  return names[noun] ?? noun
}

function describe(name: OperationName, operation: Operation): ZodOpenApiOperationObject {
  const isGet = operation.method === 'GET'
  const path = {
    ...(operation.on === 'repository' && { owner, repo }),
    ...(operation.record && { id: idOf(operation.record) }),
    ...(operation.path.includes('{number}') && { number: issueNumber }),
  }
  const body = {
    required: operation.method === 'PATCH' || operation.status === 201,
    content: { 'application/json': { schema: operation.input } },
  }
  const content = { 'application/json': { schema: operation.output } }
  const headers = headersOf(operation.status)
  const hasBody = !isGet && Object.keys(operation.input.shape).length > 0
  return {
    operationId: name,
    tags: [tagOf(operation)],
    summary: operation.summary,
    description: operation.description,
    requestParams: {
      ...(Object.keys(path).length > 0 && { path: z.object(path) }),
      ...(isGet ? { query: operation.input } : {}),
      ...(operation.is_idempotent ? { header: idempotency } : {}),
      ...(operation.is_conditional ? { header: conditional } : {}),
    },
    ...(hasBody ? { requestBody: body } : {}),
    responses: {
      [operation.status]: { description: 'Success.', headers, content },
      ...(operation.is_conditional && {
        304: { description: 'It has the entity tag that was sent.', headers },
      }),
      ...(operation.is_repeatable && { 200: { description: 'It was created before.', headers, content } }),
      ...failuresOf(name, operation),
    },
  }
}

const rateLimit = z
  .string()
  .optional()
  .meta({
    description: 'What is left of the quota of the token, once the token is known.',
    examples: ['"600-in-1min"; r=599; t=60'],
  })

const retryAfter = z.string().meta({ description: 'Seconds to wait before retrying.', examples: ['60'] })

function headersOf(status: number) {
  return z.object({
    ...(status < 500 && { RateLimit: rateLimit }),
    ...((status === 429 || status === 503) && { 'Retry-After': retryAfter }),
  })
}

const conditional = z.object({
  'If-None-Match': z
    .string()
    .optional()
    .meta({ description: 'The `ETag` of an earlier answer. The answer is 304 while it is the same.' }),
})

const idempotency = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({
      description:
        'Unique per logical operation. A retry with the same key within 24 hours returns the original response.',
      examples: ['payment-retries-1'],
    }),
})

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

const REQUEST_ID = 'req_01h455vb4pex5vsknk084sn02t'

/** The kinds of failures, what each means, and the operations that can return it: by default all. */
const FAILURES: [FailureKind, string, isOf?: (operation: Operation, name: OperationName) => boolean][] = [
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
  [
    'forbidden',
    'The token does not have the required permission on the repository, or is not authorised for single sign-on.',
    ({ on }) => on === 'repository',
  ],
  [
    'not_found',
    'The record does not exist, or the token cannot access its repository.',
    ({ record }) => record !== null,
  ],
  ['not_found', 'The path does not name an issue.', ({ path }) => path.includes('{number}')],
  ['not_found', 'The pull request is not open, or not tracked.', (_, name) => name === 'explainPullRequest'],
  ['body_too_large', 'The body is larger than 1 MiB.', ({ method }) => method !== 'GET'],
  [
    'invalid_transition',
    'The current status does not allow the change.',
    ({ method, path }) => method === 'PATCH' || /\/(?:heartbeat|number)$/.test(path),
  ],
  [
    'idempotency_conflict',
    'A request with this Idempotency-Key is still in progress.',
    ({ is_idempotent }) => is_idempotent,
  ],
  [
    'idempotency_mismatch',
    'The Idempotency-Key was already used with a different body.',
    ({ is_idempotent }) => is_idempotent,
  ],
  [
    'category_not_allowed',
    'The settings of the repository disable this category.',
    (_, name) => name === 'createNotable',
  ],
]

/** The error responses of an operation, by status. */
function failuresOf(name: OperationName, operation: Operation): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, Failure[]>()
  for (const [kind, description, isOf] of FAILURES) {
    if (isOf && !isOf(operation, name)) continue
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
    ...(status !== 500 && { headers: headersOf(status) }),
    content: { 'application/json': { schema: ErrorBody, examples: Object.fromEntries(examples) } },
  }
}
