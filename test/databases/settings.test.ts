/** The settings of a repository as they are returned, and their effects. */
import { describe, expect, test } from 'vitest'
import { useRepository } from '../support/repository.ts'
import { NOTABLE, outcome } from '../support/routes.ts'

const { repo } = useRepository()

const DEFAULT_COMMENT = {
  mode: 'on',
  min_severity: 'medium',
  draft_min_severity: 'high',
  audience: 'later',
  stale_after_days: 14,
  same_author: false,
  budget: 0.15,
  on_bots: false,
  agents: ['Copilot', 'copilot-swe-agent', 'devin-ai-integration', 'claude', 'google-labs-jules', 'cursor'],
  bots: [],
}

test('without a file the defaults apply', async () => {
  expect((await repo.request('GET', '/settings')).body).toEqual({
    activity_ttl_ms: 86_400_000,
    max_activity_ttl_ms: null,
    notable_ttl_ms: 604_800_000,
    pr_reminder_after_ms: 7_200_000,
    disabled_categories: [],
    areas: {},
    ignore_paths: [],
    noise_paths: {},
    number_directories: {},
    noise_classes: {},
    track_pull_requests: true,
    track_branches: ['claude/**', 'codex/**', 'copilot/**', 'cursor/**', 'jules/**'],
    comment: DEFAULT_COMMENT,
    ...{ notify_url: null, check_run: false },
    source: 'defaults',
    errors: [],
    sources: expect.objectContaining({ areas: 'default', 'comment.mode': 'default' }),
    budget: { share: null, limit: 0.15, in_force: false },
    may_write: true,
    ...{ is_tracked: false, is_left_out: false, importing: null },
    may_administer: true,
  })
  const read = await repo.request('GET', '/settings', { token: 'rita' })
  expect(read.body.may_write).toBe(false)
})

describe('with a file', () => {
  test('the TTL of notables applies', async () => {
    await repo.configure({ notable_ttl_ms: 3_600_000 })
    const { body } = await repo.request('POST', '/notables', { body: NOTABLE })
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(3_600_000)
  })

  test('a disabled category is rejected with 400 and the enabled ones are named', async () => {
    await repo.configure({ disabled_categories: ['migration', 'release'] })
    const before = (await repo.request('GET', '/notables?limit=100')).body.items.length
    const answer = await repo.request('POST', '/notables', { body: NOTABLE })
    expect(outcome(answer)).toBe('400 category_not_allowed')
    expect(answer.body.error.param).toBe('category')
    expect(answer.body.error.message).toContain('security')
    expect((await repo.request('GET', '/notables?limit=100')).body.items).toHaveLength(before)
    const allowed = await repo.request('POST', '/notables', { body: { ...NOTABLE, category: 'security' } })
    expect(allowed.status).toBe(201)
  })

  test.each([
    [{ ...NOTABLE, title: '' }, 400, 'category'],
    [{ ...NOTABLE, title: undefined }, 400, 'title'],
    [{ ...NOTABLE, category: 'pattern', title: '' }, 422, 'title'],
  ])('of several errors in %j, the response is %i for %s', async (body, status, param) => {
    await repo.configure({ disabled_categories: ['migration'] })
    const answer = await repo.request('POST', '/notables', { body })
    expect(answer).toMatchObject({ status, body: { error: { param } } })
  })

  test('a notable of a category that was disabled later stays and can be changed', async () => {
    const { id } = (await repo.request('POST', '/notables', { body: NOTABLE })).body
    await repo.configure({ disabled_categories: ['migration'] })
    const answer = await repo.request('PATCH', `/notables/${id}`, { body: { importance: 'low' } })
    expect(answer.body).toMatchObject({ category: 'migration', importance: 'low' })
  })
})
