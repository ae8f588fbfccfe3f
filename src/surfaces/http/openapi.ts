/** The OpenAPI 3.1 document, derived from the contract. */
import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from 'zod-openapi'
import { FAILURE_TYPES } from '../../base/failure.ts'
import { OPERATIONS, type Operation, type OperationName } from '../../operations/contract.ts'
import { ACTIVITY_ID, EXAMPLES, failureExample, NOTABLE_ID } from './examples.ts'

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

const owner = z.string().meta({ description: 'Owner of the repository, as on GitHub.', examples: ['acme'] })
const repo = z.string().meta({ description: 'Name of the repository, as on GitHub.', examples: ['shop'] })
const idOf = (record: 'act' | 'ntb') =>
  z
    .string()
    .meta({ description: 'Id of the record.', examples: [record === 'act' ? ACTIVITY_ID : NOTABLE_ID] })

/** The document; `url` is where the routes are mounted. */
export function openApiDocument(url: string): ReturnType<typeof createDocument> {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const [name, operation] of Object.entries(OPERATIONS) as [OperationName, Operation][]) {
    const path = `/repos/{owner}/{repo}${operation.path}`
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(name, operation) }
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Deconflict',
      version: '1',
      description: 'Shows who else is working on the same part of a repository. Advises, never blocks.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    security: [{ github: [] }],
    paths,
    components: {
      securitySchemes: {
        github: { type: 'http', scheme: 'bearer', description: "A GitHub token of the caller's own." },
      },
    },
  })
}

function describe(name: OperationName, operation: Operation): ZodOpenApiOperationObject {
  const isGet = operation.method === 'GET'
  const path = operation.record
    ? z.object({ owner, repo, id: idOf(operation.record) })
    : z.object({ owner, repo })
  const { sent, answer } = EXAMPLES[name]
  const body = {
    required: operation.method === 'PATCH' || operation.status === 201,
    content: { 'application/json': { schema: operation.input, example: sent } },
  }
  const hasBody = !isGet && Object.keys(operation.input.shape).length > 0
  return {
    operationId: name,
    summary: operation.summary,
    description: operation.description,
    requestParams: {
      path,
      ...(isGet ? { query: operation.input } : {}),
      ...(operation.is_idempotent ? { header: idempotency } : {}),
    },
    ...(hasBody ? { requestBody: body } : {}),
    responses: {
      [operation.status]: {
        description: 'Done.',
        content: { 'application/json': { schema: operation.output, example: answer } },
      },
      ...failuresOf(operation),
    },
  }
}

const idempotency = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().meta({
    description: 'Unique per logical operation; sent again within 24 hours, the first answer comes again.',
  }),
})

interface FailureStatus {
  description: string
  example: ReturnType<typeof failureExample>
}

const STALE = 'The status does not allow it.'

function failuresOf(operation: Operation): ZodOpenApiResponsesObject {
  const failures: Record<number, FailureStatus> = {
    400: {
      description: 'The request is malformed: no JSON, a field missing or unknown, a bad cursor.',
      example: failureExample('invalid_request', 'path: unknown field; did you mean paths?', 'path'),
    },
    401: {
      description: 'The token is missing, or GitHub does not accept it.',
      example: failureExample('unauthorized', 'send a GitHub token as Authorization: Bearer TOKEN'),
    },
    422: {
      description: 'A value is there but wrong.',
      example: failureExample('validation_error', 'risk: must be one of low, medium, high, critical', 'risk'),
    },
    429: {
      description: 'Too many requests; see Retry-After.',
      example: failureExample('rate_limited', 'more than 600 requests in a minute'),
    },
    500: {
      description: 'A fault of ours; safe to retry.',
      example: failureExample('internal_error', 'a fault of ours; try again'),
    },
    503: {
      description: 'GitHub or the database is away; safe to retry.',
      example: failureExample('service_unavailable', 'the database does not answer; try again'),
    },
  }
  if (!operation.record || operation.access === 'write')
    failures[403] = {
      description: 'The token may not do this in the repository.',
      example: failureExample('forbidden', 'this token may read the repository but not write'),
    }
  if (operation.record)
    failures[404] = {
      description: 'There is no such record, or the token cannot see it.',
      example: failureExample('not_found', 'there is no such record'),
    }
  if (operation.method !== 'GET')
    failures[413] = {
      description: 'The body is larger than 1 MiB.',
      example: failureExample('invalid_request', 'body: must be at most 1048576 bytes'),
    }
  if (operation.method === 'PATCH' || operation.path.endsWith('/heartbeat'))
    failures[409] = { description: STALE, example: failureExample('invalid_transition', STALE) }
  if (operation.is_idempotent)
    failures[409] = {
      description: 'A request with this Idempotency-Key is still being carried out.',
      example: failureExample('idempotency_conflict', 'a request with this key is still being carried out'),
    }
  return Object.fromEntries(
    Object.entries(failures).map(([status, { description, example }]) => [
      status,
      {
        description,
        ...(status === '429' || status === '503' ? { headers: retryAfter } : {}),
        content: { 'application/json': { schema: ErrorBody, example } },
      },
    ]),
  )
}

const retryAfter = z.object({
  'Retry-After': z.string().meta({ description: 'Seconds after which to try again.', examples: ['60'] }),
})
