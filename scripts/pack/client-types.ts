/**
 * The types of the packed client: those of dist/client, with the schemas of the contract written out, because the package
 * does not have the library that the source infers them from.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { OPERATIONS } from '../../src/vocabulary/contract/contract.ts'
import { FAILURE_TYPES } from '../../src/vocabulary/failure.ts'

interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema | false
  prefixItems?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
}

/** The text of `client.d.ts`. `root`: the repository, after a build. */
export async function clientTypes(root: string): Promise<string> {
  const read = (name: string) => readFile(join(root, 'dist/client', `${name}.d.ts`), 'utf8')
  const named = new Map<string, string>()
  const operations = Object.entries(OPERATIONS).map(([name, operation]) => {
    const { on, record, path, is_idempotent, method, input, output, summary } = operation
    const given = method === 'GET' ? partial(typeOf(input, 'output', named)) : typeOf(input, 'input', named)
    const facts = { on, record, path, is_idempotent }
    const lines = Object.entries(facts).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    return `/** ${summary}. */\n${name}: {\n${indented([...lines, `input: ${given}`, `output: ${typeOf(output, 'output', named)}`].join('\n'))}\n}`
  })
  const client = await read('client')
  // The files that it exports names of.
  const others = [...client.matchAll(/^export \{ ([^}]*) \} from '\.\/([\w-]+)\.ts';$/gm)].map(
    async ([, names = '', file = '']) => exportsOf(await read(file), names.match(/\w+(?=,|$)/g) ?? []),
  )
  const own = [withoutImports(client), ...(await Promise.all(others))]
    .join('\n')
    .replace(/^type Operations = .*\n/m, '')
    .replace(
      /(export type RequestInputOf<Name extends OperationName> =)[^;]*;/,
      "$1 Operations[Name]['input'];",
    )
    .replaceAll('OutputOf<Name>', "Operations[Name]['output']")
    .replaceAll('FailureType', FAILURE_TYPES.map((type) => JSON.stringify(type)).join(' | '))
  return `${own}
export type OperationName = keyof Operations
export interface Operations {
${indented(operations.join('\n'))}
}
${[...named.values()].join('\n')}
export {}
`
}

/** The declarations of a file without the functions that are not among `names`, and what only those use. */
function exportsOf(text: string, names: string[]): string {
  const statements = withoutImports(text).split(/(?<=^(?:\}|\S.*;))\n(?=\/\*\*|export|interface|type)/m)
  const isNamed = (statement: string) => {
    const [, name = ''] = /^export declare function (\w+)/m.exec(statement) ?? []
    return name === '' || names.includes(name)
  }
  const kept = statements.filter(isNamed)
  return kept
    .filter((statement) => {
      const [, name] = /^interface (\w+)/m.exec(statement) ?? []
      return name === undefined || kept.some((other) => other !== statement && other.includes(name))
    })
    .join('\n')
}

/** Without imports, exports from other files, and the comment that says what the file is for. */
function withoutImports(text: string): string {
  return text
    .replaceAll(/^(?:import|export) [^;]* from [^;]*;\n/gm, '')
    .replaceAll(/^export \{\};\n/gm, '')
    .replace(/^\/\*\*[^\n]*\n(?=\/\*\*|export|interface)/, '')
}

function partial(type: string): string {
  return `Partial<${type}>`
}

/** The type of a schema. Those with a name are added to `named`. */
function typeOf(schema: z.ZodType, io: 'input' | 'output', named: Map<string, string>): string {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema
  for (const [name, definition] of Object.entries($defs)) {
    const text = `export type ${name} = ${printed(definition)}`
    if ((named.get(name) ?? text) !== text) throw new Error(`${name} has two types`)
    named.set(name, text)
  }
  return printed(root)
}

function printed(schema: Schema): string {
  const { $ref, oneOf, anyOf = oneOf, type, items, prefixItems, properties, additionalProperties } = schema
  if ($ref) return $ref.split('/').at(-1) as string
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf) return anyOf.map(printed).join(' | ')
  if (Array.isArray(type)) return type.map((each) => printed({ ...schema, type: each })).join(' | ')
  if (prefixItems) return `[${prefixItems.map(printed).join(', ')}]`
  if (type === 'array') return `(${printed(items || {})})[]`
  if (type === 'object' && properties && Object.keys(properties).length > 0) return objectOf(schema)
  if (type === 'object')
    return typeof additionalProperties === 'object'
      ? `Record<string, ${printed(additionalProperties)}>`
      : 'Record<string, never>'
  if (type === 'integer' || type === 'number') return 'number'
  // A schema without a type is that of a cursor, which is parsed.
  return type ?? 'string'
}

function objectOf({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(([name, field]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    const comment = field.description ? `/** ${field.description.replaceAll('*/', '* /')} */\n` : ''
    return `${comment}${key}${required.includes(name) ? '' : '?'}: ${printed(field)}`
  })
  return `{\n${indented(fields.join('\n'))}\n}`
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}
