/** Reads schemas of an OpenAPI 3.0 or 3.1 document as JSON Schemas without text for people. */
import { createHash } from 'node:crypto'
import type { Schema } from '../../test/support/github-schemas.ts'

/** The parts used of an OpenAPI document. */
export interface Description {
  paths?: Record<string, Record<string, { responses: Record<string, object> }>>
  webhooks?: Record<string, { post: { externalDocs: { url: string }; requestBody: object } }>
}

/** Keywords that decide whether a value is valid. The other ones are for people and for generators. */
const SCHEMA_KEYWORDS = ['items', 'additionalProperties', 'not']
const LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf']
const VALUE_KEYWORDS = ['type', 'enum', 'const', 'format', 'pattern', 'required', 'minLength', 'maxLength']
const COUNT_KEYWORDS = ['minimum', 'maximum', 'minItems', 'maxItems', 'uniqueItems', 'minProperties']
/** Those that `ajv-formats` knows. */
const FORMATS = ['uri', 'uri-template', 'date-time', 'date', 'email', 'int64']

/** A shorter schema stays where it is. */
const CHARACTERS_MIN = 150

/**
 * Returns the schema of a response or of a request body; null if it has none. A schema, and each of its parts, is in `$defs`
 * under the hash of its text, so that equal ones of all descriptions are there once.
 */
export function schemaReader(
  description: Description,
  $defs: Record<string, Schema>,
): (content: object) => Schema | null {
  const target = (pointer: string): Schema =>
    pointer
      .slice(2)
      .split('/')
      .reduce((node, part) => node[part] as Schema, description as Schema)

  const shared = (schema: Schema): Schema => {
    const text = JSON.stringify(schema)
    if (text.length < CHARACTERS_MIN) return schema
    const name = createHash('sha256').update(text).digest('hex').slice(0, 8)
    $defs[name] = schema
    return { $ref: `#/$defs/${name}` }
  }

  const part = (given: unknown): Schema => shared(read(given))

  function read(given: unknown): Schema {
    if (typeof given !== 'object' || given === null) return given as Schema
    const schema = given as Schema
    if (typeof schema.$ref === 'string') return read(target(schema.$ref))
    const result: Schema = {}
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'properties') {
        const properties = Object.entries(value as Schema).map(([name, property]) => [name, part(property)])
        result.properties = Object.fromEntries(properties)
      } else if (SCHEMA_KEYWORDS.includes(key)) result[key] = part(value)
      else if (LIST_KEYWORDS.includes(key)) result[key] = (value as Schema[]).map(part)
      else if (key === 'format' && !FORMATS.includes(value as string)) continue
      else if (VALUE_KEYWORDS.includes(key) || COUNT_KEYWORDS.includes(key)) result[key] = value
    }
    return schema.nullable === true ? orNull(result) : result
  }

  return (content) => {
    const { $ref } = content as { $ref?: string }
    const resolved = $ref ? target($ref) : (content as Schema)
    const schema = (resolved.content as Record<string, { schema?: object }> | undefined)?.['application/json']
    return schema?.schema ? read(schema.schema) : null
  }
}

/** OpenAPI 3.0 has `nullable` for what is a type in JSON Schema. */
function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema
  if (typeof type === 'string' && !values) return { ...schema, type: [type, 'null'] }
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] }
}
