/** `pr_url` must be a pull request of this repository; `test/rules/record-fields.test.ts` has every form. */
import { expect, test } from 'vitest'
import { ACTIVITY } from '../support/routes.ts'
import { startTestService, useService } from '../support/service.ts'

const { github, service } = useService()

test('a renamed repository accepts its new name and the name of the request, and no other one where the caller may write', async () => {
  github.repository({ id: 9, full_name: 'acme/before' })
  const permissions = { 'acme/before': 'write', 'acme/shop': 'write' } as const
  github.token('ben', { login: 'ben', id: 2, permissions })
  const askBen = (repo: string, name: string) =>
    service.api('POST', `/api/v1/repos/${repo}/activity`, {
      token: 'ben',
      body: { ...ACTIVITY, pr_url: `https://github.com/${name}/pull/7` },
    })
  expect((await askBen('acme/before', 'acme/before')).status).toBe(201)
  github.rename('acme/before', 'acme/after')
  service.clock.advance(60_001)
  expect((await askBen('acme/after', 'acme/after')).status).toBe(201)
  expect((await askBen('acme/before', 'acme/after')).status).toBe(201)
  expect((await askBen('acme/before', 'acme/before')).status).toBe(201)
  expect((await askBen('acme/before', 'acme/shop')).status).toBe(422)
})

test('the host is that of GITHUB_WEB_URL', async () => {
  const github_web_url = 'http://127.0.0.1:4010'
  const { api, close } = await startTestService({ token: 'ada', config: { github_web_url } })
  const create = (pr_url: string) => api('POST', '/activity', { body: { ...ACTIVITY, pr_url } })
  expect((await create(`${github_web_url}/acme/shop/pull/7`)).status).toBe(201)
  expect((await create('https://github.com/acme/shop/pull/7')).status).toBe(422)
  await close()
})
