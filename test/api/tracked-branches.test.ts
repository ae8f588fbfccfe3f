/** Activities of pushed branches without a pull request. */
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { activities } from '../../src/server/records/activities/table.ts'
import { QUIET_MS, usePullRequests } from '../support/pull-request-service.ts'
import { type PushDetails, pushEvent } from '../support/webhooks.ts'

const { service, github, repository } = usePullRequests()

const BURST_MS = 2000
const DAY_MS = 86_400_000
const BRANCH = 'claude/retries'

/** The delivery of a push. */
const pushed = (files: Record<string, string>, details: Partial<PushDetails> & { branch?: string } = {}) => {
  const { branch = BRANCH, ...over } = details
  const push = repository.githubRepo.push(branch, files)
  return pushEvent(github, repository.full_name, { ...push, ...over })
}
const push = async (...given: Parameters<typeof pushed>) => {
  await service.deliverAndRun(pushed(...given))
  await repository.advance(BURST_MS)
}
const comparisons = () => repository.calls().filter((route) => route.startsWith('GET /compare/')).length
const changes = async () =>
  (await repository.files()).map(({ path, origin, digest }) => [path, origin, digest && 'lines'])

describe('a pushed branch', () => {
  test('becomes an activity with its changed files, by one comparison', async () => {
    await push({ 'src/a.ts': 'a\n' }, { sender: 'claude[bot]', message: 'Retry payments\n\nTwice.' })
    expect(await repository.only()).toMatchObject({
      source: 'branch',
      status: 'active',
      title: 'Retry payments',
      actor: 'claude[bot]',
      branch: BRANCH,
      base_branch: 'main',
      scope: { areas: [], paths: ['src/a.ts'] },
      pr_url: null,
      created_by: null,
      archived_by: null,
    })
    expect(await changes()).toEqual([['src/a.ts', 'pushed', 'lines']])
    expect(comparisons()).toBe(1)
    const [row] = await service.db
      .select({ base: activities.pushed_base_sha })
      .from(activities)
      .where(eq(activities.repo_id, repository.id))
    expect(row?.base).toMatch(/^[0-9a-f]{40}$/)
  })

  test('costs one comparison for a burst of pushes, and at most one each 30 s', async () => {
    for (let count = 0; count < 5; count += 1)
      await service.deliverAndRun(pushed({ [`f${count}.ts`]: 'a\n' }, { message: `Commit ${count}` }))
    await repository.advance(BURST_MS)
    expect(comparisons()).toBe(1)
    expect((await repository.only()).title).toBe('Commit 4')
    expect(await changes()).toHaveLength(5)
    await repository.advance(10 * QUIET_MS)
    expect(comparisons()).toBe(1)
    for (let count = 0; count < 10; count += 1) {
      await push({ 'f.ts': `${count}\n` })
      await repository.advance(4000)
    }
    // A minute of pushes: one comparison after 2 s, and one every 30 s after that.
    expect(comparisons()).toBe(3)
    await repository.advance(QUIET_MS)
    expect(comparisons()).toBe(4)
    expect(await changes()).toHaveLength(6)
  })

  test('has the subject of its head commit, in whatever order the pushes are delivered', async () => {
    const pushes = ['First', 'Second'].map((message) => pushed({ [message]: 'a\n' }, { message }))
    for (const each of pushes.reverse()) await service.deliverAndRun(each)
    await repository.advance(BURST_MS)
    expect((await repository.only()).title).toBe('Second')
  })

  test('is refreshed and kept alive by later pushes', async () => {
    await push({ 'src/a.ts': 'a\n' })
    const { id } = await repository.only()
    await repository.advance(DAY_MS / 2)
    await push({ 'src/b.ts': 'b\n' }, { message: 'Second' })
    expect(await repository.only()).toMatchObject({
      id,
      title: 'Second',
      scope: { paths: ['src/a.ts', 'src/b.ts'] },
    })
    await repository.advance(DAY_MS - 60_000)
    expect((await repository.only()).id).toBe(id)
  })

  test('ends when a push without a pull request brings all its commits to the default branch', async () => {
    const heads = ['a', 'b'].map((text) => repository.githubRepo.push(BRANCH, { 'src/a.ts': text }))
    const send = (push: PushDetails, after: string) => repository.deliverPush({ ...push, commits: [after] })
    for (const head of heads) await send(head, head.after)
    await repository.advance(BURST_MS)
    const { id } = await repository.only()
    const reasons = []
    for (const head of heads) {
      await send(repository.githubRepo.push('main', {}, head.after), head.after)
      reasons.push((await repository.read(id)).archive_reason)
    }
    expect(reasons).toEqual([null, 'branch_merged'])
    expect(await changes()).toEqual([])
  })

  test('that was deleted before it was compared becomes no activity', async () => {
    const event = pushed({ 'src/a.ts': 'a\n' })
    repository.githubRepo.deleteBranch(BRANCH)
    await service.deliverAndRun(event)
    await repository.advance(BURST_MS)
    expect(await repository.list()).toEqual([])
  })

  test('without changes becomes no activity until it has some', async () => {
    await push({})
    expect(await repository.list()).toEqual([])
    await push({ 'src/a.ts': 'a\n' })
    await repository.advance(QUIET_MS)
    expect(await repository.list()).toHaveLength(1)
  })
})

test.each([
  ['the default branch', 'main', undefined, 0],
  ['a branch that no glob matches', 'retries', undefined, 0],
  ['any branch if the settings name none', BRANCH, 'track_branches: []', 0],
  ['a branch that the settings do not name', BRANCH, 'track_branches: ["agents/*"]', 0],
  ['one that they name', 'wip-2', 'track_branches: ["agents/*", "wip-?"]', 1],
])('from %s an activity is created or not', async (_, branch, settings, count) => {
  if (settings) await repository.writeFile('.github/deconflict.yml', settings)
  await push({ 'src/a.ts': 'a\n' }, { branch })
  expect(await repository.list()).toHaveLength(count)
  expect(comparisons()).toBe(count)
})

describe('no activity is created', () => {
  test('from a branch with a live activity', async () => {
    const id = await repository.createActivity({ branch: BRANCH })
    await push({ 'src/a.ts': 'a\n' })
    expect(await repository.only()).toMatchObject({ id, source: 'api' })
    expect(comparisons()).toBe(0)
  })

  test('from a branch with an open pull request, also when its events were missed', async () => {
    expect(await repository.list()).toEqual([])
    repository.githubRepo.open({ head: BRANCH })
    await push({ 'src/a.ts': 'a\n' })
    expect(await repository.list()).toEqual([])
    expect(comparisons()).toBe(0)
  })
})

test('a pull request takes over the activity of its branch', async () => {
  await push({ 'src/a.ts': 'a\n' })
  const { id } = await repository.only()
  const number = await repository.open({
    head: BRANCH,
    title: 'Retry payments',
    body: 'Retries twice.',
    files: ['src/a.ts', 'src/b.ts'],
    draft: true,
  })
  expect(await repository.only()).toMatchObject({
    id,
    source: 'pull_request',
    status: 'draft-pr-open',
    title: 'Retry payments',
    summary: 'Retries twice.',
    scope: { paths: ['src/a.ts', 'src/b.ts'] },
    pr_url: `https://github.com/${repository.full_name}/pull/${number}`,
  })
  expect(await changes()).toEqual([
    ['src/a.ts', 'pushed', 'lines'],
    ['src/b.ts', 'pushed', 'lines'],
  ])
  await repository.advance(QUIET_MS)
  await push({ 'src/c.ts': 'c\n' })
  expect(comparisons()).toBe(1)
  await repository.merge(number)
  expect(await repository.list('?status=archived')).toMatchObject([
    { id, archive_reason: 'pull_request_merged' },
  ])
})
