/** Activities that are created from pull requests and track them. */
import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../support/app-service.ts'

const { github, service, repo } = useApp()
beforeEach(() => service.clock.advance(1000))

const now = () => service.clock.now.toISOString()
const filesRoute = () => `GET /repos/${repo.full_name}/pulls/*/files`

/** The activity that was created from the only open pull request, as a retrieval returns it. */
async function only() {
  const all = await repo.tracked()
  expect(all).toHaveLength(1)
  return repo.activity(all[0].id)
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

  test.each([
    ['no body', null, 'Words'],
    ['an empty body', ' \n\n ', 'Words'],
    ['blank lines first', '\n\nFirst.\n\nSecond.', 'First.'],
    ['Windows line endings', 'First.\r\n\r\nSecond.', 'First.'],
    ['5,000 characters', 'x'.repeat(5000), 'x'.repeat(4000)],
    ['characters that a database rejects', 'a\u0000b\ud800c', 'ab\ufffdc'],
  ])('with %s has a summary', async (_, body, summary) => {
    repo.githubRepo.open({ title: 'Words', body })
    await service.deliverAndRun(repo.event(1, 'opened'))
    expect((await only()).summary).toBe(summary)
  })

  test('with a title of 256 characters keeps 200 of them, also when it is edited', async () => {
    repo.githubRepo.open({ title: 'w'.repeat(256) })
    await service.deliverAndRun(repo.event(1, 'opened'))
    expect((await only()).title).toBe('w'.repeat(200))
    repo.githubRepo.update(1, { title: 'x'.repeat(256) })
    await service.deliverAndRun(repo.event(1, { action: 'edited', from: { title: 'w' } }))
    expect((await only()).title).toBe('x'.repeat(200))
  })

  test('is found by checks of its changed files and no others', async () => {
    repo.githubRepo.open({ head: 'retries', files: ['app/[id]/page.tsx'] })
    await service.deliverAndRun(repo.event(1, 'opened'))
    const { id } = await only()
    expect((await repo.check({ scope: { paths: ['app/[id]/page.tsx'] } })).related_activity_ids).toEqual([id])
    expect((await repo.check({ scope: { paths: ['app/i/page.tsx'] } })).related_activity_ids).toEqual([])
  })

  test('with several hundred files has all of them', async () => {
    const files = Array.from({ length: 250 }, (_, index) => `src/file-${index}.ts`)
    repo.githubRepo.open({ files })
    await service.deliverAndRun(repo.event(1, 'opened'))
    expect([...(await only()).scope.paths].sort()).toEqual([...files].sort())
    expect(github.calls(filesRoute())).toBe(3)
  })

  test('of a deleted account has the author ghost', async () => {
    repo.githubRepo.open({})
    const { event, payload } = repo.event(1, 'opened')
    const pull_request = { ...(payload.pull_request as object), user: null }
    await service.deliverAndRun({ event, payload: { ...payload, pull_request } })
    expect((await only()).actor).toBe('ghost')
  })

  test('from a fork that was deleted has a branch of its own', async () => {
    repo.githubRepo.open({ head: 'eve:main', fork_deleted: true, files: ['src/a.ts'] })
    const here = await repo.createActivity({ branch: 'main' })
    await service.deliverAndRun(repo.event(1, 'opened'))
    expect((await only()).branch).not.toBe('main')
    expect((await repo.activity(here)).pr_url).toBeNull()
  })

  test('becomes no activity if one of its branch is live', async () => {
    const id = await repo.createActivity({ branch: 'retries' })
    repo.githubRepo.open({ head: 'retries', files: ['src/a.ts'] })
    await service.deliverAndRun(repo.event(1, 'opened'))
    expect(await repo.tracked()).toEqual([])
    expect((await repo.activity(id)).pr_url).toMatch(/\/pull\/1$/)
    expect(github.calls(filesRoute())).toBe(1)
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
    expect(await repo.activity(id)).toMatchObject({ status: 'ready-for-review' })
    expect(github.calls(filesRoute())).toBe(1)
  })

  test.each(['synchronize', 'edited', 'ready_for_review', 'labeled'] as const)(
    'whose event was missed becomes an activity at its next event: %s',
    async (action) => {
      repo.githubRepo.open({ head: 'retries', files: ['src/a.ts'] })
      const push = repo.githubRepo.push('retries')
      const given = action === 'synchronize' ? { action, push } : { action, label: 'x', from: {} }
      await service.deliverAndRun(repo.event(1, given))
      expect((await only()).scope.paths).toEqual(['src/a.ts'])
    },
  )

  test('is tracked although GitHub fails at first', async () => {
    repo.githubRepo.open({ files: ['src/a.ts'] })
    github.fault(filesRoute(), 'server_error' as never, 1)
    await service.deliver(repo.event(1, 'opened'))
    expect(await service.runDueJobs()).toHaveLength(1)
    expect(await repo.tracked()).toEqual([])
    service.clock.advance(3000)
    expect(await service.runDueJobs()).toEqual([])
    expect((await only()).scope.paths).toEqual(['src/a.ts'])
  })
})

describe('a tracked pull request', () => {
  beforeEach(async () => {
    repo.githubRepo.open({
      head: 'retries',
      title: 'Words',
      body: 'Summary.',
      draft: true,
      files: ['src/a.ts'],
    })
    await service.deliverAndRun(repo.event(1, 'opened'))
    service.clock.advance(1000)
  })

  test('that is pushed to has its new files, for one call', async () => {
    const before = github.calls(filesRoute())
    repo.githubRepo.update(1, { files: ['src/b.ts', 'src/c.ts'] })
    await service.deliverAndRun(
      repo.event(1, { action: 'synchronize', push: repo.githubRepo.push('retries') }),
    )
    expect(await only()).toMatchObject({
      scope: { areas: [], paths: ['src/b.ts', 'src/c.ts'] },
      heartbeat_at: now(),
      status: 'draft-pr-open',
    })
    expect(github.calls(filesRoute())).toBe(before + 1)
  })

  test('that is edited has its new title and summary', async () => {
    repo.githubRepo.update(1, { title: 'Other words', body: 'Other summary.' })
    await service.deliverAndRun(repo.event(1, { action: 'edited', from: { title: 'Words' } }))
    expect(await only()).toMatchObject({
      title: 'Other words',
      summary: 'Other summary.',
      scope: { paths: ['src/a.ts'] },
    })
  })

  test.each(['synchronize', 'ready_for_review', 'labeled', 'reopened'] as const)(
    'keeps the title and base that a user set: %s',
    async (action) => {
      const { id } = await only()
      await repo.request('PATCH', `/activity/${id}`, { body: { title: 'Better words', base_branch: 'next' } })
      const push = repo.githubRepo.push('retries')
      await service.deliverAndRun(repo.event(1, { action, push, label: 'x' }))
      const { title, base_branch } = await only()
      expect(title).toBe('Better words')
      // Reopening it, or changing the draft flag, sets the base.
      const isLinked = action === 'reopened' || action === 'ready_for_review'
      expect(base_branch).toBe(isLinked ? 'main' : 'next')
    },
  )

  test('takes a changed title from its own event and not from a push', async () => {
    repo.githubRepo.update(1, { title: 'Other words' })
    await service.deliverAndRun(
      repo.event(1, { action: 'synchronize', push: repo.githubRepo.push('retries') }),
    )
    expect((await only()).title).toBe('Words')
    await service.deliverAndRun(repo.event(1, { action: 'edited', from: { title: 'Words' } }))
    expect((await only()).title).toBe('Other words')
  })

  test('has its new title although a later push arrived first', async () => {
    repo.githubRepo.update(1, { title: 'Other words' })
    const edited = repo.event(1, { action: 'edited', from: { title: 'Words' } })
    await service.deliverAndRun(
      repo.event(1, { action: 'synchronize', push: repo.githubRepo.push('retries') }),
      edited,
    )
    expect((await only()).title).toBe('Other words')
  })

  test('has its new title although GitHub failed when it was edited and retargeted', async () => {
    repo.githubRepo.update(1, { title: 'Other words', base: 'release' })
    github.fault(filesRoute(), 'server_error', 1)
    await service.deliver(repo.event(1, { action: 'edited', from: { title: 'Words', base: 'main' } }))
    expect(await service.runDueJobs()).toHaveLength(1)
    service.clock.advance(3000)
    expect(await service.runDueJobs()).toEqual([])
    expect(await only()).toMatchObject({ title: 'Other words', base_branch: 'release' })
  })

  test('that is retargeted has its new base, and the files against that', async () => {
    repo.githubRepo.update(1, { base: 'release', files: ['src/a.ts', 'src/z.ts'] })
    await service.deliverAndRun(repo.event(1, { action: 'edited', from: { base: 'main' } }))
    expect(await only()).toMatchObject({ base_branch: 'release', scope: { paths: ['src/a.ts', 'src/z.ts'] } })
  })

  test('goes back and forth between draft and ready', async () => {
    repo.githubRepo.update(1, { draft: false })
    await service.deliverAndRun(repo.event(1, 'ready_for_review'))
    expect(await only()).toMatchObject({ status: 'ready-for-review', draft_pr: false })
    repo.githubRepo.update(1, { draft: true })
    await service.deliverAndRun(repo.event(1, 'converted_to_draft'))
    expect(await only()).toMatchObject({ status: 'draft-pr-open', draft_pr: true, heartbeat_at: now() })
  })

  test('that is closed and opened again becomes a new activity, with its current files', async () => {
    const { id } = await only()
    repo.githubRepo.close(1)
    await service.deliverAndRun(repo.event(1, 'closed'))
    const archived = await repo.activity(id)
    expect(archived).toMatchObject({
      status: 'archived',
      archive_reason: 'pull_request_closed',
      archived_by: null,
      archived_at: now(),
    })
    repo.githubRepo.reopen(1)
    repo.githubRepo.update(1, { files: ['src/later.ts'] })
    await service.deliverAndRun(repo.event(1, 'reopened'))
    expect((await only()).scope.paths).toEqual(['src/later.ts'])
    expect(await repo.activity(id)).toEqual(archived)
  })

  test('that was archived by a user stays archived', async () => {
    const { id } = await only()
    await repo.request('POST', `/activity/${id}/archive`)
    await service.deliverAndRun(
      repo.event(1, { action: 'synchronize', push: repo.githubRepo.push('retries') }),
      repo.event(1, { action: 'labeled', label: 'x' }),
    )
    expect(await repo.tracked()).toEqual([])
  })

  test('that was archived by a user is tracked again when it is reopened', async () => {
    const { id } = await only()
    await repo.request('POST', `/activity/${id}/archive`)
    repo.githubRepo.close(1)
    await service.deliverAndRun(repo.event(1, 'closed'))
    repo.githubRepo.reopen(1)
    await service.deliverAndRun(repo.event(1, 'reopened'))
    expect((await only()).id).not.toBe(id)
  })

  test('that is merged is suggested for reuse', async () => {
    const { id } = await only()
    repo.githubRepo.merge(1)
    await service.deliverAndRun(repo.event(1, 'closed'))
    const { reuse_opportunities } = await repo.check({ scope: { paths: ['src/a.ts'] } })
    expect(reuse_opportunities).toMatchObject([
      { type: 'activity', id, title: 'Words', url: `https://github.com/${repo.full_name}/pull/1` },
    ])
  })
})

describe('a pull request with a declared activity', () => {
  const ends: [string, string, object | undefined][] = [
    ['archived', '/archive', undefined],
    ['archived by PATCH', '', { status: 'archived' }],
    ['abandoned', '', { status: 'abandoned' }],
  ]
  const end = (id: string, path: string, body: object | undefined) =>
    repo.request(body ? 'PATCH' : 'POST', `/activity/${id}${path}`, { body })
  let id: string

  beforeEach(async () => {
    id = await repo.createActivity({ branch: 'retries' })
    repo.githubRepo.open({ head: 'retries', title: 'Words', files: ['src/a.ts'] })
    await service.deliverAndRun(repo.event(1, 'opened'))
    expect(await repo.tracked()).toEqual([])
  })

  test.each(ends)('gets an activity of its own when the declared one is %s', async (_, path, body) => {
    expect((await end(id, path, body)).status).toBe(200)
    expect(await service.runDueJobs()).toEqual([])
    expect(await only()).toMatchObject({
      title: 'Words',
      source: 'pull_request',
      status: 'ready-for-review',
      scope: { paths: ['src/a.ts'] },
      created_by: null,
    })
  })

  test('gets an activity of its own although GitHub fails at first', async () => {
    github.fault(`GET /repos/${repo.full_name}/pulls/1`, 'server_error', 1)
    await repo.request('POST', `/activity/${id}/archive`)
    expect(await service.runDueJobs()).toHaveLength(1)
    service.clock.advance(3000)
    expect(await service.runDueJobs()).toEqual([])
    expect((await only()).title).toBe('Words')
  })

  test('gets no activity of its own while another declared activity is linked', async () => {
    const pr_url = `https://github.com/${repo.full_name}/pull/1`
    const other = await repo.createActivity({ branch: 'elsewhere', pr_url })
    await repo.request('POST', `/activity/${id}/archive`)
    await service.runDueJobs()
    expect(await repo.tracked()).toEqual([])
    await repo.request('POST', `/activity/${other}/archive`)
    await service.runDueJobs()
    expect(await repo.tracked()).toHaveLength(1)
  })

  test('gets no activity of its own when it was closed and the event was missed', async () => {
    repo.githubRepo.close(1)
    await repo.request('POST', `/activity/${id}/archive`)
    expect(await service.runDueJobs()).toEqual([])
    expect(await repo.tracked()).toEqual([])
  })

  test('gets no activity of its own if tracking is off, without a call', async () => {
    await repo.configure({ track_pull_requests: false })
    const before = github.calls(`GET /repos/${repo.full_name}/pulls/*`)
    await repo.request('POST', `/activity/${id}/archive`)
    await service.runDueJobs()
    expect(await repo.tracked()).toEqual([])
    expect(github.calls(`GET /repos/${repo.full_name}/pulls/*`)).toBe(before)
  })

  test('gets no further activity after its own was archived, until it is reopened', async () => {
    await repo.request('POST', `/activity/${id}/archive`)
    await service.runDueJobs()
    const own = await only()
    await repo.request('POST', `/activity/${own.id}/archive`)
    const again = await repo.createActivity({ pr_url: `https://github.com/${repo.full_name}/pull/1` })
    await repo.request('POST', `/activity/${again}/archive`)
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
