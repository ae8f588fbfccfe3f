/** The OpenAPI document describes the whole interface in a form that tools can read, with valid examples of fields and errors. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/server/doors/http/openapi.ts'
import { OPERATIONS } from '../../src/vocabulary/contract/contract.ts'
import { exampleOf, resolved, type Schema } from '../support/openapi.ts'
import { ROUTES } from '../support/routes.ts'

interface Content {
  'application/json': { schema: Schema; examples?: Record<string, { value: unknown }> }
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

const isDescribed = (schema: Schema): boolean =>
  Boolean(schema.description) ||
  Boolean(resolved(schema).description) ||
  (schema.anyOf ?? []).some(isDescribed)

/** The properties at any depth of a schema, by their paths. */
function propertiesOf(at: string, schema: Schema): [path: string, property: Schema][] {
  const inner = [
    ...(schema.items ? [schema.items] : []),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
    ...(schema.anyOf ?? []),
  ]
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
      [`${at}.${name}`, property] as [string, Schema],
      ...propertiesOf(`${at}.${name}`, property),
    ]),
    ...inner.flatMap((each) => propertiesOf(at, each)),
  ]
}

const properties = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
  propertiesOf(name, schema),
)

/** The examples that do not match their schema. */
function faultsOf(schema: Schema, examples: unknown[]): unknown[] {
  const validate = ajv.compile({ ...schema, components: document.components })
  return examples.filter((each) => !validate(each))
}

test('every property of every schema has a description', () => {
  expect(properties.length).toBeGreaterThan(200)
  expect(properties.filter(([, each]) => !isDescribed(each)).map(([path]) => path)).toEqual([])
})

test('every example of a property is valid', () => {
  const shown = properties.filter(([, { examples }]) => examples)
  expect(shown.length).toBeGreaterThan(50)
  expect(shown.flatMap(([path, each]) => faultsOf(each, each.examples ?? []).map(() => path))).toEqual([])
})

test('every error has valid examples in each response', () => {
  const errors = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { content }]) => (Number(status) < 400 ? [] : [content])),
  )
  const given = errors.map(({ 'application/json': { examples = {} } }) => Object.values(examples))
  expect(given.filter((examples) => examples.length === 0)).toEqual([])
  const values = given.flat().map(({ value }) => value)
  expect(faultsOf({ $ref: '#/components/schemas/Error' }, values)).toEqual([])
})

describe.each(operations)('$operationId', (operation) => {
  test('describes every parameter', () => {
    const { operationId, parameters = [] } = operation
    if (operationId !== 'listRepositories') expect(parameters.length).toBeGreaterThan(1)
    const mute = parameters.filter((each) => !each.description && !isDescribed(each.schema))
    expect(mute.map(({ name }) => name)).toEqual([])
  })
})

test('the examples of the fields of a request make one that the contract accepts', () => {
  const bodies = operations.flatMap(({ operationId, requestBody }) =>
    requestBody ? [{ operationId, ...requestBody.content['application/json'] }] : [],
  )
  expect(bodies.length).toBeGreaterThan(4)
  for (const { operationId, schema } of bodies) {
    const example = exampleOf(schema) as object
    expect(faultsOf(schema, [{ ...example, colour: 'red' }]), operationId).toHaveLength(1)
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
