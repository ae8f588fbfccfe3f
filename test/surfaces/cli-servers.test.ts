/** The command with servers that do not respond, serve another GitHub, or are not reached over https. */
import { beforeEach, describe, expect, test } from 'vitest'
import { useShop } from '../support/shop.ts'
import { startSilentServer } from '../support/silent-server.ts'

const { shop, tree } = useShop()

beforeEach(async () => {
  await tree.write({ 'src/checkout/retry.ts': 'changed' })
  await tree.git('add', '-A')
})

test.each([
  ['to any request', {}, ['/healthz']],
  [
    'to the check',
    { '/healthz': { status: 'ok', github_host: 'github.com' } },
    ['/healthz', '/api/v1/repos/acme/shop/activity/check'],
  ],
])(
  'a push waits at most three seconds for a server that does not respond %s',
  async (_, answers, requests) => {
    const silent = await startSilentServer(answers)
    // Two of the seconds are over when the command gets to its requests.
    const options = { env: { DECONFLICT_URL: silent.url }, uptime_ms: 2000 }
    const ran = await tree.run(['check', '--staged'], options)
    const { stdout, ...rest } = ran
    expect(rest).toEqual({ code: 0, stderr: '' })
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'the service did not answer; compared within this clone only',
    )
    // All requests share one time budget, and none is retried.
    expect(silent.requests).toEqual(requests)
  },
)

describe('a remote is compared with the GitHub of the service:', () => {
  test.each([
    ['git@github.com:acme/shop.git', 'localhost:3999', true],
    ['git@github.com:acme/shop.git', '[::1]:3999', true],
    ['git@github.com:acme/shop.git', 'ghe.example.com', false],
    ['git@github.com:acme/shop.git', 'localhost.evil.test', false],
    ['git@acme.ghe.com:acme/shop.git', 'acme.ghe.com', true],
    ['https://www.ghe.example.com/acme/shop', 'www.ghe.example.com', true],
  ])('%s, %s: %s', async (remote, github_host, isAccepted) => {
    const silent = await startSilentServer({
      '/healthz': { status: 'ok', github_host },
      '/api/v1/repos/acme/shop/activity': { items: [], next_cursor: null },
      '/api/v1/repos/acme/shop/overlaps': { items: [], checked_against: { complete: true } },
    })
    await tree.git('remote', 'set-url', 'origin', remote)
    const { code, stderr } = await tree.run(['list'], { env: { DECONFLICT_URL: silent.url } })
    expect(code).toBe(isAccepted ? 0 : 1)
    if (isAccepted) expect(stderr).toBe('')
    else expect(stderr).toContain(`serves repositories on ${github_host.split(':')[0]};`)
  })
})

describe('a token over http:// to another machine', () => {
  /** The same server at an address that is not recognized as loopback. */
  const elsewhere = () => shop.url.replace(/\/\/[^:]+/, '//0.0.0.0')
  const refusal = () =>
    `deconflict: ${elsewhere()} does not use https://, so your GitHub token could be read in transit; use https://, or pass --insecure or set DECONFLICT_INSECURE=1 to send it anyway\n`

  // Threat: A token intercepted on its way to the service
  test('is sent by no command', async () => {
    const env = { DECONFLICT_URL: elsewhere() }
    for (const args of [['check'], ['start', 'x'], ['list'], ['mcp'], ['login']])
      expect(await tree.run(args, { env })).toEqual({ code: 1, stdout: '', stderr: refusal() })
    const login = await tree.run(['login', elsewhere(), '--with-token'], { input: 'tok-ada\n' })
    expect(login).toEqual({ code: 1, stdout: '', stderr: refusal() })
    const hook = await tree.run(['hook', 'session-start', '--agent', 'cursor'], { env })
    expect(hook).toEqual({ code: 0, stdout: '', stderr: refusal() })
    const push = await tree.run(['check', '--staged'], { env })
    expect(push).toMatchObject({ code: 0, stderr: expect.stringContaining('not checked: ') })
  })

  test('is sent if --insecure or DECONFLICT_INSECURE allows it', async () => {
    const listed = await tree.run(['list', '--url', elsewhere(), '--insecure'])
    expect(listed, listed.stderr).toMatchObject({ code: 0, stderr: '' })
    const env = { DECONFLICT_URL: elsewhere(), DECONFLICT_INSECURE: '1' }
    expect((await tree.run(['check'], { env })).code).toBe(0)
    const login = await tree.run(['login', elsewhere(), '--insecure'])
    expect(login.code).toBe(0)
    expect(login.stdout).toMatch(/needs --insecure or DECONFLICT_INSECURE=1/)
    const hook = await tree.run(['hook', 'session-end', '--agent', 'cursor', '--insecure'], { env })
    expect(hook).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})
