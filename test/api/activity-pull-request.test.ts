/** `pr_url` must be a pull request of this repository. */
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

test.each([
  ['https://github.com/acme/shop/pull/7', 'as GitHub writes it'],
  ['https://github.com/ACME/Shop/pull/7', 'with another case of owner and repository'],
  ['https://GitHub.com/acme/shop/pull/7', 'with another case of the host'],
  ['https://github.com/acme/shop/pull/2147483647', 'with a number that is large'],
])('a create accepts and stores %s: %s', async (pr_url) => {
  expect((await create(pr_url)).body.activity).toMatchObject({ pr_url })
  expect((await update(pr_url)).body).toMatchObject({ pr_url })
})

test.each([
  ['https://github.com/acme/till/pull/7', 'another repository, though the caller may write there'],
  ['https://github.com/other/shop/pull/7', 'another owner'],
  ['https://github.com/acme/shop2/pull/7', 'a name that only begins like this one'],
  ['https://gitlab.com/acme/shop/pull/7', 'another host'],
  ['https://github.com.evil.example/acme/shop/pull/7', 'a host that only begins like GitHub’s'],
  ['https://evil.example/https://github.com/acme/shop/pull/7', 'the address within another'],
  ['https://ada@github.com/acme/shop/pull/7', 'a user in it'],
  ['https://github.com@169.254.169.254/acme/shop/pull/7', 'another host behind a user'],
  ['javascript:alert(1)', 'a script'],
  ['https://github.com:443/acme/shop/pull/7', 'a port in it'],
  ['http://github.com/acme/shop/pull/7', 'not https'],
  ['github.com/acme/shop/pull/7', 'no scheme'],
  ['https://github.com/acme/shop/pull/7/files', 'a page below it'],
  ['https://github.com/acme/shop/pull/7/', 'a slash at its end'],
  ['https://github.com/acme/shop/pull/7?w=1', 'a query'],
  ['https://github.com/acme/shop/pull/7#discussion', 'a fragment'],
  [' https://github.com/acme/shop/pull/7', 'a blank before it'],
  ['https://github.com/acme/shop/pull/7\n', 'a line break after it'],
  ['https://github.com/acme/shop/issues/7', 'an issue'],
  ['https://github.com/acme/shop/pulls', 'the list'],
  ['https://github.com/acme/shop/pull/', 'no number'],
  ['https://github.com/acme/shop/pull/0', 'the number 0'],
  ['https://github.com/acme/shop/pull/07', 'a number with a leading 0'],
  ['https://github.com/acme/shop/pull/-7', 'a negative number'],
  ['https://github.com/acme/shop/pull/7.0', 'a fraction'],
  ['https://github.com/acme/shop/pull/٧', 'a number in other digits'],
  ['https://github.com/acme/shop/pull/2147483648', 'a number that no pull request has'],
  ['https://github.com/acme/../acme/shop/pull/7', 'a way round'],
  ['', 'nothing'],
  ['https://github.com/acme/shop/pull/7'.padEnd(2049, '0'), 'more than 2,048 characters'],
])('a create rejects %s', async (pr_url) => {
  const refused = { status: 422, body: { error: { type: 'validation_error', param: 'pr_url' } } }
  expect(await create(pr_url)).toMatchObject(refused)
  expect(await update(pr_url)).toMatchObject(refused)
})

test('the error names the accepted URL format', async () => {
  const { error } = (await create('https://github.com/acme/till/pull/7')).body
  expect(error.message).toContain('https://github.com/acme/shop/pull/')
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

test.each(['https://code.example', 'http://127.0.0.1:4010'])(
  'a create accepts the host of GITHUB_WEB_URL: %s',
  async (github_web_url) => {
    const elsewhere = await startTestService({ token: 'ada', config: { github_web_url } })
    const createWith = (pr_url: string) => create(pr_url, 'acme/shop', elsewhere)
    expect((await createWith(`${github_web_url}/acme/shop/pull/7`)).status).toBe(201)
    expect((await createWith('https://github.com/acme/shop/pull/7')).status).toBe(422)
    await elsewhere.close()
  },
)
