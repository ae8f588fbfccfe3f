/** The OpenAPI 3.1 document, derived from the contract. */
import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from 'zod-openapi'
import { OPERATIONS, type OperationName } from '../../../vocabulary/contract/contract.ts'
import { issueNumber } from '../../../vocabulary/contract/issue.ts'
import type { Operation } from '../../../vocabulary/contract/operation.ts'
import { routeOf } from '../../../vocabulary/contract/route.ts'
import { failuresOf } from './openapi-failures.ts'

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
    responses: withRateLimit({
      [operation.status]: { description: 'Success.', content },
      ...(operation.is_conditional && { 304: { description: 'It has the entity tag that was sent.' } }),
      ...(operation.is_repeatable && { 200: { description: 'It was created before.', content } }),
      ...failuresOf(name, operation),
    }),
  }
}

const rateLimit = z.object({
  RateLimit: z
    .string()
    .optional()
    .meta({
      description: 'What is left of the quota of the token, once the token is known.',
      examples: ['"600-in-1min"; r=599; t=60'],
    }),
})

function withRateLimit(responses: ZodOpenApiResponsesObject): ZodOpenApiResponsesObject {
  const limited = Object.entries(responses).map(([status, response]) => {
    const headers =
      response.headers instanceof z.ZodObject ? rateLimit.extend(response.headers.shape) : rateLimit
    return [status, Number(status) < 500 ? { ...response, headers } : response]
  })
  return Object.fromEntries(limited)
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
