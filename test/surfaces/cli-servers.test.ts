/** The command with servers that do not respond, are of an earlier release, serve another GitHub, or are not reached over https. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BuiltService, startBuiltService } from '../support/built-service.ts'
import { apiAt } from '../support/service.ts'
import { type SilentServer, startFullServer, startSilentServer } from '../support/silent-server.ts'
import { type WorkingTree, workingTree } from '../support/working-tree.ts'

let shop: BuiltService
let tree: WorkingTree
let silent: SilentServer | undefined

beforeAll(async () => {
  shop = await startBuiltService()
})
afterAll(() => shop.close())
beforeEach(async () => {
  tree = await workingTree({ DECONFLICT_URL: shop.url, GITHUB_TOKEN: 'tok-ada' })
  await tree.git('checkout', '-q', '-b', 'work')
  await tree.write({ 'src/checkout/retry.ts': 'changed' })
  await tree.git('add', '-A')
})
afterEach(async () => {
  await silent?.close()
  silent = undefined
  await tree.remove()
})

describe('a push', () => {
  // The start of the process takes some of the three seconds.
  const TIMED_OUT = /^deconflict: not checked: http:\S+ did not answer within [0-2](\.\d)? s\n$/

  test.each([
    ['to any request', {}, ['/healthz']],
    [
      'to the check',
      { '/healthz': { status: 'ok', github_host: 'github.com' } },
      ['/healthz', '/api/v1/repos/acme/shop/activity/check'],
    ],
  ])('waits at most three seconds for a server that does not respond %s', async (_, answers, requests) => {
    silent = await startSilentServer(answers)
    const env = { DECONFLICT_URL: silent.url }
    const ran = await tree.run(['check', '--staged'], { env })
    expect(ran).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(TIMED_OUT) })
    // All requests share one time budget, and none is retried.
    expect(silent.requests).toEqual(requests)
    expect((await tree.run(['check', '--staged', '--block'], { env })).code).toBe(1)
  })

  test('does not wait for a connection that is never accepted', async () => {
    const full = await startFullServer()
    // Without an explicit exit, Node would try to connect for ten more seconds.
    const options = { env: { DECONFLICT_URL: full.url }, timeout_ms: 10_000 }
    const ran = await tree.run(['check', '--staged'], options)
    await full.close()
    expect(ran).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(TIMED_OUT) })
  })
})

describe('the hook of an agent', () => {
  const HOOK = ['hook', 'session-start', '--agent', 'claude-code']
  /** Agents kill a hook after this time. */
  const AGENT_TIMEOUT_MS = 10_000
  const input = JSON.stringify({ session_id: 's1' })

  test('releases its lock if it is killed', async () => {
    silent = await startSilentServer()
    const killed = tree.start(HOOK, { env: { DECONFLICT_URL: silent.url }, input })
    // The hook holds the lock while it sends requests.
    await expect.poll(() => silent?.requests.length, { timeout: 60_000, interval: 20 }).toBe(1)
    await killed.stop('SIGKILL')
    const next = await tree.run(HOOK, { input, timeout_ms: AGENT_TIMEOUT_MS })
    expect(next).toEqual({ code: 0, stdout: '', stderr: '' })
    const { body } = await apiAt(shop.url, 'tok-ada')('GET', '/activity')
    expect(body.items).toMatchObject([{ agent: 'claude-code', branch: 'work' }])
  })

  test('ends before the agent would kill it, even if the server does not respond', async () => {
    silent = await startSilentServer()
    const options = { env: { DECONFLICT_URL: silent.url }, input, timeout_ms: AGENT_TIMEOUT_MS }
    const both = await Promise.all([tree.run(HOOK, options), tree.run(HOOK, options)])
    for (const ran of both)
      expect(ran).toEqual({
        code: 0,
        stdout: '',
        stderr: expect.stringMatching(/^deconflict: (http:\S+ did not answer|another hook of this session)/),
      })
  })
})

describe('a remote on github.com', () => {
  const listOn = async (github_host: string) => {
    silent = await startSilentServer({
      '/healthz': { status: 'ok', github_host },
      '/api/v1/repos/acme/shop/activity': { items: [], next_cursor: null },
    })
    return tree.run(['list'], { env: { DECONFLICT_URL: silent.url } })
  }

  test.each(['github.com', '127.0.0.1:3999', 'localhost:3999', 'localhost', '[::1]:3999'])(
    'is accepted if the GitHub of the service is %s',
    async (github_host) => {
      expect(await listOn(github_host)).toMatchObject({ code: 0, stderr: '' })
    },
  )

  test.each(['ghe.example.com', 'localhost.evil.test', '10.0.0.7:3999'])(
    'is refused if the GitHub of the service is %s',
    async (github_host) => {
      const { code, stderr } = await listOn(github_host)
      const [hostname] = github_host.split(':')
      expect([code, stderr]).toEqual([1, expect.stringContaining(`serves repositories on ${hostname};`)])
    },
  )

  test('on a host whose name begins with www is accepted by the service of that host', async () => {
    await tree.git('remote', 'set-url', 'origin', 'https://www.ghe.example.com/acme/shop')
    expect(await listOn('www.ghe.example.com')).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('a service of an earlier release', () => {
  const SHOP = '/api/v1/repos/acme/shop'
  const activity = (id: string, branch: string) => ({
    id,
    title: `Work on ${branch}`,
    actor: 'Ben',
    agent: null,
    branch,
    status: 'active',
    risk: 'low',
    blocking: false,
    scope: { areas: [], paths: ['src/**'] },
    heartbeat_at: null,
    created_at: '2026-01-31T09:30:00.000Z',
  })
  const HEARTBEAT = {
    id: 'act_a',
    heartbeat_at: '2026-01-31T09:30:00.000Z',
    expires_at: '2026-02-01T09:30:00.000Z',
  }
  const overlap = { overlap_detected: true, severity: 'medium', related_activity_ids: ['act_b'] }
  const runOn = async (args: string[], answers: Record<string, object>, input?: string) => {
    silent = await startSilentServer({ '/healthz': { status: 'ok' }, ...answers })
    const ran = await tree.run(args, { env: { DECONFLICT_URL: silent.url }, input })
    await silent.close()
    silent = undefined
    return ran
  }

  test('that does not name what overlaps: heartbeat counts it', async () => {
    const answers = { [`${SHOP}/activity/act_a/heartbeat`]: { ...HEARTBEAT, overlap } }
    const { code, stdout } = await runOn(['heartbeat', 'act_a'], answers)
    expect([code, stdout]).toEqual([2, expect.stringMatching(/\nOverlap, medium\n {2}with 1 activity\n/)])
  })

  test('that reports no overlap: heartbeat succeeds, on the base branch too', async () => {
    const answers = { [`${SHOP}/activity/act_a/heartbeat`]: HEARTBEAT }
    expect(await runOn(['heartbeat', 'act_a'], answers)).toMatchObject({ code: 0, stderr: '' })
    await tree.git('checkout', '-q', 'main')
    expect(await runOn(['heartbeat', 'act_a'], answers)).toMatchObject({ code: 0, stderr: '' })
  })

  test('that does not count its collisions: watch counts them', async () => {
    const { stdout } = await runOn(['watch', '--once'], {
      [`${SHOP}/activity?limit=100`]: {
        items: [activity('act_a', 'work'), activity('act_b', 'tidy')],
        next_cursor: null,
      },
      [`${SHOP}/notables?limit=100`]: { items: [], next_cursor: null },
      [`${SHOP}/overlaps`]: {
        items: [
          {
            activity_ids: ['act_a', 'act_b'],
            severity: 'medium',
            areas: [],
            paths: [{ globs: ['src/**', 'src/**'], example: 'src/a' }],
          },
        ],
        checked_against: { activities: 2, as_of: HEARTBEAT.heartbeat_at, complete: false },
      },
    })
    expect(stdout).toMatch(/^acme\/shop {2}2 activities, at least 1 collision, 0 notables/)
    expect(stdout).toMatch(/\n {2}collision, medium {2}Work on tidy {2}by Ben {2}src\/a\n/)
    expect(stdout).toContain('The comparison is incomplete, so there may be more collisions.')
  })
})

describe('a token over http:// to another machine', () => {
  /** The same server at an address that is not recognized as loopback. */
  const elsewhere = () => shop.url.replace(/\/\/[^:]+/, '//0.0.0.0')
  const refusal = () =>
    `deconflict: ${elsewhere()} does not use https://, so your GitHub token could be read in transit; use https://, or pass --insecure or set DECONFLICT_INSECURE=1 to send it anyway\n`

  test('is sent by no command', async () => {
    const env = { DECONFLICT_URL: elsewhere() }
    for (const args of [['check'], ['start', 'x'], ['list'], ['watch', '--once'], ['mcp'], ['login']])
      expect(await tree.run(args, { env })).toEqual({ code: 1, stdout: '', stderr: refusal() })
    const login = await tree.run(['login', elsewhere(), '--with-token'], { input: 'tok-ada\n' })
    expect(login).toEqual({ code: 1, stdout: '', stderr: refusal() })
    const hook = await tree.run(['hook', 'session-start', '--agent', 'cursor'], { env })
    expect(hook).toEqual({ code: 0, stdout: '', stderr: refusal() })
    const push = await tree.run(['check', '--staged'], { env })
    expect(push).toMatchObject({ code: 0, stderr: expect.stringContaining('not checked: ') })
  })

  test('is sent if --insecure or DECONFLICT_INSECURE allows it', async () => {
    expect((await tree.run(['list', '--url', elsewhere(), '--insecure'])).code).toBe(0)
    const env = { DECONFLICT_URL: elsewhere(), DECONFLICT_INSECURE: '1' }
    expect((await tree.run(['check'], { env })).code).toBe(0)
    const login = await tree.run(['login', elsewhere(), '--insecure'])
    expect([login.code, login.stdout]).toEqual([
      0,
      expect.stringMatching(/needs --insecure or DECONFLICT_INSECURE=1/),
    ])
    const hook = await tree.run(['hook', 'session-end', '--agent', 'cursor', '--insecure'], { env })
    expect(hook).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})
