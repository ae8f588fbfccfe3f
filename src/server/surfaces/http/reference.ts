/** Renders the OpenAPI document as Markdown, for docs/api.md and the page at `/docs`. */
import { formatJson } from './format-json.ts'

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  prefixItems?: Schema[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  description?: string
  default?: unknown
  examples?: unknown[]
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
}

interface Content {
  'application/json': {
    schema: Schema
    example?: unknown
    examples?: Record<string, { summary: string; value: unknown }>
  }
}

interface Parameter {
  in: string
  name: string
  required?: boolean
  schema: Schema
}

interface OperationObject {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { description: string; content: Content }>
}

interface Operation extends OperationObject {
  method: string
  path: string
}

interface Reference {
  operations: Operation[]
  schemas: Record<string, Schema>
}

const INTRODUCTION = `The base path is \`/api/v1\`; \`/v1\` is an alias. Every request needs a GitHub token of the caller. The OpenAPI 3.1 document is at \`GET /api/v1/openapi.json\`.

\`\`\`sh
export DECONFLICT_URL=https://YOUR-HOST GITHUB_TOKEN=$(gh auth token)
API="$DECONFLICT_URL/api/v1"
AUTH="Authorization: Bearer $GITHUB_TOKEN"
\`\`\``

const ERRORS = `Every error is \`{"error": {"type", "message", "param"?, "request_id"}}\`. Branch on \`type\`; \`message\` is for humans.`

/** Errors of requests that match no operation. */
const ROUTING_ERRORS: [status: string, type: string, when: string][] = [
  ['404', 'not_found', 'No route has this path.'],
  ['405', 'method_not_allowed', 'The path does not support this method; see `Allow`.'],
]

/** Headings are unique, so that their anchors are the same on GitHub and on `/docs`. */
export function apiReference(document: { paths?: object; components?: { schemas?: object } }): string {
  const paths = document.paths as Record<string, Record<string, OperationObject>>
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  const reference = { operations, schemas: document.components?.schemas as Record<string, Schema> }
  const tags = [...new Set(operations.flatMap((operation) => operation.tags))]
  const bodies = new Set(operations.map((operation) => nameOf(bodySchema(operation))))
  const shapes = Object.entries(reference.schemas)
    .filter(([name]) => !bodies.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    '# The REST API',
    INTRODUCTION,
    ...tags.flatMap((tag) => [
      `## Operations on ${tag}`,
      ...operations.filter(({ tags: [first] }) => first === tag).map((each) => section(each, reference)),
    ]),
    '## Errors',
    ERRORS,
    errorTable(operations),
    '## Schemas',
    ...shapes.map(([name, schema]) => `### ${name}\n\n${fieldTable(schema)}`),
  ].join('\n\n')
}

function section(operation: Operation, { schemas }: Reference): string {
  const { method, path, summary, description, parameters = [] } = operation
  const parts = [`### ${summary}`, `\`${method} ${path}\``, description]
  const listed = parameters.filter((parameter) => parameter.in !== 'path')
  if (listed.length > 0)
    parts.push(
      table(
        ['Parameter', 'In', 'Type', 'Notes'],
        listed.map(({ name, in: place, schema }) => [code(name), place, typeOf(schema), notes(schema)]),
      ),
    )
  const body = bodySchema(operation)
  if (body) {
    const schema = schemas[nameOf(body)] ?? body
    parts.push(operation.requestBody?.required ? 'Body:' : 'Body (optional):', fieldTable(schema))
  }
  parts.push(`\`\`\`sh\n${curl(operation)}\n\`\`\``)
  for (const [status, { content }] of Object.entries(operation.responses)) {
    if (Number(status) >= 400) continue
    const { schema, example } = content['application/json']
    parts.push(`Returns ${status}, ${typeOf(schema)}:`, `\`\`\`json\n${formatJson(example)}\n\`\`\``)
  }
  const errors = errorsOf(operation).map(([status, type]) => `${status} ${code(type)}`)
  parts.push(`[Errors](#errors): ${errors.join(', ')}.`)
  return parts.join('\n\n')
}

function bodySchema({ requestBody }: Operation): Schema | undefined {
  return requestBody?.content['application/json'].schema
}

/** The example of an operation as a shell command. */
function curl({ method, path, parameters = [], requestBody }: Operation): string {
  const exampleOf = ({ name, schema }: Parameter) => String(schema.examples?.[0] ?? name.toUpperCase())
  const address = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, exampleOf(parameter)), path)
  const headers = parameters
    .filter((parameter) => parameter.in === 'header')
    .map((parameter) => `-H '${parameter.name}: ${exampleOf(parameter)}'`)
  const sent = requestBody?.content['application/json'].example
  const body = sent === undefined ? [] : [`-d '${formatJson(sent).replaceAll("'", "'\\''")}'`]
  const isPlain = method === 'GET' || (method === 'POST' && sent !== undefined)
  return [
    'curl -s',
    ...(isPlain ? [] : [`-X ${method}`]),
    `"$API${address}" -H "$AUTH"`,
    ...headers,
    ...body,
  ].join(' ')
}

function errorsOf({ responses }: OperationObject): [status: string, type: string, when: string][] {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    Number(status) < 400
      ? []
      : Object.entries(content['application/json'].examples ?? {}).map(
          ([type, { summary }]): [string, string, string] => [status, type, summary],
        ),
  )
}

function errorTable(operations: Operation[]): string {
  const all = new Map(
    [...operations.flatMap(errorsOf), ...ROUTING_ERRORS].map((error) => [error.join(), error]),
  )
  const rows = [...all.values()].sort(([a], [b]) => Number(a) - Number(b))
  return table(
    ['Status', 'Type', 'When'],
    rows.map(([status, type, when]) => [status, code(type), when]),
  )
}

function fieldTable(schema: Schema): string {
  const rows = fieldRows(schema, '')
  const fields = rows.length > 0 ? table(['Field', 'Type', 'Presence', 'Notes'], rows) : typeOf(schema)
  return schema.description ? `${schema.description}\n\n${fields}` : fields
}

/** The fields of an inline object follow the row of that object. */
function fieldRows(schema: Schema, prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = field.items?.properties ? field.items : field
    const within = `${prefix}${name}${inner === field ? '' : '[]'}.`
    const required = schema.required?.includes(name) ? 'required' : 'optional'
    return [[code(prefix + name), typeOf(field), required, notes(field)], ...fieldRows(inner, within)]
  })
}

function nameOf(schema: Schema | undefined): string {
  return schema?.$ref?.split('/').at(-1) ?? ''
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return `[${nameOf(schema)}](#${nameOf(schema).toLowerCase()})`
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum) return schema.enum.map((value) => code(String(value))).join(', ')
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(', ')}]`
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`
  if (typeof schema.additionalProperties === 'object')
    return `object of ${typeOf(schema.additionalProperties)}`
  return schema.format === 'date-time' ? 'timestamp' : [schema.type].flat().join(' or ')
}

function notes(schema: Schema): string {
  const { description, minLength, maxLength, maxItems, prefixItems, ...range } = {
    ...schema.anyOf?.[0],
    ...schema,
  }
  const limits = [
    maxLength === undefined ? '' : `${minLength ?? 0} to ${maxLength} characters.`,
    rangeOf(range),
    maxItems === undefined || prefixItems ? '' : `At most ${maxItems}.`,
  ]
  const fallback = schema.default === undefined ? '' : `Default ${code(JSON.stringify(schema.default))}.`
  return [description, ...limits, fallback].filter(Boolean).join(' ')
}

/** The range of a number, without the limits that all integers and counts have. */
function rangeOf({ minimum = 0, maximum }: Schema): string {
  if (maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER) return `${minimum} to ${maximum}.`
  return minimum > 0 ? `At least ${minimum}.` : ''
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function code(text: string): string {
  return `\`${text}\``
}
