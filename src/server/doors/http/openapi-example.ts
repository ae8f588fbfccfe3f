/** Examples of whole bodies for the OpenAPI document, composed of the examples of the fields. Pure. */

export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  format?: string
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  prefixItems?: JsonSchema[]
  minimum?: number
}

type Schemas = Record<string, JsonSchema>

const INSTANT = '2026-01-31T09:30:00.000Z'

/**
 * All required fields, and the optional ones that have an example. A field without an example is null where that is allowed,
 * or else the simplest value. Throws if a text has no example.
 */
export function exampleOf(schema: JsonSchema, schemas: Schemas): unknown {
  const given = givenExample(schema, schemas)
  return given === undefined ? simplest(resolved(schema, schemas)) : given
}

/** The example that the schema has itself, or that the schemas in it make; undefined if none of them has one. */
function givenExample(schema: JsonSchema, schemas: Schemas): unknown {
  const { examples, anyOf, prefixItems, properties, required, items } = {
    ...resolved(schema, schemas),
    ...(schema.examples && { examples: schema.examples }),
  }
  if (examples) return examples[0]
  const some = anyOf?.find(({ type }) => type !== 'null')
  if (some) return givenExample(some, schemas)
  if (prefixItems) return prefixItems.map((item) => exampleOf(item, schemas))
  if (properties) {
    const fields = Object.entries(properties).map(([name, field]) => {
      const read = required?.includes(name) ? exampleOf : givenExample
      return [name, read(field, schemas)]
    })
    const shown = fields.filter(([, value]) => value !== undefined)
    return shown.length === 0 ? undefined : Object.fromEntries(shown)
  }
  const item = items && givenExample(items, schemas)
  return item === undefined ? undefined : [item]
}

const SIMPLEST: Record<string, unknown> = { array: [], object: {}, boolean: false }

function simplest({ type, format, minimum = 1, ...schema }: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.anyOf || Array.isArray(type)) return null
  if (schema.enum) return schema.enum[0]
  if (type === 'integer' || type === 'number') return Math.max(1, minimum)
  if (format === 'date-time') return INSTANT
  if (type !== undefined && type in SIMPLEST) return SIMPLEST[type]
  throw new Error(`a text has no example: ${JSON.stringify(schema)}`)
}

function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (schemas[name] ?? schema)
}
