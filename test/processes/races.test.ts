/** Races between several processes of the service on one database. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeGithubServer, startFakeGithubServer } from '../../scripts/fake-github-server.ts'
import { type Api, apiAt } from '../support/api.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { type ServiceProcess, startProcess } from '../support/process.ts'

let github: FakeGithubServer
let database: FreshDatabase
const services: ServiceProcess[] = []
let first: Api
let second: Api

beforeAll(async () => {
  github = await startFakeGithubServer({
    repositories: [{ id: 7, full_name: 'acme/shop' }],
    users: [{ token: 'ada', login: 'ada', id: 1, permissions: { 'acme/shop': 'write' } }],
  })
  database = await freshDatabase()
  ;[first, second] = await startTwo()
})

afterAll(async () => {
  await Promise.all(services.map((service) => service.kill('SIGTERM')))
  await database.drop()
  await github.close()
})

async function startTwo() {
  const env = {
    DATABASE_URL: database.database_url,
    GITHUB_API_URL: github.url,
    RATE_LIMIT_PER_MINUTE: '1000000',
  }
  const two = await Promise.all([startProcess(env), startProcess(env)])
  services.push(...two)
  return two.map(({ url }) => apiAt(url, 'ada')) as [Api, Api]
}

const activityBody = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ada' }
const range = (count: number) => Array.from({ length: count }, (_, index) => index)

test('in each of 200 pairs of concurrent creates that overlap, at least one returns the other', async () => {
  const create = (api: Api, side: string, pair: number) =>
    api('POST', '/activity', {
      body: { ...activityBody, branch: `${side}-${pair}`, scope: { paths: [`src/pair-${pair}/**`] } },
      headers: pair % 2 === 0 ? {} : { 'Idempotency-Key': `${side}-${pair}` },
    })
  const blind: number[] = []
  let returnedOne = 0
  for (const pair of range(200)) {
    const [a, b] = await Promise.all([create(first, 'a', pair), create(second, 'b', pair)])
    expect(a.status).toBe(201)
    expect(b.status).toBe(201)
    const returned = [
      a.body.overlap.related_activity_ids.includes(b.body.activity.id),
      b.body.overlap.related_activity_ids.includes(a.body.activity.id),
    ]
    if (!returned.includes(true)) blind.push(pair)
    if (returned.includes(false)) returnedOne += 1
    // The side that did not see the other one sees it now.
    const now = await second('GET', `/activity/${a.body.activity.id}`)
    expect(now.body.overlap.related_activity_ids).toEqual([b.body.activity.id])
  }
  expect(blind).toEqual([])
  // Otherwise there was no race.
  expect(returnedOne).toBeGreaterThan(0)
})

test('an idempotency key used on two processes at once creates one record', async () => {
  for (const round of range(50)) {
    const request = { body: activityBody, headers: { 'Idempotency-Key': `once-${round}` } }
    const answers = await Promise.all(
      [first, second, first, second].map((api) => api('POST', '/activity', request)),
    )
    const created = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status !== 201)
    expect(new Set(created.map(({ body }) => body.activity.id)).size).toBe(1)
    expect(refused.map(({ status, body }) => [status, body.error.type])).toEqual(
      refused.map(() => [409, 'idempotency_conflict']),
    )
    const again = await second('POST', '/activity', request)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body).toEqual(created[0]?.body)
  }
})
