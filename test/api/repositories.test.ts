/** The repositories with live records that a caller may see, over HTTP. */
import { eq } from 'drizzle-orm'
import { PostgresJsPreparedQuery } from 'drizzle-orm/postgres-js'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { sweep } from '../../src/server/operations/sweep.ts'
import { live_sets } from '../../src/server/records/live-sets/table.ts'
import { notables } from '../../src/server/records/notables/table.ts'
import { repositories } from '../../src/server/records/repositories/table.ts'
import { editOf } from '../support/lines.ts'
import { useService } from '../support/service.ts'

const { github, service } = useService({ repositories: [] })

const ALL = {
  'acme/shop': 'write',
  'acme/web': 'write',
  'acme/quiet': 'write',
  'other/secret': 'write',
} as const

beforeAll(async () => {
  for (const [at, full_name] of Object.keys(ALL).entries()) github.repository({ id: 100 + at, full_name })
  github.repository({ id: 200, full_name: 'acme/open', private: false })
  github.token('root', { login: 'root', id: 9, permissions: { ...ALL, 'acme/open': 'write' } })
  github.token('ada', { login: 'ada', id: 1, permissions: { 'acme/shop': 'read', 'acme/web': 'write' } })
  await declare('acme/shop', { actor: 'Root', scope: { areas: ['checkout'] } })
  await declare('acme/shop', { actor: 'Root', branch: 'a', scope: changes(10) })
  await declare('acme/shop', { actor: 'Bob', branch: 'b', scope: changes(10) })
  await declare('acme/web', { actor: 'Root', scope: { paths: ['src/**'] } })
  await post('other/secret', '/notables', NOTABLE)
  await post('acme/open', '/notables', { ...NOTABLE, importance: 'low' })
  for (const branch of ['a', 'b'])
    await declare('acme/open', { actor: 'Root', branch, scope: { paths: ['a'] } })
})

const NONE = { conflict: 0, same_work: 0, same_number: 0, possible: 0 }
const NOTABLE = { title: 'Freeze', summary: 'Until Friday.', importance: 'critical', category: 'migration' }
const FILE = Array.from({ length: 40 }, (_, line) => `line ${line}`)
let edits = 0
const changes = (line: number) => ({
  changes: [{ path: 'src/a.ts', patch: editOf(FILE, line, 1, [`edit ${++edits}`]) }],
})

async function post(full_name: string, path: string, body: object): Promise<void> {
  const answer = await service.api('POST', `/api/v1/repos/${full_name}${path}`, { token: 'root', body })
  expect(answer.status).toBe(201)
}
const declare = (full_name: string, body: object) =>
  post(full_name, '/activity', { title: 'Work', summary: 'Work.', ...body })

const overview = (token = 'ada') => service.api('GET', '/api/v1/repos', { token })
const left = ({ headers }: Awaited<ReturnType<typeof overview>>) =>
  Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
const namesIn = ({ body }: Awaited<ReturnType<typeof overview>>) =>
  body.items.map(({ owner, name }: { owner: string; name: string }) => `${owner}/${name}`)

describe('the overview', () => {
  test('counts the live records of each repository, the one with conflicts first', async () => {
    const { status, body } = await overview()
    expect(status).toBe(200)
    expect(body.complete).toBe(true)
    expect(body.items).toEqual([
      {
        owner: 'acme',
        name: 'shop',
        live_activities: 3,
        collisions: { high: 1, medium: 0, low: 0 },
        consequences: { ...NONE, conflict: 1 },
        active_notables: 0,
        high_notables: 0,
        people: 1,
        logins: ['root'],
        last_change_at: expect.stringMatching(/Z$/),
      },
      expect.objectContaining({
        name: 'web',
        live_activities: 1,
        collisions: { high: 0, medium: 0, low: 0 },
      }),
    ])
  })

  test('leaves out repositories without live records, and counts collisions by severity and by consequence', async () => {
    const all = await overview('root')
    expect(namesIn(all).toSorted()).toEqual(['acme/open', 'acme/shop', 'acme/web', 'other/secret'])
    const counts = { collisions: { high: 0, medium: 1, low: 0 }, consequences: { ...NONE, possible: 1 } }
    const medium = { ...counts, active_notables: 1, high_notables: 0 }
    expect(all.body.items).toContainEqual(expect.objectContaining({ name: 'open', ...medium }))
    const notable = { live_activities: 0, active_notables: 1, high_notables: 1 }
    expect(all.body.items).toContainEqual(expect.objectContaining({ name: 'secret', ...notable }))
  })
})

describe('what was counted', () => {
  const live = async (token: string) =>
    (await overview(token)).body.items.find(({ name }: { name: string }) => name === 'web').live_activities

  test('is the same for all callers for 30 seconds', async () => {
    service.clock.advance(60_001)
    const before = await live('ada')
    await declare('acme/web', { actor: 'Root', branch: 'new', scope: { areas: ['docs'] } })
    service.clock.advance(29_000)
    expect(await live('root')).toBe(before)
    service.clock.advance(1000)
    expect(await live('root')).toBe(before + 1)
  })

  test('is read in one statement, after a sweep too', async () => {
    service.clock.advance(60_001)
    await overview('root')
    service.clock.advance(300_000)
    await sweep(service.app)
    const executed = vi.spyOn(PostgresJsPreparedQuery.prototype, 'execute')
    await overview('root')
    const statements = (executed.mock.contexts as PostgresJsPreparedQuery<never>[]).map(
      (query) => query.getQuery().sql,
    )
    executed.mockRestore()
    // The announcement of an earlier write is written beside it.
    expect(statements.filter((text) => !text.includes('pg_notify'))).toEqual([
      expect.stringContaining('left join lateral'),
    ])
  })
})

describe('nothing is shown of a repository', () => {
  test('that GitHub does not list for the token', async () => {
    const text = JSON.stringify((await overview()).body)
    expect(text).not.toContain('secret')
    expect(text).not.toContain('open')
  })

  test.each([
    ['a minute after the token lost access', 'eve', () => service.clock.advance(60_001)],
    [
      'after the permissions of its owner were invalidated',
      'mia',
      () => service.app.access.invalidate('acme'),
    ],
  ])('%s', async (_, login, happen) => {
    github.token(login, { login, id: 5, permissions: { 'acme/shop': 'read' } })
    expect(namesIn(await overview(login))).toEqual(['acme/shop'])
    github.token(login, { login, id: 5, permissions: {} })
    happen()
    expect(namesIn(await overview(login))).toEqual([])
  })
})

test('a public repository is listed after the token was admitted to it, and no longer than a permission is cached', async () => {
  github.token('sam', { login: 'sam', id: 7, permissions: {} })
  expect(namesIn(await overview('sam'))).toEqual([])
  await service.api('GET', '/api/v1/repos/acme/open/activity', { token: 'sam' })
  expect(namesIn(await overview('sam'))).toEqual(['acme/open'])
  service.clock.advance(60_001)
  expect(namesIn(await overview('sam'))).toEqual([])
})

describe('GitHub', () => {
  const LIST = 'GET /user/repos'

  test('is called once within the time that permissions are reused', async () => {
    service.clock.advance(60_001)
    const before = github.requests(LIST).length
    await overview()
    await overview()
    expect(github.requests(LIST).length - before).toBe(1)
  })

  describe('lists many repositories', () => {
    const names = Array.from({ length: 501 }, (_, at) => `big/r${at}`)
    const tokenOf = (length: number) => {
      const permissions = Object.fromEntries(names.slice(0, length).map((name) => [name, 'write' as const]))
      github.token(`max-${length}`, { login: 'max', id: 8, permissions })
      return `max-${length}`
    }
    beforeAll(() => {
      for (const [at, full_name] of names.entries()) github.repository({ id: 10_000 + at, full_name })
    })

    test.each([
      [500, 5, true],
      [501, 5, false],
    ])('%i: %i pages are read, and complete is %s', async (length, pages, complete) => {
      const before = github.requests(LIST).length
      const { body } = await overview(tokenOf(length))
      expect(github.requests(LIST).length - before).toBe(pages)
      expect(body).toEqual({ items: [], complete })
    })

    test('at most 200 with live records are shown, and complete is false if there are more', async () => {
      const token = tokenOf(201)
      const createIn = async (full_name: string) => {
        const { status } = await service.api('POST', `/api/v1/repos/${full_name}/notables`, {
          token,
          body: NOTABLE,
        })
        expect(status).toBe(201)
      }
      await createIn(names[0] as string)
      const db = service.db
      const others = names.slice(1, 200).map((full_name, at) => ({
        repo_id: 10_001 + at,
        name: full_name.slice('big/'.length),
      }))
      const [known] = await db.select().from(repositories).where(eq(repositories.repo_id, 10_000))
      const [live] = await db.select().from(live_sets).where(eq(live_sets.repo_id, 10_000))
      const [notable] = await db.select().from(notables).where(eq(notables.repo_id, 10_000))
      if (!known || !live || !notable) throw new Error('nothing was created')
      const { expires_hour: _, ...columns } = notable
      await db.insert(repositories).values(others.map((other) => ({ ...known, ...other })))
      await db.insert(live_sets).values(others.map(({ repo_id }) => ({ ...live, repo_id })))
      await db.insert(notables).values(others.map(({ repo_id }) => ({ ...columns, repo_id })))
      const all = await overview(token)
      expect(all.body.items.length).toBe(200)
      expect(all.body.complete).toBe(true)
      // One for the request, and two for the work of 200 repositories.
      service.clock.advance(30_000)
      expect(left(all) - left(await overview(token))).toBe(3)
      await createIn(names[200] as string)
      const cut = await overview(token)
      expect(cut.body.items.length).toBe(200)
      expect(cut.body.complete).toBe(false)
    })
  })

  test('is not complete where GitHub leaves out an organisation with single sign-on', async () => {
    const permissions = { 'acme/shop': 'read', 'globex/till': 'read' } as const
    github.repository({ id: 9_000, full_name: 'globex/till' })
    github.token('eve', { login: 'eve', id: 9, permissions, without_sso: ['globex'] })
    const { body } = await overview('eve')
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['shop'])
    expect(body.complete).toBe(false)
    github.token('fay', { login: 'fay', id: 10, permissions })
    expect((await overview('fay')).body.complete).toBe(true)
  })

  test('lists the repositories of an installation for its token', async () => {
    github.installation('bot', { 'acme/shop': 'write' })
    const { status, body } = await overview('bot')
    expect(status).toBe(200)
    expect(body).toEqual({ items: [], complete: false })
  })

  test.each([
    ['unknown token', undefined, '401 unauthorized'],
    ['ada', 'server_error', '503 service_unavailable'],
    ['ada', 'rate_limited', '429 rate_limited'],
  ] as const)('answers %s %s: %s', async (token, fault, expected) => {
    service.clock.advance(60_001)
    if (fault) github.fault(LIST, fault, 1)
    const { status, body } = await overview(token)
    expect(`${status} ${body.error.type}`).toBe(expected)
  })
})
