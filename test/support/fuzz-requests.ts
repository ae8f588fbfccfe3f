/** Valid and invalid requests of every operation in the OpenAPI document, for fuzzing. */
import fc from 'fast-check'
import { openApiDocument } from '../../src/server/surfaces/http/openapi.ts'
import { brokenBytes, brokenObject, oddJson, PROTOTYPE_NAMES, type Schema, valuesOf } from './fuzz-values.ts'

export interface FuzzRequest {
  method: string
  /** As in the request line, query included. */
  target: string
  /** Whether the document describes the path, whatever its ids and names are. */
  isDescribed: boolean
  headers: [name: string, value: string][]
  body: Uint8Array
}

interface Parameter {
  in: string
  name: string
  schema: Schema
}

interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

export const REPOSITORIES = 8
const BASES = ['/api/v1', '/v1']
const document = openApiDocument('/api/v1')

/** Any request of any operation. `ids` returns the ids of existing records by kind and is called for each request. */
export function requests(ids: () => Record<'act' | 'ntb', string[]>): fc.Arbitrary<FuzzRequest> {
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
  operation: Operation,
  ids: () => Record<'act' | 'ntb', string[]>,
): fc.Arbitrary<FuzzRequest> {
  const schema = operation.requestBody?.content['application/json']?.schema
  const queries = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query')
  return fc
    .record({
      method: mostly(
        method.toUpperCase(),
        fc.constantFrom('PUT', 'DELETE', 'OPTIONS', 'TRACE', 'HEAD', 'PROPFIND', 'POST'),
      ),
      address: addressOf(path, ids),
      query: queryOf(queries),
      headers: HEADERS,
      body: schema
        ? bodyOf(schema)
        : fc.oneof(
            fc.constant(new Uint8Array()),
            oddJson.map((json) => new Uint8Array(Buffer.from(json))),
          ),
    })
    .map(({ method, address, query, headers, body }) => ({
      method,
      target: address.target + query,
      isDescribed: address.isDescribed,
      headers,
      body: method === 'TRACE' ? new Uint8Array() : body,
    }))
}

function mostly<Value>(value: Value, others: fc.Arbitrary<Value>, weight = 9): fc.Arbitrary<Value> {
  return fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: others })
}

const ODD_SEGMENTS = [
  ...PROTOTYPE_NAMES,
  ...".. . %2e%2e %00 %ff %zz % a%2fb caf%C3%A9 act_ check 1'%20or%20'1'='1".split(' '),
  `act_${'z'.repeat(26)}`,
  'x'.repeat(5000),
]
const ODD_ENDS = ['/', '//', '/..', '/%2e%2e/settings', '/%00', ';a=b', '/check/check', '#x', '\\']

function addressOf(path: string, ids: () => Record<'act' | 'ntb', string[]>) {
  const segment = fc.oneof(
    fc.constantFrom(...ODD_SEGMENTS),
    fc.webPath({ size: 'xsmall' }).map((text) => text.slice(1) || 'x'),
  )
  return fc
    .record({
      base: fc.constantFrom(...BASES),
      repo: mostly<string | null>(null, segment, 19),
      number: fc.nat({ max: REPOSITORIES - 1 }),
      pick: fc.nat(),
      id: mostly<string | null>(null, segment),
      end: mostly('', fc.constantFrom(...ODD_ENDS), 19),
    })
    .map(({ base, repo, number, pick, id, end }) => {
      const known = ids()[path.includes('notables') ? 'ntb' : 'act']
      const target = path
        .replace('{owner}', 'acme')
        .replace('{repo}', repo ?? `r${number}`)
        .replace('{id}', id ?? known[pick % known.length] ?? 'none')
      const isDescribed =
        end === '' && [repo, id].every((each) => each === null || /^[\w-]+$/.test(each)) && id !== 'check'
      return { target: base + target + end, isDescribed }
    })
}

function queryOf(parameters: Parameter[]): fc.Arbitrary<string> {
  const pairs = parameters.map(({ name, schema }) =>
    valuesOf(document, schema, name).map((value) => `${name}=${encode(String(value))}`),
  )
  const odd = fc.oneof(
    fc.constantFrom(
      ...'a=%zz = &&& limit=1&limit=2 limit limit=1e2 cursor=%00 __proto__=1 status[]=active ?'.split(' '),
      'a'.repeat(3000),
    ),
    fc.webQueryParameters({ size: 'xsmall' }),
  )
  const sound = pairs.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...pairs), { maxLength: 3 })
  return fc
    .tuple(sound, mostly<string | null>(null, odd))
    .map(([some, more]) => (more === null ? some : [...some, more]).join('&'))
    .map((query) => (query === '' ? '' : `?${query}`))
}

/** `encodeURIComponent` throws for a lone surrogate; its bytes can be encoded. */
function encode(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

function bodyOf(schema: Schema): fc.Arbitrary<Uint8Array> {
  const object = valuesOf(document, schema).chain((valid) => brokenObject(valid as Record<string, unknown>))
  return fc.oneof({ weight: 19, arbitrary: object }, { weight: 1, arbitrary: oddJson }).chain(brokenBytes)
}

const anyHeader = fc.oneof(
  fc.constantFrom<[string, string]>(
    ['Content-Type', 'text/xml'],
    ['Content-Type', 'application/json; charset=utf-16'],
    ['Content-Encoding', 'gzip'],
    ['Content-Encoding', 'identity'],
    ['Idempotency-Key', ''],
    ['Idempotency-Key', 'k'.repeat(256)],
    ['Idempotency-Key', 'caf\xe9'],
    ['Idempotency-Key', '__proto__'],
    ['If-None-Match', '*'],
    ['Range', 'bytes=0-1'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Forwarded-For', '1.2.3.4, <script>'],
    ['X-Request-Id', '../../etc/passwd'],
    ['Accept', 'text/html'],
    ['Expect', 'the-moon'],
    ['Upgrade', 'websocket'],
    ['Origin', 'null'],
    ['Cookie', 'a=b'],
  ),
  fc.tuple(
    fc.constantFrom('Idempotency-Key', 'Accept', 'X-Odd'),
    fc.string({ maxLength: 20 }).map(printable),
  ),
)
const authorization = mostly<string | null>(
  'Bearer ada',
  fc.oneof(
    fc.constantFrom(
      ...[
        null,
        '',
        'Bearer',
        'Bearer ',
        'bearer  ada ',
        'Basic YTpi',
        'Bearer rita',
        'Bearer nobody',
        'Bearer a b',
      ],
      `Bearer ${'x'.repeat(3000)}`,
    ),
    fc.string({ maxLength: 20 }).map((text) => `Bearer ${printable(text)}`),
  ),
)
const HEADERS: fc.Arbitrary<[string, string][]> = fc
  .tuple(authorization, mostly([], fc.array(anyHeader, { maxLength: 4 }), 3))
  .map(([value, others]) => (value === null ? others : [['Authorization', value], ...others]))

function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what no header can hold, the tests of broken HTTP send
  return text.replaceAll(/[\x00-\x1f\x7f]|[^\x00-\xff]/g, '?')
}

/** The request as bytes, for a keep-alive connection. */
export function bytesOf({ method, target, headers, body }: FuzzRequest): Uint8Array {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: x',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body.length > 0 ? [`Content-Length: ${body.length}`] : []),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}
