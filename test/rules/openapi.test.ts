/** The OpenAPI document describes the whole interface in a form that tools can read, with a valid example of everything. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/server/doors/http/openapi.ts'
import { OPERATIONS } from '../../src/vocabulary/contract/contract.ts'
import { ROUTES } from '../support/routes.ts'

interface Schema {
  $ref?: string
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
}
interface Content {
  'application/json': { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
}
interface Described {
  operationId: string
  description: string
  parameters?: { name: string; in: string; description?: string; schema: Schema }[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content: Content }>
}

const document = openApiDocument('/api/v1') as unknown as {
  openapi: string
  servers: { url: string }[]
  security: object[]
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, object> }
}
const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)

const nameIn = (schema: Schema) => schema.$ref?.split('/').at(-1) ?? ''
const isDescribed = (schema: Schema): boolean =>
  Boolean(schema.description) ||
  Boolean(document.components.schemas[nameIn(schema)]?.description) ||
  (schema.anyOf ?? []).some(isDescribed)

/** The paths of properties without a description, at any depth of `schema`. */
function undescribed(at: string, schema: Schema): string[] {
  const inner = [
    ...(schema.items ? [schema.items] : []),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
    ...(schema.anyOf ?? []),
  ]
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
      ...(isDescribed(property) ? [] : [`${at}.${name}`]),
      ...undescribed(`${at}.${name}`, property),
    ]),
    ...inner.flatMap((each) => undescribed(at, each)),
  ]
}

/** The responses with a body. */
function answersOf({ responses }: Described) {
  return Object.entries(responses).filter(([status]) => status !== '304')
}

const validators = new Map<string, ReturnType<typeof ajv.compile>>()

/** Compiled once: most responses have the schema of errors. */
function validatorOf(schema: Schema) {
  const key = JSON.stringify(schema)
  const known = validators.get(key) ?? ajv.compile({ ...schema, components: document.components })
  validators.set(key, known)
  return known
}

/** The problems of the examples of a content. Having no example is a problem too. */
function faultsOf({ 'application/json': { schema, example, examples = {} } }: Content): unknown {
  const all = [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples).map(({ value }) => value),
  ]
  if (all.length === 0) return 'no example'
  const validate = validatorOf(schema)
  const faults = all.filter((each) => !validate(each))
  return faults.length === 0 ? null : faults
}

test('every property of every schema has a description', () => {
  const named = Object.entries(document.components.schemas)
  expect(named.length).toBeGreaterThan(20)
  expect(named.flatMap(([name, schema]) => undescribed(name, schema))).toEqual([])
})

describe.each(operations)('$operationId', (operation) => {
  test('describes every parameter', () => {
    const { operationId, parameters = [] } = operation
    if (operationId !== 'listRepositories') expect(parameters.length).toBeGreaterThan(1)
    const mute = parameters.filter((each) => !each.description && !isDescribed(each.schema))
    expect(mute.map(({ name }) => name)).toEqual([])
  })

  test('has a valid example of the request, if it has a body', () => {
    const { content } = operation.requestBody ?? {}
    if (content) {
      const { schema, example } = content['application/json']
      expect(faultsOf(content)).toBeNull()
      expect(validatorOf(schema)({ ...(example as object), colour: 'red' })).toBe(false)
    } else expect(OPERATIONS[operation.operationId as keyof typeof OPERATIONS].method).not.toBe('PATCH')
  })

  test('has a valid example of each response', () => {
    const faults = answersOf(operation).map(([status, { content }]) => [status, faultsOf(content)])
    expect(faults).toEqual(answersOf(operation).map(([status]) => [status, null]))
  })
})

test('the example of a request is accepted by the contract', () => {
  for (const { operationId, requestBody } of operations) {
    const example = requestBody?.content['application/json'].example
    if (example === undefined) continue
    const parsed = OPERATIONS[operationId as keyof typeof OPERATIONS].input.safeParse(example)
    // `applies_until` must be in the future, and that of an example will have passed some day.
    const issues = parsed.error?.issues.filter(({ path }) => path[0] !== 'applies_until') ?? []
    expect(issues, operationId).toEqual([])
  }
})

const BASE = '/repos/{owner}/{repo}'

const operation = (name: string) => operations.find(({ operationId }) => operationId === name) as Described
const errorsOf = (name: string) =>
  Object.keys(operation(name).responses)
    .map(Number)
    .filter((status) => status >= 400)
const parametersOf = (name: string, place: string) =>
  (operation(name).parameters ?? []).filter((each) => each.in === place).map((each) => each.name)

test('it is OpenAPI 3.1 with the servers and the authentication', () => {
  expect(document.openapi).toMatch(/^3\.1\./)
  expect(document.servers).toEqual([{ url: '/api/v1' }])
  expect(document.security).toEqual([{ github: [] }])
  expect(document.components.securitySchemes.github).toMatchObject({ type: 'http', scheme: 'bearer' })
})

test('it has exactly the operations of the contract', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`,
    ),
  )
  expect(described.sort()).toEqual(
    [
      'listRepositories GET /repos',
      ...ROUTES.map(({ name, method, path }) => `${name} ${method} ${BASE}${path}`),
    ].sort(),
  )
})

test('every reference resolves, and every schema is used', () => {
  const text = JSON.stringify(document)
  const referred = new Set(
    [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name),
  )
  expect([...referred].sort()).toEqual(Object.keys(document.components.schemas).sort())
})

describe.each(ROUTES)('$method $path', ({ name, path, method, record, success, repeated, untracked }) => {
  test('lists each error that it can return', () => {
    const expected = new Set([400, 401, 408, 422, 429, 431, 500, 503])
    if (record || untracked || path.includes('{number}')) expected.add(404)
    if (name !== 'listRepositories') expected.add(403)
    if (method !== 'GET') expected.add(413)
    if (/^(create|update|heartbeat|reserve)/.test(name)) expected.add(409)
    expect(errorsOf(name).sort()).toEqual([...expected].sort())
    for (const status of errorsOf(name)) {
      const { content } = operation(name).responses[status] ?? {}
      expect(content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' })
    }
  })

  test('has its successful responses', () => {
    const successes = Object.keys(operation(name).responses).filter((status) => Number(status) < 400)
    const { is_conditional } = OPERATIONS[name as keyof typeof OPERATIONS]
    const expected = [repeated, success, is_conditional && 304].filter(Boolean)
    expect(successes).toEqual(expected.map(String))
  })
})

test('only creates take an Idempotency-Key', () => {
  const takers = ROUTES.filter(({ name }) => parametersOf(name, 'header').includes('Idempotency-Key'))
  expect(takers.map(({ name }) => name)).toEqual(['createActivity', 'createNotable'])
})

test('the document of the other base path differs only in its server', () => {
  expect({ ...openApiDocument('/v1'), servers: [{ url: '/api/v1' }] }).toEqual(document)
})
