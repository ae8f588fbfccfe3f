/**
 * The built service with `emulate`, a GitHub that others wrote: sign-in, the App's webhooks, its comment, and its settings
 * file. Not its lines: pull requests of emulate have no files. Nor what a push changes: its webhook has no `pusher`.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, apiAt } from '../support/api.ts'
import { type Emulate, startEmulate } from '../support/emulate.ts'
import { freePort } from '../support/postgres.ts'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { useDatabase } from '../support/use-deployment.ts'

let emulate: Emulate
const database = useDatabase()
let service: ServiceProcess
let ada: string
let api: Api

/** A comment is edited at most every 30 seconds. */
const WAIT_OPTIONS = { timeout: 90_000, interval: 250 }
const COMMENTS = '/issues/1/comments'

beforeAll(async () => {
  const port = await freePort()
  emulate = await startEmulate(`http://127.0.0.1:${port}`)
  ada = await emulate.tokenOf('ada')
  await emulate.write(ada, 'main', '.github/deconflict.yml', 'notable_ttl_ms: 3600000\n')
  const env = { DATABASE_URL: database.database_url, DATA_DIR: database.data_dir }
  service = await startProcess({ ...env, ...emulate.env, PORT: String(port) })
  api = apiAt(service.url, ada)
})

afterAll(async () => {
  await service?.kill('SIGTERM')
  await emulate?.close()
})

/** The body of the App's only comment on pull request 1; empty before there is one. */
async function comment(): Promise<string> {
  const comments: { body: string; user: { login: string } }[] = await emulate.call(ada, 'GET', COMMENTS)
  const own = comments.filter(({ user }) => user.login === 'deconflict[bot]')
  expect(own.length).toBeLessThanOrEqual(1)
  return own[0]?.body ?? ''
}

test('signs a person in by OAuth', async () => {
  const begun = await fetch(`${service.url}/session/login`, { redirect: 'manual' })
  const asked = new URL(begun.headers.get('location') as string)
  expect(asked.pathname).toBe('/login/oauth/authorize')
  const { redirect_uri = '', state = '' } = Object.fromEntries(asked.searchParams)
  const granted = await emulate.authorize('ada', redirect_uri, state)
  const completed = await fetch(granted, { redirect: 'manual', headers: { cookie: cookies(begun) } })
  expect(completed.headers.get('location')).toBe('/')
  const headers = { cookie: cookies(completed), 'x-deconflict-page': '1' }
  const session = await fetch(`${service.url}/session`, { headers })
  expect(await session.json()).toMatchObject({ is_signed_in: true, login: 'ada' })
})

test('tracks a pull request by its webhook, and comments on it as the App', async () => {
  const notable = { summary: 'No merges.', importance: 'high', category: 'process', blocking: true }
  const { body } = await api('POST', '/notables', { body: { ...notable, title: 'Release freeze' } })
  const { object } = await emulate.call(ada, 'GET', '/git/ref/heads/main')
  await emulate.call(ada, 'POST', '/git/refs', { ref: 'refs/heads/retries', sha: object.sha })
  await emulate.write(ada, 'retries', 'src/retry.ts', 'export const retries = 3\n')
  await emulate.call(ada, 'POST', '/pulls', { title: 'Retry payments', head: 'retries', base: 'main' })
  const tracked = async () => (await api('GET', '/activity')).body.items[0]
  await expect.poll(tracked, WAIT_OPTIONS).toMatchObject({ title: 'Retry payments', branch: 'retries' })
  await expect.poll(comment, WAIT_OPTIONS).toContain('Release freeze')
  await api('PATCH', `/notables/${body.id}`, { body: { title: 'Freeze until Friday' } })
  await expect.poll(comment, WAIT_OPTIONS).toContain('Freeze until Friday')
})

test('reads the settings file from the default branch', async () => {
  const settings = async () => (await api('GET', '/settings')).body
  await expect.poll(settings, WAIT_OPTIONS).toMatchObject({ source: 'file', notable_ttl_ms: 3_600_000 })
})

function cookies(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}
