/** The effects of pull requests, pushes and deleted branches on activities: every row of the table of automatic transitions in docs/contract/activities.md#pull-requests. */
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/vocabulary/contract/field.ts'
import { usePullRequests } from '../support/pull-request-service.ts'
import { type PullAction, pushEvent, refEvent } from '../support/webhooks.ts'

const DAY_MS = 86_400_000
const STATUSES = ['planned', 'active', 'paused', 'blocked', 'draft-pr-open', 'ready-for-review'] as const
const SCOPE = { areas: ['checkout'], paths: ['src/pay/**'] }

const { github, service, repository: repo } = usePullRequests()

const prUrl = (number: number) => `https://github.com/${repo.full_name}/pull/${number}`
const now = () => service.clock.now.toISOString()
const inDays = (days: number) => new Date(service.clock.now.getTime() + days * DAY_MS).toISOString()

/** An activity in a status, created a second before the next event. */
async function begun(status: string, body: Record<string, unknown>): Promise<string> {
  const { id } = (await repo.create({ scope: SCOPE, ...body })).activity
  if (status !== 'active') {
    const answer = await repo.patch(id, { status })
    expect(answer.status).toBe(200)
  }
  service.clock.advance(1000)
  return id
}

type Link = 'pr_url' | 'branch'

/** One activity in each live status, all linked to pull request 1 in the same way. */
async function oneOfEach(link: Link): Promise<Map<string, string>> {
  const fields =
    link === 'branch' ? { branch: 'retries' } : { branch: 'elsewhere', pr_url: prUrl(1), pr_number: 1 }
  const rows = STATUSES.map((status) => ({ id: newId('act', new Date()), status, scope: SCOPE, ...fields }))
  await repo.insertActivities(rows)
  service.clock.advance(1000)
  return new Map(rows.map(({ id, status }) => [status, id]))
}

describe('linked activities', () => {
  test.each<[Link, PullAction, boolean]>([
    ['pr_url', 'opened', true],
    ['branch', 'opened', false],
    ['branch', 'reopened', true],
    ['pr_url', 'reopened', false],
    ['branch', 'converted_to_draft', true],
    ['pr_url', 'ready_for_review', false],
  ])('by %s follow a pull request that is %s, draft: %s', async (link, action, draft) => {
    repo.githubRepo.open({ head: 'retries', base: 'develop', draft })
    const ids = await oneOfEach(link)
    await service.deliverAndRun(repo.event(1, action))
    const open = draft ? 'draft-pr-open' : 'ready-for-review'
    for (const [status, id] of ids) {
      expect(await repo.read(id), status).toMatchObject({
        status: status === 'paused' || status === 'blocked' ? status : open,
        pr_url: prUrl(1),
        draft_pr: draft,
        base_branch: 'develop',
        heartbeat_at: now(),
        expires_at: inDays(status === 'paused' ? 14 : 1),
        title: 'Retry payments',
        scope: SCOPE,
        source: 'api',
      })
    }
    expect(await repo.tracked()).toEqual([])
  })

  test.each<[Link, boolean, string]>([
    ['pr_url', true, 'pull_request_merged'],
    ['branch', false, 'pull_request_closed'],
  ])('by %s are archived when it is closed, merged: %s', async (link, merged, archive_reason) => {
    repo.githubRepo.open({ head: 'retries' })
    const ids = await oneOfEach(link)
    if (merged) repo.githubRepo.merge(1)
    else repo.githubRepo.close(1)
    await service.deliverAndRun(repo.event(1, 'closed'))
    for (const [status, id] of ids)
      expect(await repo.read(id), status).toMatchObject({
        status: 'archived',
        archive_reason,
        archived_at: now(),
      })
    const { reuse_opportunities } = await repo.check({ scope: SCOPE })
    const offered = reuse_opportunities.map(({ id }) => id).sort()
    expect(offered).toEqual(merged ? [...ids.values()].sort() : [])
  })

  test('keep their own title, summary and scope when it is edited or pushed to', async () => {
    repo.githubRepo.open({ head: 'retries', base: 'develop', files: ['src/a.ts'] })
    const ids = await oneOfEach('branch')
    await service.deliverAndRun(repo.event(1, 'opened'))
    service.clock.advance(1000)
    repo.githubRepo.update(1, { title: 'Other words', files: ['src/b.ts'] })
    await service.deliverAndRun(
      repo.event(1, { action: 'synchronize', push: repo.githubRepo.push('retries') }),
      repo.event(1, { action: 'edited', from: { title: 'Words' } }),
    )
    for (const [status, id] of ids)
      expect(await repo.read(id), status).toMatchObject({
        title: 'Retry payments',
        scope: SCOPE,
        heartbeat_at: now(),
        expires_at: inDays(status === 'paused' ? 14 : 1),
      })
  })
})

describe('a pull request', () => {
  test.each([
    ['that belongs to another one', 'retries', () => ({ pr_url: prUrl(7) })],
    ['of the branch that has the same name as in its fork', 'eve:retries', () => ({})],
  ])('does not change an activity %s', async (_, head, linkOf) => {
    const id = await begun('active', { branch: 'retries', ...linkOf() })
    const before = await repo.read(id)
    repo.githubRepo.open({ head, author: 'eve', files: ['src/a.ts'] })
    await service.deliverAndRun(repo.event(1, 'opened'))
    expect(await repo.tracked()).toMatchObject([{ branch: head, actor: 'eve', pr_url: prUrl(1) }])
    repo.githubRepo.merge(1)
    await service.deliverAndRun(repo.event(1, 'closed'))
    expect(await repo.tracked()).toEqual([])
    expect(await repo.read(id)).toEqual(before)
  })

  test('does not change other activities of its branch beside the one with its pr_url', async () => {
    repo.githubRepo.open({ head: 'retries' })
    const linked = await begun('active', { pr_url: prUrl(1) })
    const beside = await begun('active', { branch: 'retries' })
    const before = await repo.read(beside)
    await service.deliverAndRun(repo.event(1, 'opened'))
    repo.githubRepo.close(1)
    await service.deliverAndRun(repo.event(1, 'closed'))
    expect((await repo.read(linked)).status).toBe('archived')
    expect(await repo.read(beside)).toMatchObject({ status: before.status, pr_url: null })
  })

  test('that was closed does not change later activities on its branch', async () => {
    repo.githubRepo.open({ head: 'develop' })
    await service.deliverAndRun(repo.event(1, 'opened'))
    repo.githubRepo.merge(1)
    await service.deliverAndRun(repo.event(1, 'closed'))
    const id = await begun('active', { branch: 'develop' })
    await service.deliverAndRun(
      repo.event(1, { action: 'labeled', label: 'released' }),
      repo.event(1, { action: 'edited', from: { title: 'Words' } }),
    )
    expect(await repo.read(id)).toMatchObject({ status: 'active', archive_reason: null })
  })
})

describe('a deleted branch', () => {
  test.each([
    ['deleted', () => repo.githubRepo.deleteBranch('retries')],
    ['renamed', () => repo.githubRepo.renameBranch('retries', 'retries-3')],
  ])('archives the live activities on it (%s)', async (_, remove) => {
    const ids = await oneOfEach('branch')
    const finished = await begun('merged', { branch: 'retries' })
    const elsewhere = await begun('active', { branch: 'retries-2' })
    repo.githubRepo.push('retries')
    remove()
    await service.deliverAndRun(refEvent(github, repo.full_name, 'delete', { branch: 'retries' }))
    for (const [status, id] of ids)
      expect(await repo.read(id), status).toMatchObject({
        status: 'archived',
        archive_reason: 'branch_deleted',
        archived_at: now(),
      })
    expect((await repo.read(finished)).status).toBe('merged')
    expect((await repo.read(elsewhere)).status).toBe('active')
  })

  test('leaves the activity of an open pull request to that pull request', async () => {
    const id = await begun('active', { branch: 'retries', pr_url: prUrl(1) })
    await service.deliverAndRun(refEvent(github, repo.full_name, 'delete', { branch: 'retries' }))
    expect((await repo.read(id)).status).toBe('active')
  })
})

test('a deleted tag and a created tag or branch archive nothing', async () => {
  const id = await begun('active', { branch: 'v1' })
  const before = await repo.read(id)
  await service.deliverAndRun(
    refEvent(github, repo.full_name, 'delete', { tag: 'v1' }),
    refEvent(github, repo.full_name, 'create', { tag: 'v1' }),
    refEvent(github, repo.full_name, 'create', { branch: 'v1' }),
    pushEvent(github, repo.full_name, { ref: 'refs/tags/v1' }),
  )
  expect(await repo.read(id)).toEqual(before)
})

test('a push extends all live activities on the branch, with or without a pull request', async () => {
  const body = { branch: 'feature/retries' }
  const ids = [
    await begun('active', body),
    await begun('paused', body),
    await begun('active', { ...body, pr_url: prUrl(7) }),
  ]
  const finished = await begun('merged', body)
  const elsewhere = await begun('active', { branch: 'retries' })
  await service.deliverAndRun(pushEvent(github, repo.full_name, { ref: 'refs/heads/feature/retries' }))
  for (const id of ids)
    expect(await repo.read(id)).toMatchObject({
      heartbeat_at: now(),
      expires_at: inDays(id === ids[1] ? 14 : 1),
    })
  expect((await repo.read(ids[1] as string)).status).toBe('paused')
  for (const id of [finished, elsewhere]) expect((await repo.read(id)).heartbeat_at).toBeNull()
})
