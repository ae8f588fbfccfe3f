/** Concurrent callers share the comparison of a repository, and never get one from before a change. */
import { afterEach, expect, test } from 'vitest'
import { type HeldStatements, holdStatements } from '../support/held-statements.ts'
import { scrape } from '../support/metrics.ts'
import { type TestRepository, useRepositories } from '../support/repository.ts'
import { startTestService } from '../support/service.ts'

const { service, repository } = useRepositories()
let held: HeldStatements | undefined

afterEach(() => held?.restore())

/** The statement that reads the scopes to compare, after the list of live activities. */
const SCOPES = /^select "json" from json_array_elements_text/
const DAY_MS = 86_400_000

/** How many callers have got the comparison of another one. */
const countShared = async () =>
  (await scrape(service.url)).value('deconflict_repository_comparisons_total{outcome="shared"}') ?? 0

async function withCollision(): Promise<{ repo: TestRepository; ids: [string, string] }> {
  const repo = repository()
  const create = (branch: string) => repo.createActivity({ branch, scope: { paths: ['src'] } })
  return { repo, ids: [await create('a'), await create('b')] }
}

const pairsIn = async (repo: TestRepository) => {
  const { status, body } = await repo.request('GET', '/overlaps')
  expect(status).toBe(200)
  return body.items.map(({ activity_ids }: { activity_ids: string[] }) => activity_ids)
}

test('20 concurrent callers share one comparison', async () => {
  const { repo, ids } = await withCollision()
  held = holdStatements(SCOPES, 1)
  const before = await countShared()
  const answers = Array.from({ length: 20 }, () => pairsIn(repo))
  await expect.poll(countShared).toBe(before + 19)
  held.release()
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 20 }, () => [ids]))
  expect(held.executed()).toBe(1)
})

test.each<[string, (repo: TestRepository, ids: [string, string]) => Promise<unknown>]>([
  ['archived', (repo, [id]) => repo.archive(id)],
  ['ignored', (repo) => repo.configure({ ignore_paths: ['src'] })],
  [
    'expired',
    async (repo, [, id]) => {
      service.clock.advance(DAY_MS - 1)
      await repo.request('POST', `/activity/${id}/heartbeat`)
      service.clock.advance(1)
    },
  ],
])(
  'a caller who comes once a record is %s does not get a comparison that began before',
  async (_, change) => {
    const { repo, ids } = await withCollision()
    expect(await pairsIn(repo)).toEqual([ids])
    await repo.patch(ids[0], { title: 'Another title' })
    held = holdStatements(SCOPES, 1)
    const earlier = pairsIn(repo)
    await expect.poll(held.executed).toBe(1)
    await change(repo, ids)
    expect(await pairsIn(repo)).toEqual([])
    held.release()
    await earlier
    expect(await pairsIn(repo)).toEqual([])
  },
)

test('a change on another instance is visible at once', async () => {
  const { repo, ids } = await withCollision()
  const { database_url } = service.app.config
  const other = await startTestService({ token: 'ada', config: { database_url } })
  other.clock.now = service.clock.now
  expect(await pairsIn(repo)).toEqual([ids])
  const path = `/api/v1/repos/${repo.full_name}/activity/${ids[0]}`
  expect((await other.api('PATCH', path, { body: { status: 'merged' } })).status).toBe(200)
  expect(await pairsIn(repo)).toEqual([])
  await other.close()
})
