/** Lists of activities and notables: order, each filter alone and combined, limits and parameters. */
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/vocabulary/contract/field.ts'
import { type TestRepository, useRepositories } from '../support/repository.ts'

const DAY_MS = 86_400_000

const fixture = useRepositories()
const { repository } = fixture

/** The titles of a list, joined. In these tests the title of a record is a letter. */
async function titles(repo: TestRepository, address: string): Promise<string> {
  const { status, body } = await repo.request('GET', address)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.items.map((item: { title: string }) => item.title).join('')
}

describe('the list of activities', () => {
  let repo: TestRepository

  beforeAll(async () => {
    repo = repository()
    const pull = (number: number) => `https://github.com/${repo.full_name}/pull/${number}`
    await repo.create({ title: 'X', actor: 'Ada', branch: 'pay' })
    fixture.service.clock.advance(DAY_MS)
    const all = [
      { title: 'A', actor: 'Ada', branch: 'pay' },
      { title: 'B', actor: 'Ada', branch: 'pay', risk: 'high', pr_url: pull(1) },
      { title: 'C', actor: 'Ben', branch: 'pay', risk: 'high', pr_url: pull(2), draft_pr: true },
      { title: 'D', actor: 'Ben', branch: 'Pay', risk: 'critical', draft_pr: true },
      { title: 'E', actor: 'ada', risk: 'medium', status: 'planned' },
      { title: 'F', actor: 'Ada', status: 'paused' },
      { title: 'G', actor: 'Ada', status: 'blocked' },
      { title: 'H', actor: 'Ben', status: 'draft-pr-open', pr_url: pull(3), draft_pr: true },
      { title: 'I', actor: 'Ada', status: 'ready-for-review', pr_url: pull(4) },
      { title: 'J', actor: 'Ada', status: 'merged', branch: 'pay' },
      { title: 'K', actor: 'Ben', status: 'abandoned' },
      { title: 'L', actor: 'Ada', status: 'archived', branch: 'pay', pr_url: pull(5), draft_pr: true },
    ]
    for (const { status, ...body } of all) {
      const id = await repo.createActivity(body)
      if (status) await repo.patch(id, { status })
    }
  })

  test.each([
    ['', 'KJIHGFEDCBA', 'all but what is archived or expired, the newest first'],
    ['?status=planned', 'E', ''],
    ['?status=merged', 'J', ''],
    ['?status=archived', 'L', ''],
    ['?status=expired', 'X', ''],
    ['?risk=high', 'CB', ''],
    ['?actor=Ada', 'JIGFBA', 'with the case as it is'],
    ['?actor=ada', 'E', ''],
    ['?branch=pay', 'JCBA', 'with the case as it is'],
    ['?branch=refs/heads/pay', 'JCBA', 'by the ref'],
    ['?has_pr=true', 'IHCB', ''],
    ['?has_pr=false', 'KJGFEDA', ''],
    ['?draft_pr_only=true', 'HDC', ''],
    ['?draft_pr_only=false', 'KJIHGFEDCBA', 'as without it'],
    ['?has_pr=false&draft_pr_only=true', 'D', ''],
    ['?status=archived&actor=Ada&branch=pay&has_pr=true&draft_pr_only=true&risk=low', 'L', 'all of them'],
  ])('%s is %j %s', async (query, expected) => {
    expect(await titles(repo, `/activity${query}`)).toBe(expected)
  })
})

describe('the list of notables', () => {
  let repo: TestRepository

  beforeAll(async () => {
    repo = repository()
    await repo.createNotable({ title: 'X', importance: 'high' })
    fixture.service.clock.advance(7 * DAY_MS)
    const all = [
      { title: 'A', importance: 'low', category: 'pattern', scope: { areas: ['Checkout', 'till'] } },
      { title: 'B', importance: 'high', category: 'pattern', scope: { areas: ['checkout'] } },
      {
        title: 'C',
        importance: 'high',
        category: 'security',
        scope: { areas: ['till'], paths: ['checkout'] },
      },
      { title: 'D', importance: 'critical', category: 'security' },
      { title: 'E', importance: 'medium', category: 'release', scope: { areas: ['checkout 2'] } },
      { title: 'F', importance: 'high', category: 'pattern', scope: { areas: ['checkout'] }, archived: true },
    ]
    for (const { archived, ...body } of all) {
      const id = await repo.createNotable(body)
      if (archived) await repo.request('POST', `/notables/${id}/archive`)
    }
  })

  test.each([
    ['', 'EDCBA', 'the active ones, the newest first'],
    ['?status=active', 'EDCBA', ''],
    ['?status=archived', 'F', ''],
    ['?status=expired', 'X', ''],
    ['?importance=high', 'CB', ''],
    ['?category=pattern', 'BA', ''],
    ['?area=checkout', 'BA', 'compared without case, and with areas only'],
    ['?area=%20CHECKOUT%20', 'BA', ''],
    ['?area=check', '', ''],
    ['?category=pattern&importance=high', 'B', ''],
    ['?status=archived&area=checkout&category=pattern&importance=high', 'F', 'all of them'],
  ])('%s is %j %s', async (query, expected) => {
    expect(await titles(repo, `/notables${query}`)).toBe(expected)
  })

  test('returns the abbreviated form', async () => {
    const [item] = (await repo.request('GET', '/notables?limit=1')).body.items
    const { type, summary, ...brief } = (await repo.request('GET', `/notables/${item.id}`)).body
    expect(type).toBe('notable')
    expect(summary).toBe('Until Friday.')
    expect(item).toEqual(brief)
  })
})

test('a page has 50 items by default, and 1 to 100 with `limit`', async () => {
  const repo = repository()
  await repo.insertActivities(Array.from({ length: 101 }, () => ({ id: newId('act', new Date()) })))
  const count = async (query: string) => (await repo.list(query)).length as number
  expect(await count('')).toBe(50)
  expect(await count('?limit=1')).toBe(1)
  expect(await count('?limit=100')).toBe(100)
})

// `test/rules/record-fields.test.ts` has every value.
test.each([
  ['/activity?status=done', 'status'],
  ['/notables?area=a&area=b', 'area'],
])('%s is refused', async (address, param) => {
  const answer = await repository().request('GET', address)
  expect(answer).toMatchObject({ status: 422, body: { error: { type: 'validation_error', param } } })
})
