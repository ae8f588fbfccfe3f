/** The OpenAPI 3.1 document, derived from the contract. */
import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from 'zod-openapi'
import { FAILURE_TYPES } from '../../base/failure.ts'
import { OPERATIONS, type Operation } from '../../operations/contract.ts'

const ErrorBody = z
  .strictObject({
    error: z.strictObject({
      type: z.enum(FAILURE_TYPES),
      message: z.string().meta({ description: 'What is wrong and what to do, for people.' }),
      param: z.string().optional().meta({ description: 'The offending field, such as `scope.paths[3]`.' }),
      request_id: z.string().meta({ description: 'As in the header `X-Request-Id`; name it in reports.' }),
    }),
  })
  .meta({ id: 'Error' })

const owner = z.string().meta({ description: 'Owner of the repository, as on GitHub.', examples: ['acme'] })
const repo = z.string().meta({ description: 'Name of the repository, as on GitHub.', examples: ['shop'] })
const id = z.string().meta({ description: 'Id of the record.' })

/** The document; `url` is where the routes are mounted. */
export function openApiDocument(url: string) {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const [name, operation] of Object.entries(OPERATIONS) as [string, Operation][]) {
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

function describe(name: string, operation: Operation): ZodOpenApiOperationObject {
  const isGet = operation.method === 'GET'
  const path = operation.record ? z.object({ owner, repo, id }) : z.object({ owner, repo })
  const body = {
    required: operation.method === 'PATCH' || operation.status === 201,
    content: { 'application/json': { schema: operation.input } },
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
        content: { 'application/json': { schema: operation.output } },
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

function failuresOf(operation: Operation): ZodOpenApiResponsesObject {
  const descriptions: Record<number, string> = {
    400: 'The request is malformed: no JSON, a field missing or unknown, a bad cursor.',
    401: 'The token is missing, or GitHub does not accept it.',
    422: 'A value is there but wrong.',
    429: 'Too many requests; see Retry-After.',
    500: 'A fault of ours; safe to retry.',
    503: 'GitHub or the database is away; safe to retry.',
  }
  if (!operation.record || operation.access === 'write')
    descriptions[403] = 'The token may not do this in the repository.'
  if (operation.record) descriptions[404] = 'There is no such record, or the token cannot see it.'
  if (operation.method !== 'GET') descriptions[413] = 'The body is larger than 1 MiB.'
  if (operation.method === 'PATCH' || operation.path.endsWith('/heartbeat'))
    descriptions[409] = 'The status does not allow it.'
  if (operation.is_idempotent)
    descriptions[409] = 'A request with this Idempotency-Key is still being carried out.'
  const content = { 'application/json': { schema: ErrorBody } }
  return Object.fromEntries(
    Object.entries(descriptions).map(([status, description]) => [status, { description, content }]),
  )
}
