/** The overlap check over HTTP: which scopes overlap, and the text of the result. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/vocabulary/contract/id.ts'
import { fakeGithub } from '../support/github.ts'
import { freshRepositories } from '../support/repository.ts'
import { startTestService, type TestService } from '../support/service.ts'

const github = fakeGithub()
const repository = freshRepositories(github, () => service)
let service: TestService

beforeAll(async () => {
  service = await startTestService({ token: 'ada', config: { rate_limit_per_minute: 1_000_000 } })
})

afterAll(async () => {
  await service.close()
  github.close()
})

describe('paths', () => {
  test.each([
    ['src/pay/**', 'src/*/retry.ts', /^src\/pay\/retry\.ts$/],
    ['src/a*c', 'src/*b*c', /^src\/a.*b.*c$/],
    ['src/a*', 'src/b*', null],
    ['src/api', 'src/api/users.ts', /^src\/api\/users\.ts$/],
    ['src/api', 'src/apis/users.ts', null],
    ['src/api/', 'src/api/users.ts', /^src\/api\/users\.ts$/],
    ['src/*/', 'src/api/users.ts', /^src\/api\/users\.ts$/],
    ['src/*', 'src/api/users.ts', null],
    ['*/api', 'src/api/users.ts', /^src\/api\/users\.ts$/],
    ['**/api', 'api/users.ts', /^api\/users\.ts$/],
    ['**/api', 'a/b/api', /^a\/b\/api$/],
    ['a/**', '?', null],
    ['a/**', '?/*', /^a\/[^/]+$/],
    ['**', '.env', /^\.env$/],
    ['*', '.env', /^\.env$/],
    ['**/*.yml', '.github/workflows/ci.yml', /^\.github\/workflows\/ci\.yml$/],
    ['./src/pay.ts', '/src/pay.ts', /^src\/pay\.ts$/],
    ['SRC/pay.ts', 'src/pay.ts', null],
    ['src/{pay,order}/*.ts', 'src/order/a.ts', /^src\/order\/a\.ts$/],
    ['src/{pay,order}/*.ts', 'src/cart/a.ts', null],
    ['{ab,b*}', 'ab/c.ts', /^ab\/c\.ts$/],
    ['{ab,b*}', 'bc/c.ts', null],
    ['a**b', 'a/b', null],
    ['a**b', 'axb', /^axb$/],
    ['src/?.ts', 'src/ab.ts', null],
    ['src/\\*.ts', 'src/a.ts', null],
    ['src/\\*.ts', 'src/[*].ts', /^src\/\*\.ts$/],
    ['src/[a-c].ts', 'src/[!ab].ts', /^src\/c\.ts$/],
    ['src/[a-c].ts', 'src/d.ts', null],
    ['app/[id]/page.tsx', 'app/\\[id\\]/page.tsx', /^app\/\[id\]\/page\.tsx$/],
    ['app/[id]/page.tsx', 'app/i/page.tsx', /^app\/i\/page\.tsx$/],
    ['app/(shop)/page.tsx', 'app/*/page.tsx', /^app\/\(shop\)\/page\.tsx$/],
    ['app/(shop)/page.tsx', 'app/shop/page.tsx', null],
  ])('%s and %s share %s', async (yours, theirs, example) => {
    const { create, createActivity, check } = repository()
    const id = await createActivity({ scope: { paths: [theirs] } })
    const result = await check({ scope: { paths: [yours] } })
    const match = { id, severity: 'medium', areas: [] }
    const pairs = example ? [{ yours, theirs, example: expect.stringMatching(example) }] : []
    expect(result.matches).toMatchObject(example ? [{ ...match, paths: pairs }] : [])
    expect(result.related_activity_ids).toEqual(example ? [id] : [])
    expect(result.overlap_detected).toBe(example !== null)
    // The same from the other side.
    const swapped = await create({ scope: { paths: [yours] }, branch: 'other' })
    expect(swapped.overlap.overlap_detected).toBe(example !== null)
  })

  test.each([
    ['..', '../secrets'],
    ['.. in the middle', 'src/../secrets'],
    ['a leading !', '!src/**'],
    ['an unclosed class', 'src/[ab'],
    ['an empty class', 'src/[].ts'],
    ['nothing', ''],
    ['the root alone', '/'],
    ['a drive', 'C:\\work\\shop\\src\\a.ts'],
    ['a drive and slashes', 'c:/work/shop/src/a.ts'],
    ['a share', '\\\\host\\share\\a.ts'],
    ['a NUL', 'src/\u0000.ts'],
    ['1,025 characters', 'a'.repeat(1025)],
    ['a wildcard among 513 characters', `${'a'.repeat(512)}*`],
    ['65 alternatives', `{${Array.from({ length: 65 }, (_, index) => `a${index}`).join()}}`],
    ['9 × 8 alternatives', '{1..9}{a,b,c,d,e,f,g,h}'],
  ])('a path with %s is refused and named', async (_, path) => {
    const { request, createActivity } = repository()
    const scope = { paths: ['src/fine.ts', path] }
    const text = { title: 'Pay', summary: 'Pay.' }
    const id = await createActivity({})
    const answers = [
      await request('POST', '/activity/check', { body: { scope } }),
      await request('POST', '/activity', { body: { ...text, actor: 'Ben', scope } }),
      await request('PATCH', `/activity/${id}`, { body: { scope } }),
      await request('POST', '/notables', {
        body: { ...text, importance: 'low', category: 'warning', scope },
      }),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(422)
      expect(body.error.type).toBe('validation_error')
      expect(body.error.param).toBe('scope.paths[1]')
    }
  })

  test.each([
    ['64 alternatives', [`{${Array.from({ length: 64 }, (_, index) => `a${index}`).join()}}`]],
    ['512 characters with a wildcard', [`${'a'.repeat(511)}*`]],
    ['1,024 plain characters', ['a'.repeat(1024)]],
    ['200 with wildcards', Array.from({ length: 200 }, (_, index) => `a${index}/*`)],
    ['3,000 plain ones', Array.from({ length: 3000 }, (_, index) => `src/a${index}.ts`)],
  ])('paths up to the limit are accepted: %s', async (_, paths) => {
    const { createActivity, check } = repository()
    const id = await createActivity({ scope: { paths } })
    expect((await check({ scope: { paths: paths.slice(-1) } })).related_activity_ids).toEqual([id])
  })

  test.each([
    ['scope.paths[200]', Array.from({ length: 201 }, (_, index) => `a${index}/*`)],
    ['scope.paths', Array.from({ length: 3001 }, (_, index) => `a${index}`)],
  ])('more paths than the limit are rejected, naming %s', async (param, paths) => {
    const answer = await repository().request('POST', '/activity/check', { body: { scope: { paths } } })
    expect(answer.status).toBe(422)
    expect(answer.body.error.param).toEqual(param)
  })

  test('a misspelt field name is rejected instead of ignored', async () => {
    const { request, createActivity } = repository()
    await createActivity({ scope: { paths: ['src/pay.ts'] } })
    for (const scope of [{ path: ['src/pay.ts'] }, { Paths: ['src/pay.ts'] }]) {
      const { status, body } = await request('POST', '/activity/check', { body: { scope } })
      expect(status).toBe(400)
      expect(body.error.type).toBe('invalid_request')
      expect(body.error.message).toContain('did you mean paths?')
    }
  })

  test('file names from a pull request are literal until a user sets the scope', async () => {
    const { request, check, insertActivities } = repository()
    const id = newId('act')
    const paths = ['app/[id]/page.tsx', 'docs/a*.md', '!odd', '{x,y}']
    await insertActivities([
      {
        id,
        source: 'pull_request',
        pr_number: 7,
        pr_url: 'https://github.com/acme/shop/pull/7',
        scope_is_literal: true,
        scope: { areas: [], paths },
      },
    ])
    const related = async (path: string) => (await check({ scope: { paths: [path] } })).related_activity_ids
    for (const path of ['app/[id]/page.tsx', 'docs/a\\*.md', '\\!odd', '\\{x,y\\}', '?odd'])
      expect(await related(path), path).toEqual([id])
    for (const path of ['app/i/page.tsx', 'docs/ab.md', 'odd', 'x'])
      expect(await related(path), path).toEqual([])
    await request('PATCH', `/activity/${id}`, { body: { scope: { paths: ['docs/a*.md'] } } })
    expect(await related('docs/ab.md')).toEqual([id])
  })
})

describe('the summary', () => {
  const empty = {
    overlap_detected: false,
    severity: null,
    related_activity_ids: [],
    related_notable_ids: [],
    expected_activity_ids: [],
    relationships: {},
    reuse_opportunities: [],
    matches: [],
    truncated: false,
    total_related: 0,
  }

  test('without an overlap names the numbers compared, and when', async () => {
    const { createActivity, createNotable, check } = repository()
    await createActivity({ scope: { paths: ['docs/**'] } })
    await createActivity({ scope: { areas: ['docs'] } })
    await createNotable({ scope: { paths: ['docs/**'] } })
    expect(await check({ scope: { paths: ['src/**'] } })).toEqual({
      ...empty,
      reason: 'No overlap with 2 live activities and 1 active notable.',
      recommended_action: expect.stringMatching(/^Go ahead, and create an activity/),
      checked_against: {
        activities: 2,
        notables: 1,
        as_of: service.clock.now.toISOString(),
        complete: true,
      },
    })
  })

  test.each([
    ['nothing is proposed', {}, false, /nothing to compare, because no paths or areas were named\.$/],
    [
      'the scope is empty',
      { scope: { paths: [], areas: [] } },
      false,
      /nothing to compare, because no paths or areas were named\.$/,
    ],
    ['the branch has no live activity', { branch: 'lone' }, false, /no live activity of “lone” has/],
    ['all that is proposed is ignored', { scope: { paths: ['yarn.lock'] } }, true, /ignore/],
  ])('is different when nothing was compared: %s', async (_, body, complete, reason) => {
    const { createActivity, check } = repository()
    await createActivity({ scope: { paths: ['src/**'] } })
    const result = await check(body)
    expect(result).toMatchObject({ ...empty, checked_against: { activities: 0, complete } })
    expect(result.reason).toMatch(/^No activity was compared: /)
    expect(result.reason).toMatch(reason)
    expect(result.recommended_action).toMatch(/scope\.paths/)
  })

  test('names the most severe in reason and advice and counts the rest', async () => {
    const { createActivity, createNotable, check } = repository()
    const scope = { paths: ['src/pay.ts'] }
    await createActivity({ title: 'Mild one', actor: 'Mia', scope: { areas: ['pay'] } })
    await createActivity({ title: 'Grave one', actor: 'Gus', branch: 'grave', risk: 'critical', scope })
    await createActivity({ title: 'Middling one', actor: 'Max', scope })
    await createNotable({ title: 'Tills are frozen', importance: 'high', scope })
    const { reason, recommended_action } = await check({ scope: { ...scope, areas: ['pay'] } })
    expect(reason).toMatch(/high severity/)
    expect(reason).toMatch(/“Grave one” by “Gus” on “grave”/)
    expect(reason).toMatch(/src\/pay\.ts/)
    expect(reason).toMatch(/“Tills are frozen”/)
    expect(reason).toMatch(/1 more/)
    expect(reason).not.toMatch(/Mild one/)
    expect(recommended_action).toMatch(/talk to ada: .* Read the notable ntb_\w+ first\.$/)
  })

  test('a check creates nothing', async () => {
    const { request, check } = repository()
    await check({ scope: { paths: ['src/**'] }, branch: 'retries', base_branch: 'main', tags: ['pay'] })
    expect((await request('GET', '/activity')).body.items).toEqual([])
    expect((await check({ scope: { paths: ['src/**'] } })).checked_against.activities).toBe(0)
  })

  test('a check needs read access', async () => {
    const { request } = repository()
    const statusFor = async (token: string | null) =>
      (await request('POST', '/activity/check', { token, body: {} })).status
    github.token('eve', { login: 'eve', id: 3, permissions: {} })
    expect(await statusFor('rita')).toBe(200)
    expect(await statusFor('eve')).toBe(403)
    expect(await statusFor(null)).toBe(401)
  })

  test('activities of another repository are not included', async () => {
    const scope = { paths: ['src/**'], areas: ['pay'] }
    await repository().createActivity({ scope, branch: 'retries' })
    const result = await repository().check({ scope, branch: 'retries' })
    expect(result).toMatchObject({ ...empty, checked_against: { activities: 0, notables: 0 } })
  })
})
