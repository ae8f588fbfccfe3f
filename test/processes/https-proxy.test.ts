/** `HTTPS_PROXY` and `NO_PROXY`: the built command, its hooks and the built service, where only a proxy reaches the other side. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { apiAt } from '../support/api.ts'
import { startBuiltService } from '../support/built-service.ts'
import { type HttpsProxy, startHttpsProxy } from '../support/https-proxy.ts'
import { useShop } from '../support/shop.ts'

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
    expect((await shop.api('GET', '/activity')).body.items).toMatchObject([{ title: 'Retry payments' }])
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
    expect((await shop.api('GET', '/activity')).body.items).toMatchObject([{ agent: 'claude-code' }])
  })

  test('prefers https_proxy', async () => {
    const { HTTPS_PROXY = '' } = env
    const both = { ...env, https_proxy: HTTPS_PROXY, HTTPS_PROXY: 'http://127.0.0.1:1' }
    expect((await tree.runProcess(['list'], { env: both })).code).toBe(0)
  })

  test.each([NAME, '.test', '*'])('does not use it with NO_PROXY=%s', async (NO_PROXY) => {
    const { code, stderr } = await tree.runProcess(['list'], { env: { ...env, NO_PROXY } })
    expect(code).toBe(1)
    expect(stderr).toContain(`https://${NAME} cannot be reached`)
    expect(proxy.tunnels).toEqual([])
  })

  test('does not use it for a server on this machine', async () => {
    const { code } = await tree.runProcess(['list'], { env: { ...env, DECONFLICT_URL: shop.url } })
    expect(code).toBe(0)
    expect(proxy.tunnels).toEqual([])
  })

  test('names the proxy that does not answer, without its password', async () => {
    const HTTPS_PROXY = 'http://ada:secret@127.0.0.1:1'
    const { code, stderr } = await tree.runProcess(['list'], { env: { ...env, HTTPS_PROXY } })
    expect(code).toBe(1)
    expect(stderr).toContain('ECONNREFUSED; HTTPS_PROXY is 127.0.0.1:1')
    expect(stderr).not.toContain('secret')
  })

  test('refuses a value that is no proxy, without showing it', async () => {
    const HTTPS_PROXY = 'socks5://ada:secret@127.0.0.1:1'
    const { code, stderr } = await tree.runProcess(['list'], { env: { ...env, HTTPS_PROXY } })
    expect(code).toBe(1)
    expect(stderr).toBe('deconflict: HTTPS_PROXY must be the http:// or https:// URL of a proxy\n')
  })

  const doctor = async (more: Record<string, string>) =>
    (await tree.runProcess(['doctor'], { env: { ...env, ...more } })).stdout

  test('doctor names the proxy, and reaches the server through it', async () => {
    const stdout = await doctor({ NO_PROXY: '.corp' })
    expect(stdout).toContain(`ok       proxy       ${proxy.host} (HTTPS_PROXY), except for .corp (NO_PROXY)`)
    expect(stdout).toMatch(new RegExp(`ok +server +https://${NAME}, version`))
    expect(stdout).toMatch(/ok +token +accepted/)
    expect(stdout).not.toContain('pass')
  })

  test('doctor says that a proxy is not used for a server on this machine', async () => {
    expect(await doctor({ DECONFLICT_URL: shop.url })).toContain(
      `${proxy.host} (HTTPS_PROXY), not used for ${shop.url}`,
    )
  })

  test('doctor says nothing of a proxy where there is none', async () => {
    expect(await doctor({ HTTPS_PROXY: '', DECONFLICT_URL: shop.url })).not.toContain('proxy')
  })
})

test('the bundle that each hook loads does not contain what only a proxy needs', async () => {
  const bundle = await readFile(fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url)), 'utf8')
  expect(bundle).not.toContain('proxy-authorization')
})

test('the service calls GitHub through HTTPS_PROXY', async () => {
  const proxy = await startHttpsProxy('github.test', inject('shared_service').github_url)
  const service = await startBuiltService({
    ...proxy.env,
    GITHUB_API_URL: 'https://github.test',
    GITHUB_WEB_URL: 'https://github.test',
  })
  expect((await apiAt(service.url, 'tok-ada')('GET', '/activity')).status).toBe(200)
  expect(proxy.tunnels[0]).toEqual({ target: 'github.test:443', authorization: AUTHORIZATION })
  await service.close()
  await proxy.close()
})

test('the service reaches a host in NO_PROXY without the proxy', async () => {
  const proxy = await startHttpsProxy('github.test', inject('shared_service').github_url)
  const service = await startBuiltService({
    ...proxy.env,
    NO_PROXY: '.test',
    GITHUB_API_URL: 'https://github.test',
    GITHUB_WEB_URL: 'https://github.test',
  })
  expect((await apiAt(service.url, 'tok-ada')('GET', '/activity')).status).toBe(503)
  expect(proxy.tunnels).toEqual([])
  await service.close()
  await proxy.close()
})
