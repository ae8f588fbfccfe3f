/** Numbers and parents that two sides take (docs/contract/numbers.md). */
import { describe, expect, test } from 'vitest'
import type { PullFile } from '../support/github-state.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'

const { github, repository } = usePullRequests()

const open = (head: string, filename: string) => {
  const added: PullFile = { filename, status: 'added', patch: `@@ -0,0 +1 @@\n+-- ${filename}` }
  return repository.open({ head, title: head, files: [added] })
}
const CARTS = 'db/migrations/0042_carts.sql'
const ORDERS = 'db/migrations/0042_orders.sql'

test('of two pull requests with one number the later one is told the next, and after its merge the other one', async () => {
  await repository.writeFile('db/migrations/0057_users.sql', 'create table users ();')
  await open('far', 'db/migrations/0060_far.sql')
  const carts = await open('carts', CARTS)
  const orders = await open('orders', ORDERS)
  const text = repository.comment(orders)
  expect(text).toContain('`0042` in `db/migrations` is taken by')
  // Free after all live work and the base branch.
  expect(text).toContain('(`0042_carts.sql`); the next free number is `0061`')
  expect(text).toContain('`git mv db/migrations/0042_orders.sql db/migrations/0061_orders.sql`')
  expect(text).toContain('Severity: high')
  expect(repository.comment(carts)).toBeUndefined()
  await repository.merge(orders)
  await repository.advance(2 * QUIET_MS)
  expect(repository.comment(carts)).toContain('`0042` in `db/migrations` is taken on the base branch by')
  expect(repository.comment(carts)).toContain('(`0042_orders.sql`); the next free number is `0061`')
})

describe('a reserved number', () => {
  const begin = (branch: string) => repository.createActivity({ branch })
  const reserve = async (id: string, directory = 'db/migrations') =>
    repository.request('POST', `/activity/${id}/number`, { body: { directory } })

  test('is the next free one, and the same again for the same activity', async () => {
    await repository.writeFile('db/migrations/0041_users.sql', 'create table users ();')
    await open('carts', CARTS)
    const id = await begin('tills')
    const first = await reserve(id)
    expect(first.status).toBe(201)
    expect(first.body).toEqual({
      number: '0043',
      directory: 'db/migrations',
      taken: [
        { number: '0042', by: '#1' },
        { number: '0041', by: 'base' },
      ],
    })
    const second = await reserve(id, './db/migrations/')
    expect(second.status).toBe(200)
    expect(second.body.number).toBe('0043')
  })

  test('changes what answers about others say, and their ETag', async () => {
    for (const path of [CARTS, ORDERS]) await open(path, path)
    const path = `/activity/${(await repository.list())[0].id}`
    const id = await begin('tills')
    const etag = (await repository.request('GET', path)).headers.get('etag') as string
    await reserve(id)
    const { status, body } = await repository.request('GET', path, { headers: { 'if-none-match': etag } })
    expect(status).toBe(200)
    expect(body.overlap.matches[0].findings[0].next).toBe('0044')
  })

  test('is taken for others until its activity ends', async () => {
    const [one, two, three] = [await begin('one'), await begin('two'), await begin('three')]
    expect((await reserve(one)).body.number).toBe('0001')
    expect((await reserve(two)).body).toMatchObject({ number: '0002', taken: [{ number: '0001', by: one }] })
    await repository.archive(two)
    expect((await reserve(three)).body.number).toBe('0002')
  })

  test('is none that was merged after the base branch was listed', async () => {
    const [one, two] = [await begin('one'), await begin('two')]
    expect((await reserve(one)).body.number).toBe('0001')
    const listing = 'GET /repos/**/contents/db/migrations'
    const before = github.calls(listing)
    const release = github.holdAnswers(listing)
    const late = reserve(two)
    await expect.poll(() => github.calls(listing)).toBe(before + 1)
    await repository.writeFile('db/migrations/0001_users.sql', 'create table users ();')
    await repository.archive(one)
    release()
    expect((await late).body.number).toBe('0002')
  })

  test('is refused where it makes no sense, and changes nothing', async () => {
    const id = await begin('tills')
    const wide = String.fromCodePoint(...Array.from({ length: 600 }, (_, at) => 0x20000 + 97 * at))
    expect((await reserve(id, wide)).status).toBe(201)
    for (const directory of ['db/../x', `${wide}/`])
      expect(await reserve(id, directory)).toMatchObject({
        status: 422,
        body: { error: { param: 'directory' } },
      })
    expect((await repository.request('POST', `/activity/${id}/number`, { body: {} })).status).toBe(400)
    await repository.archive(id)
    expect((await reserve(id)).status).toBe(409)
    expect((await reserve('act_00000000000000000000000000')).status).toBe(404)
  })
})
