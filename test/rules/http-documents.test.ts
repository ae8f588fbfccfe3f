/** The OpenAPI document describes the whole interface in a form that tools can read. */
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/server/doors/http/openapi.ts'
import { OPERATIONS } from '../../src/vocabulary/contract/contract.ts'
import { ROUTES } from '../support/routes.ts'

interface Described {
  operationId: string
  summary: string
  description: string
  parameters?: { name: string; in: string; required?: boolean; schema: object }[]
  requestBody?: { required?: boolean; content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>
}
interface Document {
  openapi: string
  servers: { url: string }[]
  security: object[]
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> }
}

const document = openApiDocument('/api/v1') as unknown as Document
const BASE = '/repos/{owner}/{repo}'

function operation(name: string): Described {
  const route = ROUTES.find((each) => each.name === name)
  return document.paths[`${BASE}${route?.path}`]?.[route?.method.toLowerCase() ?? ''] as Described
}
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
