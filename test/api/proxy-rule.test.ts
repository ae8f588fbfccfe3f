/** The proxy rule in docs/observability.md hides the metrics and no other address of the service. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROUTES } from '../support/routes.ts'
import { useService } from '../support/service.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
/** The pattern of a case-insensitive nginx `location`, and the status that it returns. */
const LOCATION = /location ~\* (\S+) \{\s*return (\d+);\s*\}/
const [, pattern = '', status] = LOCATION.exec(read('docs/observability.md')) ?? []
const hidden = new RegExp(pattern, 'i')

const repository = '/repos/acme/shop'
const PUBLIC = [
  ...['/api/v1', '/v1'].flatMap((base) => [
    `${base}/openapi.json`,
    ...ROUTES.map(({ path }) => `${base}${repository}${path.replace('{id}', 'act_metrics')}`),
  ]),
  '/',
  '/session',
  '/session/login',
  '/session/callback',
  '/session/logout',
  '/docs',
  '/mcp',
  '/api/github/webhooks',
  '/healthz',
  '/readyz',
]

const { service } = useService()

async function messageAt(path: string): Promise<string> {
  const response = await fetch(`${service.url}${path}`, { redirect: 'manual' })
  return response.text()
}

test('the documented rule equals the one of the proxy in Compose', () => {
  expect(status).toBe('404')
  expect(LOCATION.exec(read('deploy/nginx.conf'))?.[1]).toBe(pattern)
})

test.each([...new Set(PUBLIC)])('%s is forwarded', async (path) => {
  expect(await messageAt(path)).not.toContain('no route has this path')
  expect(path).not.toMatch(hidden)
})

test.each(['/metrics', '/metrics/', '/METRICS', '/Metrics/'])('%s is hidden', async (path) => {
  expect(await messageAt(path)).toContain('deconflict_database_up')
  expect(path).toMatch(hidden)
})
