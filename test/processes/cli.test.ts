/** The built command as a process: its exit codes, its standard input, signals, and what ends it. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { useShop } from '../support/shop.ts'
import { startFullServer, startSilentServer } from '../support/silent-server.ts'

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url))
/** For hooks that have to succeed on a busy machine too. */
const PATIENT = { DECONFLICT_HOOK_TIMEOUT_MS: '50000' }

const { shop, tree, startAsBen } = useShop()

/** Runs the command, and closes the reading end of its output before it writes. */
async function runUnread(args: string[], input = ''): Promise<{ code: number | null; stderr: string }> {
  const env = {
    PATH: process.env.PATH,
    HOME: tree.path,
    DECONFLICT_URL: shop.url,
    GITHUB_TOKEN: 'tok-ada',
    ...PATIENT,
  }
  const child = spawn(process.execPath, [CLI, ...args], { cwd: tree.path, env, timeout: 60_000 })
  const stderr = text(child.stderr)
  child.stdout.destroy()
  child.stdin.write(input)
  // A server of MCP ends by itself.
  if (args[0] !== 'mcp') child.stdin.end()
  const [code] = await once(child, 'close')
  return { code, stderr: await stderr }
}

test.each([
  [2, ['check', '--paths', 'src/checkout/retry.ts']],
  [0, ['--help']],
  [0, ['hook', 'prompt', '--agent', 'claude-code']],
  [0, ['mcp']],
] as const)('a closed pipe leaves the exit code %i of %j, without an error', async (code, args) => {
  await startAsBen()
  const input = {
    hook: { session_id: 's1', cwd: tree.path, prompt: 'Fix src/checkout/retry.ts' },
    mcp: { jsonrpc: '2.0', id: 1, method: 'ping' },
  }[args[0] as string]
  expect(await runUnread([...args], input && `${JSON.stringify(input)}\n`)).toEqual({ code, stderr: '' })
})

test('a hook in a directory that was removed says nothing, and a command says why it fails', async () => {
  const run = (...args: string[]) =>
    promisify(execFile)(
      'sh',
      [
        '-c',
        'mkdir gone && cd gone && rmdir ../gone && exec "$@" < /dev/null',
        'sh',
        process.execPath,
        CLI,
        ...args,
      ],
      { cwd: tree.path },
    )
  // On a busy machine the time of a hook can be over before it has started, which it says.
  const hook = () => run('hook', 'session-end', '--agent', 'claude-code')
  await expect.poll(hook).toEqual({ stdout: '', stderr: '' })
  await expect(run('check', '--local')).rejects.toMatchObject({
    code: 1,
    stderr: 'deconflict: not a git repository; change to one\n',
  })
})

test('the pre-push hook allows the push, and shows who else works on the files', async () => {
  await tree.runProcess(['init', '--yes', '--only', 'git'])
  await startAsBen()
  await tree.write({ 'src/checkout/retry.ts': 'changed' })
  await tree.git('commit', '-qam', 'Change')
  await tree.git('init', '-q', '--bare', '../there.git')
  await tree.git('remote', 'set-url', '--push', 'origin', '../there.git')
  const bin = join(tree.path, '../bin')
  await mkdir(bin)
  await chmod(CLI, 0o755)
  await symlink(CLI, join(bin, 'deconflict'))
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    DECONFLICT_URL: shop.url,
    GITHUB_TOKEN: 'tok-ada',
  }
  const push = () => promisify(execFile)('git', ['push', 'origin', 'work'], { cwd: tree.path, env })
  // A start that takes longer than the time limit of a push leaves the check out, also on a machine that is only busy.
  await expect.poll(async () => (await push()).stderr).toMatch(/Overlap, medium/)
  expect(await tree.git('-C', '../there.git', 'rev-parse', 'work')).toBe(await tree.git('rev-parse', 'HEAD'))
})

test('a push does not wait for a connection that is never accepted', async () => {
  await tree.write({ 'src/checkout/retry.ts': 'changed' })
  await tree.git('add', '-A')
  const full = await startFullServer()
  // Without an explicit exit, Node would try to connect for ten more seconds.
  const options = { env: { DECONFLICT_URL: full.url }, timeout_ms: 10_000 }
  const ran = await tree.runProcess(['check', '--staged'], options)
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(ran.stdout.replaceAll(/\s+/g, ' ')).toContain('the service did not answer')
})

describe('the hook of an agent', () => {
  const HOOK = ['hook', 'session-start', '--agent', 'claude-code']
  /** Agents kill a hook after this time. */
  const AGENT_TIMEOUT_MS = 10_000
  const input = JSON.stringify({ session_id: 's1' })

  test('releases its lock if it is killed', async () => {
    const silent = await startSilentServer()
    const killed = tree.start(HOOK, { env: { ...PATIENT, DECONFLICT_URL: silent.url }, input })
    // The hook holds the lock while it sends requests.
    await expect.poll(() => silent.requests.length, { timeout: 60_000, interval: 20 }).toBe(1)
    await killed.kill()
    const next = await tree.runProcess(HOOK, { env: PATIENT, input })
    expect(next).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await shop.list()).toMatchObject([{ agent: 'claude-code', branch: 'work' }])
  })

  test('runs when its input is complete, even if the agent never closes it', async () => {
    const hook = tree.start(HOOK, { env: PATIENT, input: undefined })
    hook.write(input)
    expect(await hook.ended).toBe(0)
    expect(hook.errors()).toBe('')
    expect(await shop.list()).toHaveLength(1)
  })

  test('ends even if the agent neither writes nor closes its input', async () => {
    const hook = tree.start(HOOK, { input: undefined })
    expect(await hook.ended).toBe(0)
    expect(hook.errors()).toBe('deconflict: the agent did not close the standard input of the hook\n')
  })

  test('ends before the agent would kill it, even if the server does not respond', async () => {
    const silent = await startSilentServer()
    const options = { env: { DECONFLICT_URL: silent.url }, input, timeout_ms: AGENT_TIMEOUT_MS }
    const both = await Promise.all([tree.runProcess(HOOK, options), tree.runProcess(HOOK, options)])
    const why = /^deconflict: (http:\S+ did not answer|another hook of this session|the hook took too long)/
    // A hook that starts after the other one failed does not ask.
    for (const { code, stdout, stderr } of both) {
      expect(code).toBe(0)
      expect(stdout).toBe('')
      expect(stderr).toMatch(stderr === '' ? '' : why)
    }
    expect(both.map(({ stderr }) => stderr).join('')).toMatch(why)
  })
})
