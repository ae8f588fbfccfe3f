/** Short JSON Schemas of tools. Clients put all of them into the context of their model; the service validates in full. */
import { z } from 'zod'

type JsonSchema = Json & { type: 'object' }
type Json = Record<string, unknown>

/** Arguments that agents rarely need. They are accepted, but the schemas leave them out. */
const HIDDEN = [
  'base_sha',
  'ttl_ms',
  'tags',
  'heartbeat',
  'draft_pr',
  'draft_pr_only',
  'has_pr',
  'supersedes',
  'changes.status',
  'changes.previous_path',
  'changes.blob_sha',
]
/** Descriptions of the arguments whose names do not say enough. */
const DESCRIPTIONS: Record<string, string> = {
  paths: 'Globs, such as src/checkout/**',
  patch: 'From `git diff -U3`',
}
/** The schemas leave out higher limits, which no agent is likely to reach. */
const LIMIT_MAX = 1000

/**
 * The schema of the arguments of a tool, without references, which some clients do not support. `has_choices`: include the
 * values of enums.
 */
export function argumentsSchema(schema: z.ZodObject, has_choices: boolean): JsonSchema {
  return shortArgument(jsonSchemaOf(schema), '', has_choices) as JsonSchema
}

/** `name`: the argument whose schema is given; empty for all arguments together. */
function shortArgument(given: Json, name: string, has_choices: boolean): Json {
  const { type, enum: choices, minimum, maximum, items, properties, required } = withoutNull(given)
  const short: Json = { type }
  if (has_choices && choices !== undefined) short.enum = choices
  if (typeof maximum === 'number' && maximum <= LIMIT_MAX) Object.assign(short, { minimum, maximum })
  if (items) short.items = shortArgument(items as Json, name, has_choices)
  if (properties) {
    const shown = Object.entries(properties as Record<string, Json>).filter(
      ([each]) => !HIDDEN.includes(each) && !HIDDEN.includes(`${name}.${each}`),
    )
    short.properties = Object.fromEntries(
      shown.map(([each, schema]) => {
        const description = DESCRIPTIONS[each]
        return [each, { ...shortArgument(schema, each, has_choices), ...(description && { description }) }]
      }),
    )
    if (required) short.required = required
  }
  return short
}

/** The schema of a field without `null`. Of several other types, the first. */
function withoutNull(given: Json): Json {
  const { anyOf, type } = given
  if (Array.isArray(anyOf)) return withoutNull(anyOf.find((each: Json) => each.type !== 'null') ?? {})
  return Array.isArray(type) ? { ...given, type: type.find((each) => each !== 'null') } : given
}

/** Converts a zod schema. Query parameters, which are text in requests, get the type in the `override` of their metadata. */
function jsonSchemaOf(schema: z.ZodType): Json {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    // Without the ids of the schemas, which would become references.
    metadata: z.registry(),
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(jsonSchema, z.globalRegistry.get(zodSchema)?.override)
    },
  })
}
