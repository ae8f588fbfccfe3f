/** Activities that are created from pull requests and track them. */
import { beforeEach, describe, expect, test } from 'vitest'
import { usePullRequests } from '../support/pull-request-service.ts'

const { github, service, repository: repo } = usePullRequests()
beforeEach(() => service.clock.advance(1000))

const now = () => service.clock.now.toISOString()

/** The only activity that was created from a pull request, as a retrieval returns it. */
async function only() {
  const [own, ...others] = await repo.tracked()
  expect(others).toEqual([])
  return repo.read(own.id)
}

describe('an opened pull request', () => {
  test.each([
    [true, 'draft-pr-open'],
    [false, 'ready-for-review'],
  ])('becomes an activity; draft: %s', async (draft, status) => {
    repo.githubRepo.open({
      head: 'feature/retries',
      base: 'develop',
      author: 'ada',
      title: 'Retry payments',
      body: 'Retries a payment twice.\nThen gives up.\n\nCloses #3.',
      draft,
      files: [
        'src/pay/retry.ts',
        'app/[id]/page.tsx',
        { filename: 'src/new.ts', status: 'renamed', previous_filename: 'src/old.ts' },
        { filename: 'src/gone.ts', status: 'removed' },
      ],
    })
    await service.deliverAndRun(repo.event(1, 'opened'))
    const made = await only()
    expect(made).toMatchObject({
      title: 'Retry payments',
      summary: 'Retries a payment twice.\nThen gives up.',
      actor: 'ada',
      agent: null,
      status,
      risk: 'low',
      branch: 'feature/retries',
      base_branch: 'develop',
      pr_url: `https://github.com/${repo.full_name}/pull/1`,
      draft_pr: draft,
      blocking: false,
      source: 'pull_request',
      created_by: null,
      heartbeat_at: now(),
      created_at: now(),
      scope: { areas: [] },
    })
    expect([...made.scope.paths].sort()).toEqual([
      'app/[id]/page.tsx',
      'src/gone.ts',
      'src/new.ts',
      'src/old.ts',
      'src/pay/retry.ts',
    ])
  })

  test('with a title of 256 characters keeps 200 of them, also when it is edited', async () => {
    repo.githubRepo.open({ title: 'w'.repeat(256) })
    await service.deliverAndRun(repo.event(1, 'opened'))
    expect((await only()).title).toBe('w'.repeat(200))
    repo.githubRepo.update(1, { title: 'x'.repeat(256) })
    await service.deliverAndRun(repo.event(1, { action: 'edited', from: { title: 'w' } }))
    expect((await only()).title).toBe('x'.repeat(200))
  })

  test('with a folder of 700 characters of four bytes is tracked', async () => {
    const path = `${'𝒳'.repeat(700)}/0042_a.sql`
    repo.githubRepo.open({ files: [path] })
    await service.deliverAndRun(repo.event(1, 'opened'))
    expect((await only()).scope.paths).toEqual([path])
  })

  test('keeps its pr_url', async () => {
    repo.githubRepo.open({})
    await service.deliverAndRun(repo.event(1, 'opened'))
    const { id, pr_url } = await only()
    const answer = await repo.patch(id, { pr_url: null })
    expect(answer.status).toBe(422)
    expect(answer.body.error).toMatchObject({ param: 'pr_url', message: expect.stringContaining('archive') })
    expect((await only()).pr_url).toBe(pr_url)
  })

  test('becomes no activity if tracking is off, but declared activities are linked', async () => {
    repo.githubRepo.write('.github/deconflict.yml', 'track_pull_requests: false')
    const id = await repo.createActivity({ branch: 'retries' })
    repo.githubRepo.open({ head: 'retries' })
    repo.githubRepo.open({ head: 'other', files: ['src/a.ts'] })
    await service.deliverAndRun(
      repo.event(1, 'opened'),
      repo.event(2, 'opened'),
      repo.event(2, { action: 'synchronize', push: repo.githubRepo.push('other') }),
    )
    expect(await repo.tracked()).toEqual([])
    expect(await repo.read(id)).toMatchObject({ status: 'ready-for-review' })
    expect(github.calls(`GET /repos/${repo.full_name}/pulls/*/files`)).toBe(1)
  })
})

test('a pull request that is closed and opened again becomes a new activity, with its current files', async () => {
  repo.githubRepo.open({ files: ['src/a.ts'] })
  await service.deliverAndRun(repo.event(1, 'opened'))
  const { id } = await only()
  repo.githubRepo.close(1)
  await service.deliverAndRun(repo.event(1, 'closed'))
  const archived = await repo.read(id)
  expect(archived).toMatchObject({ archive_reason: 'pull_request_closed', archived_by: null })
  repo.githubRepo.reopen(1)
  repo.githubRepo.update(1, { files: ['src/later.ts'] })
  await service.deliverAndRun(repo.event(1, 'reopened'))
  expect((await only()).scope.paths).toEqual(['src/later.ts'])
  expect(await repo.read(id)).toEqual(archived)
})

describe('a pull request with a declared activity', () => {
  const ends: [string, string, object | undefined][] = [
    ['archived', '/archive', undefined],
    ['archived by PATCH', '', { status: 'archived' }],
    ['abandoned', '', { status: 'abandoned' }],
    ['merged', '', { status: 'merged' }],
  ]
  let id: string

  beforeEach(async () => {
    id = await repo.createActivity({ branch: 'retries' })
    repo.githubRepo.open({ head: 'retries', title: 'Words', files: ['src/a.ts'] })
    await service.deliverAndRun(repo.event(1, 'opened'))
    expect(await repo.tracked()).toEqual([])
  })

  test.each(ends)('gets an activity of its own when the declared one is %s', async (_, path, body) => {
    const method = body ? 'PATCH' : 'POST'
    expect((await repo.request(method, `/activity/${id}${path}`, { body })).status).toBe(200)
    const ended = await repo.read(id)
    expect(await service.runDueJobs()).toEqual([])
    await service.deliverAndRun(repo.event(1, 'reopened'))
    expect(await repo.read(id)).toEqual(ended)
    expect(await only()).toMatchObject({
      title: 'Words',
      source: 'pull_request',
      status: 'ready-for-review',
      scope: { paths: ['src/a.ts'] },
      created_by: null,
    })
  })

  test('gets no further activity after its own was archived, until it is reopened', async () => {
    await repo.archive(id)
    await service.runDueJobs()
    const own = await only()
    await repo.archive(own.id)
    const again = await repo.createActivity({ pr_url: `https://github.com/${repo.full_name}/pull/1` })
    await repo.archive(again)
    await service.deliverAndRun(
      repo.event(1, { action: 'synchronize', push: repo.githubRepo.push('retries') }),
    )
    expect(await repo.tracked()).toEqual([])
    repo.githubRepo.close(1)
    await service.deliverAndRun(repo.event(1, 'closed'))
    repo.githubRepo.reopen(1)
    await service.deliverAndRun(repo.event(1, 'reopened'))
    expect((await only()).id).not.toBe(own.id)
  })
})
