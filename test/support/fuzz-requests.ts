/** Requests of every operation in the OpenAPI document, for fuzzing: the examples of its fields, with a defect in most. */
import fc from 'fast-check'
import { openApiDocument } from '../../src/server/doors/http/openapi.ts'
import { exampleOf, type Schema } from './openapi.ts'

export interface FuzzRequest {
  method: string
  /** Query included. */
  target: string
  body: Uint8Array
}

interface Operation {
  parameters?: { in: string; name: string }[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}

/** JSON text, not necessarily as `JSON.stringify` writes it. */
type Json = string
type Ids = Record<'act' | 'ntb', string[]>

export const REPOSITORIES = 8
const document = openApiDocument('/api/v1')

export const PROTOTYPE_NAMES = '__proto__ constructor toString hasOwnProperty valueOf __defineGetter__'.split(
  ' ',
)
const ODD_CHARACTERS = [
  ...['\0', '\ud800', '\udfff', '\u202e', '\u200b', '\u2028', '\ufeff', '\uffff', '\r\n', '\x7f'],
  ...['e\u0301', '👩‍👩‍👧', '\\', '"', "'", ';--', '%00', '$(x)'],
]
const oddText = textOf(fc.oneof(fc.constantFrom(...ODD_CHARACTERS), fc.string({ unit: 'binary' })), 6)
const glob = textOf(fc.constantFrom(...'src a * ** ? [a-z] [!b] {a,b} / / / .. \\ [ { ! é'.split(' ')), 12)

function textOf(part: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> {
  return fc.array(part, { minLength: 1, maxLength }).map((parts) => parts.join(''))
}

const smallJson: fc.Arbitrary<Json> = fc.oneof(
  fc.json({ maxDepth: 3 }),
  oddText.map((text) => JSON.stringify(text)),
  fc.constantFrom(
    ...`1e400 -1e400 -0 1e-400 0.1e1 12345678901234567890 NaN Infinity undefined 01 'x' "\\ud800" "\\u0000" "\\q" {} []
    null true ""`.split(/\s+/),
  ),
)
const largeJson: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(40, 10_000).map((depth) => `${'['.repeat(depth)}1${']'.repeat(depth)}`),
  fc.constantFrom(40, 10_000).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.constantFrom(100_000, 1_048_576).map((size) => `"${'x'.repeat(size)}"`),
  fc.constantFrom('1', '"a"', '"*"', '{}').map((item) => `[${Array(100_000).fill(item).join()}]`),
)
/** JSON of any kind and size, including what JavaScript does not write: numbers out of range, lone surrogates, deep nesting. */
export const oddJson = mostly(smallJson, largeJson, 4)

/** Values of fields with rules beyond their schemas, valid and not. */
const WORDS = new Map(
  Object.entries({
    branch: 'main retries feature/a é a..b refs/heads/x @',
    base_branch: 'main retries feature/b - a.lock',
    pr_url: `https://github.com/acme/r0/pull/7 https://github.com/acme/r1/pull/0 http://localhost/acme/r0/pull/7
      https://github.com@169.254.169.254/acme/r0/pull/7 javascript:alert(1)`,
    decision_url: 'https://example.com/adr/7 https:// file:///etc/passwd https://[::1 https://a@b:c',
    applies_until: `2030-01-31T09:30:00Z 9999-12-31T23:59:59-23:59 0000-01-01T00:00:00Z 2030-02-30T00:00:00Z
      2030-01-31T09:30:00 +275760-09-13T00:00:00Z`,
    supersedes: 'ntb_01h455vb4pex5vsknk084sn02q act_01h455vb4pex5vsknk084sn02q __proto__',
    cursor: 'null [] eyJpZCI6MX0 e30 AAAA',
  }).map(([name, words]): [string, string[]] => [name, words.split(/\s+/)]),
)
const DESCRIPTION = JSON.stringify(document)
/** The document lists the values of some fields. */
for (const [, name = '', values = ''] of DESCRIPTION.matchAll(/"(\w+)":\{[^{}]*"enum":(\[.*?\])/g))
  WORDS.set(name, JSON.parse(values))
/** The lengths and numbers at each bound in the document, just within and just beyond. */
const BOUNDS = [...new Set(DESCRIPTION.match(/"m(?:in|ax)[A-Z]?\w+":\d{1,6}\b/g))].flatMap((text) =>
  [-1, 0, 1].map((by) => Math.abs(Number(text.split(':')[1]) + by)),
)

/** A value of a field, valid or not. */
function fieldJson(name: string): fc.Arbitrary<Json> {
  const word = fc.constantFrom(...(WORDS.get(name) ?? ['a']))
  const long = fc
    .tuple(fc.constantFrom('x', 'é', '🧾'), fc.constantFrom(...BOUNDS))
    .map(([character, length]) => character.repeat(length))
  return fc.oneof(
    fc.oneof(word, glob, long).map((text) => JSON.stringify(text)),
    word.map((text) => JSON.stringify([text])),
    fc.constantFrom('true', 'false', ...BOUNDS.map(String)),
    oddJson,
  )
}

/** The keys that lead to each value in an example, itself included. */
function placesIn(value: unknown): string[][] {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return [[], ...members.flatMap(([key, each]) => placesIn(each).map((place) => [key, ...place]))]
}

/** The JSON of a value with another one at a place. An empty one removes its member. */
function changed(value: unknown, [first, ...rest]: string[], json: Json): Json {
  if (first === undefined) return json
  const members = Object.entries(value as object).flatMap(([key, each]) => {
    const text = key === first ? changed(each, rest, json) : JSON.stringify(each)
    if (text === '') return []
    return Array.isArray(value) ? text : `${JSON.stringify(key)}:${text}`
  })
  return Array.isArray(value) ? `[${members}]` : `{${members}}`
}

/** The JSON of an example with at most one defect, or with a member more. */
export function brokenObject(example: object): fc.Arbitrary<Json> {
  const intact = JSON.stringify(example)
  const place = fc.constantFrom(...placesIn(example))
  const known = fc.constantFrom(...Object.keys(example))
  const name = mostly(known, fc.oneof(fc.constantFrom(...PROTOTYPE_NAMES, 'titel', 'path', ''), oddText), 3)
  return fc.oneof(
    fc.constant(intact),
    place.chain((at) => {
      const field = at.findLast((key) => !/^\d+$/.test(key)) ?? ''
      return mostly(fieldJson(field), fc.constant('')).map((json) => changed(example, at, json))
    }),
    name.chain((key) =>
      fieldJson(key).map((json) => `${intact.slice(0, -1)},${JSON.stringify(key)}:${json}}`),
    ),
  )
}

/** The bytes of a text, intact or damaged. */
export function brokenBytes(text: string): fc.Arbitrary<Uint8Array> {
  const bytes = Buffer.from(text)
  const place = fc.oneof(fc.constantFrom(0, bytes.length), fc.nat({ max: bytes.length }))
  const odd = fc.constantFrom('\ufeff', ' \t\r\n', 'x', '//', '\0').map((some) => Buffer.from(some))
  const damaged = fc
    .tuple(place, fc.oneof(fc.uint8Array({ maxLength: 64 }), odd), place)
    .map(([from, some, to]) => Buffer.concat([bytes.subarray(0, from), some, bytes.subarray(to)]))
  return mostly(fc.constant(bytes), damaged, 3).map((made) => new Uint8Array(made))
}

/** Any request of any operation. `ids` returns the ids of existing records by kind and is called for each request. */
export function requests(ids: () => Ids): fc.Arbitrary<FuzzRequest> {
  const each = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      requestsOf(path, method, operation as Operation, ids),
    ),
  )
  return fc.oneof(...each)
}

function requestsOf(
  path: string,
  method: string,
  { parameters = [], requestBody }: Operation,
  ids: () => Ids,
): fc.Arbitrary<FuzzRequest> {
  const { schema } = requestBody?.content['application/json'] ?? {}
  const json = schema ? brokenObject(exampleOf(schema) as object) : fc.constant('')
  const names = parameters.flatMap(({ in: place, name }) => (place === 'query' ? [name] : []))
  return fc
    .record({ address: addressOf(path, ids), query: queryOf(names), body: json.chain(brokenBytes) })
    .map(({ address, query, body }) => ({
      method: method.toUpperCase(),
      target: `/api/v1${address}${query}`,
      body: method === 'get' ? new Uint8Array() : body,
    }))
}

function mostly<Value>(
  usual: fc.Arbitrary<Value>,
  others: fc.Arbitrary<Value>,
  weight = 9,
): fc.Arbitrary<Value> {
  return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: others })
}

function addressOf(path: string, ids: () => Ids): fc.Arbitrary<string> {
  return fc
    .record({
      number: fc.nat({ max: REPOSITORIES - 1 }),
      pick: fc.nat(),
      odd: mostly(fc.constant(null), fc.constantFrom(...PROTOTYPE_NAMES)),
    })
    .map(({ number, pick, odd }) => {
      const known = ids()[path.includes('notables') ? 'ntb' : 'act']
      return path
        .replace('{owner}', 'acme')
        .replace('{repo}', `r${number}`)
        .replace('{number}', odd ?? `${number}`)
        .replace('{id}', odd ?? known[pick % known.length] ?? 'none')
    })
}

function queryOf(names: string[]): fc.Arbitrary<string> {
  const odd = 'a=%zz = &&& limit=1&limit=2 limit limit=1e2 cursor=%00 __proto__=1 status[]=active ?'.split(
    ' ',
  )
  const pairs = names.map((name) =>
    fieldJson(name).map((json) => `${name}=${encode(json.replaceAll(/^"|"$/g, '').slice(0, 3000))}`),
  )
  return fc
    .array(fc.oneof(...pairs, fc.constantFrom(...odd)), { maxLength: 3 })
    .map((parts) => (parts.length === 0 ? '' : `?${parts.join('&')}`))
}

/** `encodeURIComponent` throws for a lone surrogate; its bytes can be encoded. */
function encode(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}
