/** `HTTPS_PROXY` and `NO_PROXY`: the built command, its hooks and the built service, where only a proxy reaches the other side. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { startBuiltService } from '../support/built-service.ts'
import { startDeployment } from '../support/deployment.ts'
import { type HttpsProxy, startHttpsProxy } from '../support/https-proxy.ts'
import { useShop } from '../support/shop.ts'
import { forTest } from '../support/use-started.ts'

const NAME = 'deconflict.test'
/** `ada:pass word`, in base64. */
const AUTHORIZATION = 'Basic YWRhOnBhc3Mgd29yZA=='

describe('the command', () => {
  const { shop, tree } = useShop()
  let proxy: HttpsProxy
  let env: Record<string, string>
  beforeEach(async () => {
    proxy = await startHttpsProxy(NAME, shop.url)
    env = { ...proxy.env, DECONFLICT_URL: `https://${NAME}` }
  })
  afterEach(() => proxy.close())

  test('reaches the server through HTTPS_PROXY, with its user and password', async () => {
    const { code, stderr } = await tree.runProcess(['start', 'Retry payments'], { env })
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(await shop.list()).toMatchObject([{ title: 'Retry payments' }])
    expect(proxy.tunnels[0]).toEqual({ target: `${NAME}:443`, authorization: AUTHORIZATION })
  })

  test('runs hooks through it', async () => {
    await tree.write({ 'src/checkout/retry.ts': 'export const retries = 2\n' })
    const input = JSON.stringify({ session_id: 's1', cwd: tree.path, transcript_path: '/t' })
    const hook = ['hook', 'session-start', '--agent', 'claude-code']
    const limit = { DECONFLICT_HOOK_TIMEOUT_MS: '30000' }
    const { code, stderr } = await tree.runProcess(hook, { env: { ...env, ...limit }, input })
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(proxy.tunnels[0]?.target).toBe(`${NAME}:443`)
    expect(await shop.list()).toMatchObject([{ agent: 'claude-code' }])
  })

  // `test/rules/config.test.ts` has every form of the variables.
  test.each<[string, Record<string, string>, string]>([
    ['does not use it with NO_PROXY', { NO_PROXY: '.test' }, `https://${NAME} cannot be reached`],
    [
      'names a proxy that does not answer, without its password',
      { HTTPS_PROXY: 'http://ada:secret@127.0.0.1:1' },
      'ECONNREFUSED; HTTPS_PROXY is 127.0.0.1:1',
    ],
  ])('%s', async (_, more, error) => {
    const { code, stderr } = await tree.runProcess(['list'], { env: { ...env, ...more } })
    expect(code).toBe(1)
    expect(stderr).toContain(error)
    expect(stderr).not.toContain('secret')
    expect(proxy.tunnels).toEqual([])
  })

  test('doctor names the proxy, and reaches the server through it', async () => {
    const { stdout } = await tree.runProcess(['doctor'], { env: { ...env, NO_PROXY: '.corp' } })
    expect(stdout).toContain(`ok       proxy       ${proxy.host} (HTTPS_PROXY), except for .corp (NO_PROXY)`)
    expect(stdout).toMatch(new RegExp(`ok +server +https://${NAME}, version`))
    expect(stdout).toMatch(/ok +token +accepted/)
    expect(stdout).not.toContain('pass')
  })
})

test('the bundle that each hook loads does not contain what only a proxy needs', async () => {
  const bundle = await readFile(fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url)), 'utf8')
  expect(bundle).not.toContain('proxy-authorization')
})

test.each([
  ['calls GitHub through HTTPS_PROXY', {}, 200],
  ['reaches a host in NO_PROXY without the proxy', { NO_PROXY: '.test' }, 503],
])('the service %s', async (_, env, status) => {
  const github = await forTest(startDeployment())
  const proxy = await forTest(startHttpsProxy('api.github.test', github.url))
  const urls = { GITHUB_API_URL: 'https://api.github.test', GITHUB_WEB_URL: 'https://api.github.test' }
  const service = await forTest(startBuiltService({ ...proxy.env, ...urls, ...env }))
  expect((await apiAt(service.url, 'ada')('GET', '/activity')).status).toBe(status)
  const tunnels = [{ target: 'api.github.test:443', authorization: AUTHORIZATION }]
  expect(proxy.tunnels.slice(0, 1)).toEqual(status === 200 ? tunnels : [])
})
