/** `deconflict doctor`: what it finds, and its exit code. */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { VERSION } from '../../src/vocabulary/version.ts'
import { useShop } from '../support/shop.ts'
import { startSilentServer } from '../support/silent-server.ts'

const { shop, tree, hook: run } = useShop()
let bin: string

beforeEach(async () => {
  bin = join(dirname(tree.path), 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'deconflict'), '')
  await chmod(join(bin, 'deconflict'), 0o755)
})

/** The findings by name, and the exit code. */
async function doctor(env: Record<string, string> = {}) {
  const { code, stdout } = await tree.run(['doctor', '--json'], {
    env: { PATH: `${bin}:${process.env.PATH}`, ...env },
  })
  const { ok, checks } = JSON.parse(stdout)
  expect(ok).toBe(code === 0)
  const found: Record<string, string> = {}
  for (const { name, is_ok, message } of checks) found[name] = `${is_ok ? 'ok' : 'problem'}: ${message}`
  return { code, ...found }
}
const hook = (env: Record<string, string> = {}) => run('session-start', {}, { env, uptime_ms: 58_000 })

test('doctor finds no problem where everything is set up, with exit code 0', async () => {
  await tree.run(['init', '--yes'])
  expect(await doctor()).toEqual({
    code: 0,
    repository: 'ok: acme/shop, from the remote origin',
    branch: 'ok: work, into main',
    mode: 'ok: with a service',
    server: `ok: ${shop.url}, version ${VERSION}`,
    token: 'ok: accepted, and can write to acme/shop',
    command: `ok: ${bin}/deconflict`,
    hooks: expect.stringMatching(/^ok: \.claude\/settings\.json, \.codex\/hooks\.json, .*pre-push$/),
    'last hook': 'ok: none has run in this working tree; start a session of an agent',
  })
  await hook()
  expect(await doctor()).toMatchObject({
    code: 0,
    'last hook': expect.stringMatching(/^ok: session-start of claude-code, /),
  })
  const { stdout } = await tree.run(['doctor'], { env: { PATH: `${bin}:${process.env.PATH}` } })
  expect(stdout).toMatch(/^ok {7}repository {2}acme\/shop/)
})

test('doctor names the remedy of each problem, with exit code 1', async () => {
  const found = await doctor({ PATH: process.env.PATH ?? '', GITHUB_TOKEN: 'nobody' })
  expect(found).toMatchObject({
    code: 1,
    token: expect.stringMatching(
      /^problem: GitHub rejected this token.*set GITHUB_TOKEN, or run gh auth login$/,
    ),
    command: expect.stringMatching(/^problem: .*not on the PATH/),
    hooks: 'problem: none is installed; run deconflict init',
  })
  expect(await doctor({ GITHUB_TOKEN: 'tok-rita' })).toMatchObject({
    token: expect.stringMatching(/^problem: .*hooks need a token that can write to acme\/shop$/),
  })
  const refused = await doctor({ HTTPS_PROXY: 'proxy:1', DECONFLICT_URL: 'http://a.test' })
  expect(refused).toMatchObject({ proxy: 'ok: proxy:1 (HTTPS_PROXY), not used for http://a.test' })
})

test('doctor finds hooks of another release, with titles or without', async () => {
  await tree.run(['init', '--yes', '--only', 'claude', '--hooks', 'paths'])
  expect(await doctor()).toMatchObject({ hooks: 'ok: .claude/settings.json' })
  const LINE = 'command -v deconflict >/dev/null 2>&1 && deconflict hook stop --agent claude-code || true'
  const hooks = { Stop: [{ hooks: [{ type: 'command', command: LINE }] }] }
  await tree.write({ '.claude/settings.json': JSON.stringify({ hooks }) })
  expect(await doctor()).toMatchObject({
    hooks: 'problem: those in .claude/settings.json are of another release; run deconflict init',
  })
})

test('doctor explains why hooks send no requests', async () => {
  const silent = await startSilentServer()
  await hook({ DECONFLICT_URL: silent.url })
  expect(await doctor()).toMatchObject({
    'last hook': expect.stringMatching(/^problem: session-start of claude-code, .*: .*did not answer within/),
  })
  await hook({ DECONFLICT_URL: silent.url })
  expect(await doctor()).toMatchObject({
    'last hook': expect.stringMatching(
      /sent no request after an earlier failure \(.*\); hooks try again in /,
    ),
  })
  expect(silent.requests).toEqual(['/healthz'])
  await hook()
  expect(await doctor()).toMatchObject({
    'last hook': expect.stringMatching(
      /^ok: .*; the last that failed: session-start .*did not answer within/,
    ),
  })
})

test('doctor finds hooks that Codex does not trust, where Codex is used', async () => {
  await tree.run(['init', '--yes', '--only', 'codex'])
  const config = join(dirname(tree.path), '.codex/config.toml')
  expect(await doctor()).not.toHaveProperty('trust')
  await mkdir(dirname(config))
  await writeFile(config, 'model = "gpt-5.5"\n')
  expect(await doctor()).toMatchObject({
    code: 1,
    trust: expect.stringMatching(/^problem: Codex trusts 0 of its \d hooks .*run \/hooks in Codex$/),
  })
})
