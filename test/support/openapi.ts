/** Validates responses against the OpenAPI document of the service, and composes the examples of its fields. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { openApiDocument } from '../../src/server/doors/http/openapi.ts'

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: unknown[]
  examples?: unknown[]
  minimum?: number
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
}

/** The schema that a reference names. */
export function resolved(schema: Schema): Schema {
  const { schemas = {} } = openApiDocument('/api/v1').components ?? {}
  return schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema)
}

/** A request with every field. Readers of the document, such as Redoc, compose those of the required ones. */
export function exampleOf(schema: Schema): unknown {
  const {
    examples,
    enum: values,
    anyOf: [some] = [],
    properties,
    items,
    type,
    minimum,
  } = { ...resolved(schema), ...schema }
  if (examples) return examples[0]
  if (values) return values[0]
  if (some) return exampleOf(some)
  if (items) return [exampleOf(items)].filter((item) => item !== null)
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field)]))
  return type === 'boolean' ? false : (minimum ?? null)
}

type Check = (method: string, pathname: string, status: number, body: unknown) => void

let check: Check | undefined

/** Throws if a response does not match the schema of its operation and status. Ignores unknown paths. */
export function answerValidator(): Check {
  check ??= compileCheck()
  return check
}

type Operations = Record<string, { responses: Record<number, { content?: object }> } | undefined>

function compileCheck(): Check {
  const document = openApiDocument('/api/v1')
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(document, 'document')
  const routes = Object.keys(document.paths ?? {}).map((path) => ({
    path,
    pattern: new RegExp(`^/(?:api/)?v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  }))
  return (method, pathname, status, body) => {
    // The literal path of a check comes before the one with an id, which its name would fit.
    const route = routes
      .filter(({ pattern }) => pattern.test(pathname))
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0]
    if (!route || method === 'HEAD') return
    const name = method.toLowerCase()
    const operations = (document.paths?.[route.path] ?? {}) as Operations
    const described = operations[name]?.responses[status]
    // Without a body, such as 304.
    if (body === null && described && !described.content) return
    const pointer = operations[name]
      ? `document#/paths/${pointerOf(route.path)}/${name}/responses/${status}/content/application~1json/schema`
      : 'document#/components/schemas/Error'
    const validate = ajv.getSchema(pointer)
    if (!validate) throw new Error(`OpenAPI does not know ${method} ${route.path} answering ${status}`)
    if (!validate(body))
      throw new Error(`OpenAPI and ${method} ${route.path} ${status}: ${ajv.errorsText(validate.errors)}`)
  }
}

function pointerOf(path: string): string {
  return path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')
}
