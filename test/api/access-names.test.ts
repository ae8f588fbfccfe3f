/** Which repository and record an address refers to: current and former names, and ids of other repositories. */
import { describe, expect, test } from 'vitest'
import { openRawConnection } from '../support/raw-connection.ts'
import {
  ACTIVITY,
  call,
  createRecords,
  NOTABLE,
  outcome,
  outcomes,
  ROUTES,
  unknownId,
} from '../support/routes.ts'
import { useService } from '../support/service.ts'

const OTHER = '/api/v1/repos/acme/other'
const { github, service } = useService({ repositories: ['acme/shop', 'acme/other'] })

/** Sends the path unchanged; `fetch` resolves `..` before it sends a request. */
async function getAsWritten(path: string): Promise<string> {
  const { socket, write, answer } = await openRawConnection(service.url)
  write(`GET ${path} HTTP/1.1\r\nhost: here\r\nauthorization: Bearer ada\r\n\r\n`)
  const found = await answer()
  socket.destroy()
  return outcome(found)
}

describe('a record of another repository', () => {
  const withId = ROUTES.filter(({ record }) => record !== null)

  // Threat: Using the id of another repository's record
  test('is 404 on every route and is not changed', async () => {
    const ids = await createRecords(service, OTHER)
    const before = await service.api('GET', `${OTHER}/activity/${ids.act}`)
    const answers = await outcomes(withId, (route) =>
      call(service, route, { ids, body: route.method === 'PATCH' ? { title: 'Taken over' } : undefined }),
    )
    expect(answers).toEqual(Object.fromEntries(withId.map(({ name }) => [name, '404 not_found'])))
    const after = await service.api('GET', `${OTHER}/activity/${ids.act}`)
    expect(after.body).toEqual(before.body)
  })

  // Threat: Another repository's notable through `supersedes`
  test('cannot be superseded', async () => {
    const { ntb } = await createRecords(service, OTHER)
    const answer = await service.api('POST', '/notables', { body: { ...NOTABLE, supersedes: [ntb] } })
    expect(outcome(answer)).toBe('422 validation_error')
    expect(answer.body.error.param).toBe('supersedes[0]')
    const kept = await service.api('GET', `${OTHER}/notables/${ntb}`)
    expect(kept.body).toMatchObject({ status: 'active', superseded_by: null })
  })

  // Threat: Another repository's record in a list or an overlap check
  test('is in no list and no overlap', async () => {
    const ids = await createRecords(service, OTHER)
    const texts = [
      await service.api('GET', '/activity?limit=100'),
      await service.api('GET', '/notables?limit=100'),
      await service.api('POST', '/activity/check', { body: { scope: { paths: ['**'] } } }),
    ].map(({ body }) => JSON.stringify(body))
    for (const text of texts) {
      expect(text).not.toContain(ids.act)
      expect(text).not.toContain(ids.ntb)
    }
  })
})

describe('names', () => {
  // Threat: Another repository through a name: `..`, encoded slashes, a reused name
  // Threat: Server-side request forgery through `GITHUB_API_URL`
  test.each([
    '..',
    '.',
    '%2e%2e',
    '%2E',
    'a%2Fb',
    'a%5Cb',
    'a%20b',
    'a%3Fb',
    'a%23b',
    'a%0d%0ab',
    'caf%C3%A9',
    'x'.repeat(101),
  ])('spelt %s never reach GitHub', async (name) => {
    const before = github.calls('* /repos*')
    for (const repository of [`${name}/shop`, `acme/${name}`]) {
      const path = `/api/v1/repos/${repository}`
      expect(await getAsWritten(`${path}/activity`)).toBe('403 forbidden')
      expect(await getAsWritten(`${path}/activity/${unknownId('act')}`)).toBe('404 not_found')
    }
    expect(github.calls('* /repos*')).toBe(before)
  })

  test('that are invalid on GitHub do not hide a bad token', async () => {
    for (const path of ['/activity', `/activity/${unknownId('act')}`]) {
      const answer = await service.api('GET', `/api/v1/repos/acme/a%20b${path}`, { token: 'nobody' })
      expect(outcome(answer)).toBe('401 unauthorized')
    }
  })

  test('that are not valid percent-encoding are 404', async () => {
    expect(await getAsWritten('/api/v1/repos/acme/%zz/activity')).toBe('404 not_found')
  })

  test('are case-insensitive', async () => {
    const { act } = await createRecords(service)
    const got = await service.api('GET', `/api/v1/repos/ACME/Shop/activity/${act}`)
    expect(got.body.id).toBe(act)
  })

  // Threat: Another repository through a name: `..`, encoded slashes, a reused name
  test('that another repository takes over do not lead to the records of the first one', async () => {
    github.repository({ id: 30, full_name: 'acme/reused' })
    github.token('max', { login: 'max', id: 30, permissions: { 'acme/reused': 'write' } })
    const path = '/api/v1/repos/acme/reused/activity'
    await service.api('POST', path, { token: 'max', body: ACTIVITY })
    github.remove('acme/reused')
    github.repository({ id: 31, full_name: 'acme/reused' })
    service.clock.advance(60_001)
    expect((await service.api('GET', path, { token: 'max' })).body.items).toEqual([])
  })
})
