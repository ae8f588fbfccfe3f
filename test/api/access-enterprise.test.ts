/** A GitHub Enterprise Server, and the responses that grant write access. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../src/server/base/config.ts'
import { ACTIVITY, outcome } from '../support/routes.ts'
import { startTestService, type TestService } from '../support/service.ts'

/** The server's responses for every repository and every user. */
let permissions: Record<string, boolean> | undefined
let asked: { url: string | undefined; authorization: string | undefined }[] = []
const server = createServer(({ url, headers: { authorization } }, res) => {
  asked.push({ url, authorization })
  res.setHeader('content-type', 'application/json')
  res.end(JSON.stringify({ id: 7, login: 'ada', name: 'shop', owner: { login: 'acme' }, permissions }))
})
let host: string
let service: TestService

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const api = readConfig({ GITHUB_API_URL: `${host}/api/v3/` })
  service = await startTestService({
    token: 'ada',
    config: { github_api_url: api.github_api_url, github_web_url: api.github_web_url },
  })
})
beforeEach(() => {
  permissions = { push: true }
  asked = []
  service.clock.advance(60_001)
})
afterAll(async () => {
  await service.close()
  server.close()
})

test('the service calls its API root with the unchanged token', async () => {
  await service.api('GET', '/activity')
  expect(asked).toEqual([{ url: '/api/v3/repos/acme/shop', authorization: 'Bearer ada' }])
})

test('pull request URLs have its host', async () => {
  const pr_url = `${host}/acme/shop/pull/3`
  const created = await service.api('POST', '/activity', { body: { ...ACTIVITY, pr_url } })
  expect(created.body.activity.pr_url).toBe(pr_url)
  const elsewhere = { ...ACTIVITY, pr_url: 'https://github.com/acme/shop/pull/3' }
  expect(outcome(await service.api('POST', '/activity', { body: elsewhere }))).toBe('422 validation_error')
})

test.each([
  ['push alone', { push: true, maintain: false, admin: false }, 201],
  ['maintain alone', { push: false, maintain: true, admin: false }, 201],
  ['admin alone', { push: false, maintain: false, admin: true }, 201],
  ['pull and triage', { pull: true, triage: true }, 403],
  ['no permissions at all', undefined, 403],
])('the service decides about write access with %s', async (_, given, status) => {
  permissions = given
  expect((await service.api('POST', '/activity', { body: ACTIVITY })).status).toBe(status)
  expect((await service.api('GET', '/activity')).status).toBe(200)
})
