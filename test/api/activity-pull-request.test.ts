/** `pr_url` must be a pull request of this repository; `test/rules/record-fields.test.ts` has every form. */
import { expect, test } from 'vitest'
import { startTestService, type TestService, useService } from '../support/service.ts'

const { github, service } = useService({ repositories: ['acme/shop', 'acme/till'] })

const activityBody = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }
const create = (pr_url: string, repo = 'acme/shop', at: Pick<TestService, 'api'> = service) =>
  at.api('POST', `/api/v1/repos/${repo}/activity`, { body: { ...activityBody, pr_url } })

async function update(pr_url: string) {
  const { activity } = (await service.api('POST', '/activity', { body: activityBody })).body
  return service.api('PATCH', `/activity/${activity.id}`, { body: { pr_url } })
}

const REFUSED = {
  status: 422,
  body: {
    error: {
      type: 'validation_error',
      param: 'pr_url',
      message: expect.stringContaining('https://github.com/acme/shop/pull/'),
    },
  },
}

test('a pull request of this repository is stored, by a create and by an update', async () => {
  const pr_url = 'https://github.com/ACME/Shop/pull/7'
  expect((await create(pr_url)).body.activity).toMatchObject({ pr_url })
  expect((await update(pr_url)).body).toMatchObject({ pr_url })
})

test('one of another repository is refused with the accepted format, though the caller may write there', async () => {
  const pr_url = 'https://github.com/acme/till/pull/7'
  expect(await create(pr_url)).toMatchObject(REFUSED)
  expect(await update(pr_url)).toMatchObject(REFUSED)
})

test('a renamed repository accepts its new name and the name of the request', async () => {
  github.repository({ id: 9, full_name: 'acme/before' })
  github.token('ben', { login: 'ben', id: 2, permissions: { 'acme/before': 'write' } })
  const askBen = (repo: string, name: string) =>
    service.api('POST', `/api/v1/repos/${repo}/activity`, {
      token: 'ben',
      body: { ...activityBody, pr_url: `https://github.com/${name}/pull/7` },
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
  const elsewhere = await startTestService({ token: 'ada', config: { github_web_url } })
  const createWith = (pr_url: string) => create(pr_url, 'acme/shop', elsewhere)
  expect((await createWith(`${github_web_url}/acme/shop/pull/7`)).status).toBe(201)
  expect((await createWith('https://github.com/acme/shop/pull/7')).status).toBe(422)
  await elsewhere.close()
})
