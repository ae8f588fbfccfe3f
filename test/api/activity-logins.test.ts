/** The GitHub logins of the creator and of the user who archived an activity. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ACTIVITY, outcome } from '../support/routes.ts'
import { useService } from '../support/service.ts'

const USER = 'GET /user'

const { github, service } = useService()
/** A token of Ada that only the current test uses, so that nothing is cached for it. */
let token: string
let tests = 0

beforeAll(() => {
  github.token('ben', { login: 'ben', id: 2, permissions: { 'acme/shop': 'write' } })
  github.installation('app', { 'acme/shop': 'write' })
})
beforeEach(() => {
  token = `ada-${++tests}`
  github.token(token, { login: 'ada', id: 1, permissions: { 'acme/shop': 'write' } })
  service.clock.advance(1000)
})

const create = (as = token) => service.api('POST', '/activity', { body: ACTIVITY, token: as })
const archive = (id: string, as = token) => service.api('POST', `/activity/${id}/archive`, { token: as })
const patch = (id: string, body: object, as = token) =>
  service.api('PATCH', `/activity/${id}`, { body, token: as })
const heartbeat = (id: string) => service.api('POST', `/activity/${id}/heartbeat`, { token })
const idOf = async (as?: string): Promise<string> => (await create(as)).body.activity.id
const read = async (id: string) => (await service.api('GET', `/activity/${id}`, { token: 'ben' })).body
const loginsOf = async (id: string) => {
  const { created_by, archived_by } = await read(id)
  return { created_by, archived_by }
}

describe('an activity', () => {
  test('names the login that archived it first', async () => {
    const id = await idOf()
    await archive(id, 'ben')
    await archive(id)
    expect(await loginsOf(id)).toEqual({ created_by: 'ada', archived_by: 'ben' })
  })

  test('names no login when an installation token created and archived it', async () => {
    const id = await idOf('app')
    await archive(id, 'app')
    expect(await loginsOf(id)).toEqual({ created_by: null, archived_by: null })
  })
})

describe('GitHub', () => {
  const calls: [string, (id: string) => Promise<unknown>, number][] = [
    ['a create', () => create(), 1],
    ['an archive', (id) => archive(id), 1],
    ['a PATCH to archived', (id) => patch(id, { status: 'archived' }), 1],
    ['any other PATCH', (id) => patch(id, { status: 'paused' }), 0],
    ['a heartbeat', heartbeat, 0],
  ]

  test.each(calls)(
    'receives one request for the login, from %s, when it is needed',
    async (_, call, times) => {
      const id = await idOf('ben')
      const before = github.calls(USER)
      await call(id)
      expect(github.calls(USER)).toBe(before + times)
      await create()
      expect(github.calls(USER)).toBe(before + 1)
    },
  )

  test.each([
    ['server_error', '503 service_unavailable'],
    ['wrong_shape', '503 service_unavailable'],
    ['rate_limited', '429 rate_limited'],
  ] as const)('answering %s for the login rejects the request without a change', async (fault, refusal) => {
    const id = await idOf('ben')
    const before = await read(id)
    const { items } = (await service.api('GET', '/activity')).body
    github.fault(USER, fault)
    expect(outcome(await create())).toBe(refusal)
    expect(outcome(await archive(id))).toBe(refusal)
    expect(outcome(await patch(id, { status: 'archived' }))).toBe(refusal)
    expect(await read(id)).toEqual(before)
    expect(await service.list()).toEqual(items)
    github.clearFaults()
    service.clock.advance(60_001)
    await archive(id)
    expect((await read(id)).archived_by).toBe('ada')
  })
})
