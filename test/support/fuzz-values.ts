/** Values that match the schemas of the OpenAPI document, and values that violate them, for fuzzing. */
import fc from 'fast-check'
import type { openApiDocument } from '../../src/server/surfaces/http/openapi.ts'

export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

type Document = ReturnType<typeof openApiDocument>

/** JSON text, not necessarily as `JSON.stringify` writes it. */
export type Json = string

export const PROTOTYPE_NAMES = '__proto__ constructor toString hasOwnProperty valueOf __defineGetter__'.split(
  ' ',
)

const ODD_CHARACTERS = [
  ...['\0', '\ud800', '\udfff', '\u202e', '\u200b', '\u2028', '\ufeff', '\uffff', '\r\n', '\x7f'],
  ...['e\u0301', '👩‍👩‍👧', '\\', '"', "'", ';--', '%00', '$(x)'],
]

const oddText = fc.oneof(
  fc.constantFrom(...ODD_CHARACTERS).map((odd) => `a${odd}b`),
  fc
    .array(fc.oneof(fc.constantFrom(...ODD_CHARACTERS), fc.string({ unit: 'binary', maxLength: 8 })), {
      minLength: 1,
      maxLength: 6,
    })
    .map((parts) => parts.join('')),
)

const glob = fc
  .array(fc.constantFrom(...'src a * ** ? [a-z] [!b] {a,b} / / / .. \\ [ { ! é'.split(' ')), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => parts.join(''))

/** Values for fields with rules beyond their schemas, by name. */
const BY_NAME: Record<string, fc.Arbitrary<string>> = {
  branch: fc.constantFrom('main', 'retries', 'feature/a', 'é', 'a..b', 'refs/heads/x', '@'),
  base_branch: fc.constantFrom('main', 'retries', 'feature/b', '-', 'a.lock'),
  paths: glob,
  pr_url: fc.constantFrom(
    'https://github.com/acme/r0/pull/7',
    'https://github.com/acme/r1/pull/0',
    'https://github.com@169.254.169.254/acme/r0/pull/7',
    'http://localhost/acme/r0/pull/7',
    'javascript:alert(1)',
  ),
  decision_url: fc.constantFrom(
    'https://example.com/adr/7',
    'https://',
    'file:///etc/passwd',
    'https://[::1',
    'https://a@b:c',
  ),
  applies_until: fc.constantFrom(
    '2030-01-31T09:30:00Z',
    '9999-12-31T23:59:59-23:59',
    '0000-01-01T00:00:00Z',
    '2030-02-30T00:00:00Z',
    '2030-01-31T09:30:00',
    '+275760-09-13T00:00:00Z',
  ),
  supersedes: fc.constantFrom(
    'ntb_01h455vb4pex5vsknk084sn02q',
    'act_01h455vb4pex5vsknk084sn02q',
    '__proto__',
  ),
  cursor: fc.oneof(fc.base64String({ maxLength: 60 }), fc.constantFrom('null', '[]', 'eyJpZCI6MX0', 'e30')),
}

/** Valid values of fields with rules beyond their schemas, by name. Others accept any word. */
const SOUND: Record<string, string> = {
  paths: 'src/**',
  pr_url: 'https://github.com/acme/r0/pull/7',
  decision_url: 'https://example.com/adr/7',
  applies_until: '2030-01-31T09:30:00Z',
}

/** Values that match a schema; `name` is the name of the field. */
export function valuesOf(document: Document, given: Schema, name = ''): fc.Arbitrary<unknown> {
  const schema = resolved(document, given)
  const { type } = schema
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valuesOf(document, each, name)))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (Array.isArray(type))
    return fc.oneof(...type.map((each) => valuesOf(document, { ...schema, type: each }, name)))
  switch (type) {
    case 'object': {
      const properties = Object.entries(schema.properties ?? {})
      return fc.record(
        Object.fromEntries(properties.map(([key, each]) => [key, valuesOf(document, each, key)])),
        { requiredKeys: schema.required ?? [] },
      )
    }
    case 'array':
      return fc.array(valuesOf(document, schema.items ?? {}, name), { maxLength: 5 })
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1000 })
    case 'null':
      return fc.constant(null)
    default:
      return fc.oneof(
        { weight: 6, arbitrary: fc.constant(SOUND[name] ?? 'a') },
        { weight: 2, arbitrary: BY_NAME[name] ?? fc.constant('b') },
        { weight: 2, arbitrary: textOf(schema) },
      )
  }
}

/** Text of any allowed length, and one character too short or too long. */
function textOf({ minLength = 0, maxLength = 100 }: Schema): fc.Arbitrary<string> {
  const bounds = [minLength - 1, minLength, maxLength, maxLength + 1].filter((length) => length >= 0)
  const exact = fc
    .tuple(fc.constantFrom(...bounds), fc.constantFrom('x', 'é', '🧾'))
    .map(([length, char]) => char.repeat(length))
  return fc.oneof(
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) }),
    exact,
    oddText,
  )
}

function resolved(document: Document, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : ((document.components?.schemas?.[name] ?? {}) as Schema)
}

/** JSON of any kind and size, including what JavaScript does not write: numbers out of range, lone surrogates, deep nesting. */
export const oddJson: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 4, arbitrary: oddText.map((text) => JSON.stringify(text)) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...`1e400 -1e400 -0 1e-400 0.1e1 12345678901234567890 NaN Infinity undefined 01 'x' "\\ud800" "\\u0000" "\\q" {} []
      null true ""`.split(/\s+/),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('[', '{"a":').chain((open) => nested(open)) },
  { weight: 1, arbitrary: fc.constantFrom(100_000, 1_048_576).map((size) => `"${'x'.repeat(size)}"`) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('1', '"a"', '"*"', '{}')
      .map((item) => `[${Array(100_000).fill(item).join()}]`),
  },
)

function nested(open: string): fc.Arbitrary<Json> {
  const close = open === '[' ? ']' : '}'
  return fc.constantFrom(40, 10_000).map((depth) => `${open.repeat(depth)}1${close.repeat(depth)}`)
}

/** The JSON of an object with at most one defect. */
export function brokenObject(valid: Record<string, unknown>): fc.Arbitrary<Json> {
  const entries = Object.entries(valid).map(([key, value]) => [key, JSON.stringify(value)] as const)
  const written = (members: (readonly [string, Json])[]) =>
    `{${members.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join()}}`
  const place = fc.nat({ max: Math.max(0, entries.length - 1) })
  const name = fc.oneof(fc.constantFrom(...PROTOTYPE_NAMES, 'titel', 'path', ''), oddText)
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(written(entries)) },
    fc
      .tuple(place, oddJson)
      .map(([at, odd]) => written(entries.map(([key, json], i) => [key, i === at ? odd : json]))),
    place.map((at) => written(entries.filter((_, i) => i !== at))),
    fc.tuple(name, oddJson).map(([key, odd]) => written([...entries, [key, odd]])),
    fc.tuple(place, oddJson).map(([at, odd]) => written([...entries, [entries[at]?.[0] ?? 'title', odd]])),
  )
}

/** The bytes of a text, intact or damaged. */
export function brokenBytes(text: string): fc.Arbitrary<Uint8Array> {
  const bytes = Buffer.from(text)
  const place = fc.nat({ max: bytes.length })
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(new Uint8Array(bytes)) },
    { weight: 1, arbitrary: place.map((at) => new Uint8Array(bytes.subarray(0, at))) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(place, fc.uint8Array({ minLength: 1, maxLength: 4 }))
        .map(
          ([at, some]) =>
            new Uint8Array(Buffer.concat([bytes.subarray(0, at), some, bytes.subarray(at + 1)])),
        ),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('\ufeff', ' \t\r\n', 'x', '//', '\0')
        .map((odd) => new Uint8Array(Buffer.from(odd + text))),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }) },
  )
}
