/** `npm run docs`: writes docs/api.md from the OpenAPI document, that is, from the contract. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '../src/surfaces/http/openapi.ts'

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  description?: string
  default?: unknown
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
}

interface OperationObject {
  operationId: string
  summary: string
  description: string
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, { description: string; content: { 'application/json': { schema: Schema } } }>
}

const FAILURES = `## Failures

Every failure is \`{"error": {"type", "message", "param"?, "request_id"}}\`. Branch on \`type\`; \`message\` is for people.

| Status | \`type\` | When |
| --- | --- | --- |
| 400 | \`invalid_request\` | no JSON object, a field missing, a name unknown, a bad cursor or Idempotency-Key |
| 400 | \`category_not_allowed\` | the repository disabled the category of a notable |
| 401 | \`unauthorized\` | no token, or one that GitHub does not accept |
| 403 | \`forbidden\` | the token cannot see the repository, or may not write there |
| 404 | \`not_found\` | no such record or address, or the record’s repository cannot be seen |
| 405 | \`method_not_allowed\` | see \`Allow\` |
| 408 | \`invalid_request\` | the request did not arrive in time |
| 409 | \`invalid_transition\` | the status does not allow it |
| 409 | \`idempotency_conflict\` | a request with this key is still being carried out |
| 413 | \`invalid_request\` | the body is larger than 1 MiB |
| 422 | \`validation_error\` | a value is there but wrong; \`param\` names it |
| 422 | \`idempotency_mismatch\` | the key was used with a different body |
| 429 | \`rate_limited\` | see \`Retry-After\`; also when GitHub limits the token |
| 431 | \`invalid_request\` | the headers are larger than 16 KiB, or more than 100 |
| 500 | \`internal_error\` | a fault of ours; safe to retry |
| 503 | \`service_unavailable\` | GitHub or the database is away; nothing was lost, safe to retry |`

/** The page, as Markdown. */
export function apiPage(): string {
  const document = openApiDocument('/api/v1')
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OperationObject>).map(([method, operation]) =>
      sectionOf(`${method.toUpperCase()} ${path}`, operation),
    ),
  )
  const named = Object.entries(schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => `### ${name}\n\n${fieldTable(schema)}`)
  return [
    '# The REST interface',
    '<!-- Written by `npm run docs` from src/operations/contract.ts. A test holds the two together. -->',
    'Below `/api/v1`, and the same below `/v1`. Every request carries `Authorization: Bearer TOKEN`, a GitHub token of the caller’s own. The same as OpenAPI 3.1: `GET /api/v1/openapi.json`, and as a page: `/docs`.',
    FAILURES,
    '## Operations',
    ...operations,
    '## Shapes',
    ...named,
    '',
  ].join('\n\n')
}

function sectionOf(title: string, operation: OperationObject): string {
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query')
  const parts = [`### ${operation.summary}`, `\`${title}\``, operation.description]
  if (query.length > 0) {
    const rows = query.map(({ name, schema }) => row([code(name), typeOf(schema), notes(schema)]))
    parts.push([row(['Parameter', 'Type', 'Notes']), row(['---', '---', '---']), ...rows].join('\n'))
  }
  if ((operation.parameters ?? []).some((parameter) => parameter.name === 'Idempotency-Key')) {
    parts.push('Takes the header `Idempotency-Key`.')
  }
  const body = operation.requestBody?.content['application/json'].schema
  if (body) parts.push(`Body: ${typeOf(body)}.`)
  const [[status, done]] = Object.entries(operation.responses) as [
    [string, OperationObject['responses'][string]],
  ]
  parts.push(`Answers ${status}: ${typeOf(done.content['application/json'].schema)}.`)
  const failures = Object.keys(operation.responses).filter((each) => Number(each) >= 400)
  parts.push(`Fails with ${failures.join(', ')}.`)
  return parts.join('\n\n')
}

function fieldTable(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) =>
    row([code(name), typeOf(field), schema.required?.includes(name) ? 'yes' : 'no', notes(field)]),
  )
  return [
    schema.description,
    [row(['Field', 'Type', 'Required', 'Notes']), row(['---', '---', '---', '---']), ...rows].join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function typeOf(schema: Schema): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return `[${name}](#${name.toLowerCase()})`
  }
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum) return schema.enum.map((value) => code(String(value))).join(', ')
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`
  if (schema.properties) return `object of ${Object.keys(schema.properties).map(code).join(', ')}`
  if (typeof schema.additionalProperties === 'object')
    return `object of ${typeOf(schema.additionalProperties)}`
  return schema.format === 'date-time' ? 'timestamp' : String(schema.type)
}

function notes(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, maxItems } = { ...schema.anyOf?.[0], ...schema }
  const limits = [
    maxLength === undefined ? '' : `${minLength ?? 0} to ${maxLength} characters`,
    minimum === undefined ? '' : `${minimum} to ${maximum}`,
    maxItems === undefined ? '' : `at most ${maxItems}`,
  ]
  const fallback = schema.default === undefined ? '' : `Default ${code(JSON.stringify(schema.default))}.`
  return [
    schema.description,
    ...limits.filter(Boolean).map((limit) => `${limit[0]?.toUpperCase()}${limit.slice(1)}.`),
    fallback,
  ]
    .filter(Boolean)
    .join(' ')
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function code(text: string): string {
  return `\`${text}\``
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../docs/api.md', import.meta.url), apiPage())
}
