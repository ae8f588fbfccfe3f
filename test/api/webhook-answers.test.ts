/** When the answer to a create or a check counts as shown, and that recording it neither delays nor fails the answer. */
import { describe, expect, test } from 'vitest'
import { lockName } from '../../src/server/platform/db/database.ts'
import { watchStatements } from '../support/held-statements.ts'
import { editOfPay } from '../support/lines.ts'
import { scrape } from '../support/metrics.ts'
import { usePullRequests } from '../support/pull-request-service.ts'

const { service, github, repository } = usePullRequests()

const pair = async () => {
  await service.app.background.idle()
  return (await repository.pairs())[0]
}
const edit = (at: number, line: string) => editOfPay(at, [line])
const body = (branch: string) => ({
  title: 'Retry payments',
  summary: 'Retries twice.',
  actor: 'Ada',
  branch,
  scope: { changes: [{ path: 'src/pay.ts', patch: edit(41, 'declared()').patch }] },
})

let users = 100
/** A token of the user `login` with this permission. */
const tokenOf = (login: string, permission: 'read' | 'write') => {
  users += 1
  github.token(`${login}-${users}`, { login, id: users, permissions: { [repository.full_name]: permission } })
  return `${login}-${users}`
}

/** Two pull requests on the same lines: the comment stands on the second, the first was not shown the pair. */
async function conflicting() {
  await repository.openBranch('retries', edit(40, 'retry()'))
  await repository.advance(1000)
  await repository.openBranch('tidy', edit(41, 'tidy()'))
  expect(await pair()).toMatchObject({ a_shown_at: null, b_shown_at: expect.any(Date) })
}

test.each([
  ['a check by its author', '/activity/check', 'Author-of-retries', 'write', expect.any(Date)],
  ['a check by another writer', '/activity/check', 'ben', 'write', null],
  ['a check by its author, who may only read', '/activity/check', 'author-of-retries', 'read', null],
  ['a create by its author', '/activity', 'author-of-retries', 'write', expect.any(Date)],
  ['a create by another writer', '/activity', 'ben', 'write', null],
] as const)('%s shows the pair of a pull request or not', async (_, path, login, permission, a_shown_at) => {
  await conflicting()
  const isCheck = path === '/activity/check'
  const { status } = await repository.request('POST', path, {
    body: isCheck ? { branch: 'retries' } : body('retries'),
    token: tokenOf(login, permission),
  })
  expect(status).toBe(isCheck ? 200 : 201)
  expect(await pair()).toMatchObject({ a_shown_at })
})

describe('a check', () => {
  const check = (branch: string, token: string) =>
    repository.request('POST', '/activity/check', { body: { branch }, token })

  test.each([
    ['its author', 'ada', {}, expect.any(Date)],
    ['its author, who named paths only', 'ada', { scope: { paths: ['src/pay.ts'] } }, expect.any(Date)],
    ['somebody else', 'ben', {}, null],
  ])('of a declared branch by %s', async (_, login, changes, shown_at) => {
    await repository.createActivity({ ...body('agent'), ...changes })
    await repository.openBranch('retries', edit(40, 'retry()'))
    expect(await pair()).toMatchObject({ b: 'branch:agent', b_shown_at: null })
    await check('agent', tokenOf(login, 'write'))
    expect(await pair()).toMatchObject({ b_shown_at: shown_at })
  })

  test('does not wait for the login of the caller', async () => {
    await conflicting()
    const token = tokenOf('author-of-retries', 'write')
    await repository.request('GET', '/settings', { token })
    github.fault('GET /user', 'unavailable', 1)
    expect((await check('retries', token)).status).toBe(200)
    expect(await pair()).toMatchObject({ a_shown_at: null })
  })
})

describe('a create', () => {
  test('is answered while the ledger is locked, and recorded when it is not', async () => {
    await repository.openBranch('retries', edit(40, 'retry()'))
    const answered = await service.db.transaction(async (tx) => {
      await lockName(tx, ['pairs', repository.id])
      const { status } = await repository.request('POST', '/activity', { body: body('agent') })
      return { status, stored: await repository.pairs() }
    })
    expect(answered).toEqual({ status: 201, stored: [] })
    expect(await pair()).toMatchObject({ b: 'branch:agent', b_shown_at: expect.any(Date) })
  })

  test('is 201 although recording fails, which is counted and logged', async () => {
    await repository.openBranch('retries', edit(40, 'retry()'))
    const failed = async () =>
      (await scrape(service.url)).value('deconflict_background_total{outcome="failed"}') ?? 0
    const before = await failed()
    const stop = watchStatements(async (text) => {
      if (text.includes('insert into "pairs"')) throw Object.assign(new Error('lost'), { code: '57P01' })
    })
    try {
      const { status } = await repository.request('POST', '/activity', { body: body('agent') })
      expect(status).toBe(201)
      await service.app.background.idle()
    } finally {
      stop()
    }
    expect((await failed()) - before).toBe(1)
  })
})
