/** `deconflict init`: what it writes is shown, written once, and taken back to the byte; and the hooks do what they are there for. */
import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readSettingsFile } from '../../src/context/settings-file.ts'
import { apiAt } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { type WorkingTree, workingTree } from '../support/working-tree.ts'

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

let shop: Shop
let tree: WorkingTree

beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  tree = await workingTree({ DECONFLICT_URL: shop.url, GITHUB_TOKEN: 'tok-ada' })
  await tree.git('checkout', '-q', '-b', 'work')
})
afterEach(async () => {
  await tree.remove()
  for (const { id } of await listed()) await apiAt(shop.url, 'tok-ada')('POST', `/activity/${id}/archive`)
})

const at = (name: string) => join(tree.path, name)
const read = (name: string) => readFile(at(name), 'utf8')
const listed = async () => (await apiAt(shop.url, 'tok-ada')('GET', '/activity?limit=100')).body.items

/** Every file of the working tree and every hook of git, with its bytes and its mode. */
async function snapshot(): Promise<Record<string, string>> {
  const entries = await readdir(tree.path, { recursive: true, withFileTypes: true })
  const files = entries.map((entry) => join(entry.parentPath, entry.name))
  const kept = files.filter((file) => !file.includes('/.git/') || file.includes('/.git/hooks/'))
  const pairs = kept.map(async (file): Promise<[string, string]> => {
    const about = await stat(file)
    const content = about.isDirectory() ? '' : (await readFile(file)).toString('base64')
    return [file, `${about.mode.toString(8)} ${content}`]
  })
  return Object.fromEntries(await Promise.all(pairs))
}

const NAMES = [
  '.claude/settings.json',
  '.codex/hooks.json',
  '.cursor/hooks.json',
  '.git/hooks/pre-push',
  'AGENTS.md',
  '.github/deconflict.yml',
]

describe('init', () => {
  test('shows all of it, and writes nothing where there is nobody to ask', async () => {
    const before = await snapshot()
    const { code, stdout, stderr } = await tree.run(['init'])
    expect([code, stderr]).toEqual([1, 'deconflict: there is nobody to ask; --yes writes it\n'])
    for (const name of NAMES) expect(stdout).toContain(`${name} (new)`)
    expect(await snapshot()).toEqual(before)
  })

  test('a second time changes nothing, and undone it leaves every byte as it was', async () => {
    const before = await snapshot()
    expect((await tree.run(['init', '--yes'])).code).toBe(0)
    const after = await snapshot()
    expect(Object.keys(after).length).toBeGreaterThanOrEqual(Object.keys(before).length + NAMES.length)
    expect((await tree.run(['init', '--yes'])).stdout).toBe('All of it is there already.\n')
    expect(await snapshot()).toEqual(after)
    expect((await tree.run(['init', '--undo', '--yes'])).code).toBe(0)
    expect(await snapshot()).toEqual(before)
    expect((await tree.run(['init', '--undo', '--yes'])).stdout).toBe(
      'There is nothing of ours to take out.\n',
    )
  })

  const OTHERS: Record<string, string> = {
    // Odd spacing, and no line end at the end: printed anew it would look another way.
    '.claude/settings.json':
      '{"permissions": {"allow": ["Bash(ls)"]},\n   "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./mine.sh"}]}]}}',
    '.cursor/hooks.json':
      '{\n\t"version": 1,\n\t"hooks": {\n\t\t"stop": [{ "command": "./audit.sh" }]\n\t}\n}\n',
    'AGENTS.md': '# How we work\n\nBe kind.',
    '.git/hooks/pre-push': '#!/usr/bin/env bash\nset -e\nnpm test\nexit 0\n',
    '.github/deconflict.yml': 'check_run: true\n',
  }
  const withOthers = async () => {
    for (const name of Object.keys(OTHERS)) await mkdir(join(at(name), '..'), { recursive: true })
    await tree.write(OTHERS)
    await chmod(at('.git/hooks/pre-push'), 0o755)
  }

  test('keeps what others wrote, and gives it back to the byte', async () => {
    await withOthers()
    const before = await snapshot()
    await tree.run(['init', '--yes'])
    const settings = JSON.parse(await read('.claude/settings.json'))
    expect(settings.permissions).toEqual({ allow: ['Bash(ls)'] })
    expect(settings.hooks.PreToolUse).toHaveLength(2)
    expect(settings.hooks.PreToolUse[0].hooks[0].command).toBe('./mine.sh')
    expect(JSON.parse(await read('.cursor/hooks.json')).hooks.stop).toEqual([{ command: './audit.sh' }])
    expect(await read('AGENTS.md')).toMatch(/^# How we work\n\nBe kind\.\n\n<!-- deconflict:begin -->\n/)
    // A hook may end early: ours goes first.
    expect(await read('.git/hooks/pre-push')).toMatch(/^#!\/usr\/bin\/env bash\n# >>> deconflict >>>\n/)
    expect(await read('.github/deconflict.yml')).toBe('check_run: true\n')
    expect((await tree.run(['init', '--yes'])).stdout).toBe('All of it is there already.\n')
    await tree.run(['init', '--undo', '--yes'])
    expect(await snapshot()).toEqual(before)
  })

  test('takes its own out of files that were changed since, and of a clone that it did not write', async () => {
    await tree.run(['init', '--yes'])
    const settings = JSON.parse(await read('.claude/settings.json'))
    settings.hooks.SessionStart.push({ hooks: [{ type: 'command', command: './mine.sh' }] })
    await tree.write({
      '.claude/settings.json': JSON.stringify(settings),
      'AGENTS.md': `Before.\n\n${await read('AGENTS.md')}\nAfter.\n`,
    })
    expect((await tree.run(['init', '--yes'])).stdout).toBe('All of it is there already.\n')
    const record = join(tree.path, '.git/deconflict/init.json')
    await writeFile(record, '{}')
    await tree.run(['init', '--undo', '--yes'])
    expect(JSON.parse(await read('.claude/settings.json'))).toEqual({
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: './mine.sh' }] }] },
    })
    expect(await read('AGENTS.md')).toBe('Before.\n\n\nAfter.\n')
    for (const gone of [
      '.codex/hooks.json',
      '.cursor/hooks.json',
      '.git/hooks/pre-push',
      '.github/deconflict.yml',
    ])
      await expect(stat(at(gone))).rejects.toThrow(/ENOENT/)
  })

  test('leaves files alone that it cannot read, and says so', async () => {
    await mkdir(at('.claude'))
    await tree.write({
      '.claude/settings.json': '{\n  // mine\n  "hooks": {}\n}\n',
      '.git/hooks/pre-push': '#!/usr/bin/python3\n',
    })
    const { stderr } = await tree.run(['init', '--yes'])
    expect(stderr).toMatch(/\.claude\/settings\.json is no JSON/)
    expect(stderr).toMatch(/pre-push is no shell script; call there yourself: if command/)
    expect(await read('.claude/settings.json')).toContain('// mine')
    expect(await read('.git/hooks/pre-push')).toBe('#!/usr/bin/python3\n')
  })

  test('writes only the parts that are named', async () => {
    await tree.run(['init', '--yes', '--only', 'git', 'agents-md'])
    expect((await tree.git('status', '--porcelain')).split('\n')).toEqual(['?? AGENTS.md'])
    expect((await tree.run(['init', '--only', 'gti'])).stderr).toMatch(
      /--only takes claude, codex, .* not gti/,
    )
  })

  test('its settings file is one that the service takes as it is', async () => {
    await tree.run(['init', '--yes', '--only', 'settings'])
    const text = await read('.github/deconflict.yml')
    expect(readSettingsFile(text)).toMatchObject({ errors: [] })
    // What is commented out are the keys that there are.
    const written = text.replaceAll(/^# (?=(?: {2})?[a-z_]+: )/gm, '')
    expect(written).not.toBe(text)
    expect(readSettingsFile(written)).toMatchObject({ errors: [] })
  })
})

describe('a push', () => {
  test('goes through, and tells who else works on what is pushed', async () => {
    await tree.run(['init', '--yes', '--only', 'git'])
    await apiAt(shop.url, 'tok-ben')('POST', '/activity', {
      body: { title: 'Tidy', summary: 'x', actor: 'Ben', branch: 'tidy', scope: { paths: ['src/**'] } },
    })
    await tree.write({ 'src/checkout/retry.ts': 'changed' })
    await tree.git('commit', '-qam', 'Change')
    await tree.git('init', '-q', '--bare', '../there.git')
    await tree.git('remote', 'set-url', '--push', 'origin', '../there.git')
    const bin = at('../bin')
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
    const { stderr } = await push()
    expect(stderr).toMatch(/Overlap, medium/)
    expect(await tree.git('-C', '../there.git', 'rev-parse', 'work')).toBe(
      await tree.git('rev-parse', 'HEAD'),
    )
  })
})

describe('the hook of an agent', () => {
  const hook = (
    event: string,
    about: object = {},
    options: { agent?: string; env?: Record<string, string> } = {},
  ) =>
    tree.run(['hook', event, '--agent', options.agent ?? 'claude-code'], {
      env: options.env,
      input: JSON.stringify({ session_id: 's1', cwd: tree.path, ...about }),
    })
  const edit = (file: string) => ({ tool_name: 'Edit', tool_input: { file_path: at(file) } })
  const only = async () => {
    const [activity, ...others] = await listed()
    expect(others).toEqual([])
    return activity
  }
  const benWorks = () =>
    apiAt(shop.url, 'tok-ben')('POST', '/activity', {
      body: {
        title: 'Tidy',
        summary: 'x',
        actor: 'Ben',
        branch: 'tidy',
        base_branch: 'main',
        scope: { paths: ['src/**/retry.ts'] },
      },
    })

  test('announces the session, follows what it edits, tells of overlap once, and ends with it', async () => {
    expect(await hook('session-start')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await only()).toMatchObject({
      branch: 'work',
      agent: 'claude-code',
      actor: 'Ada',
      scope: { paths: [] },
    })
    await hook('before-edit', edit('docs/a.md'))
    expect((await only()).scope.paths).toEqual(['docs/a.md'])
    await benWorks()
    const told = await hook('before-edit', edit('src/checkout/retry.ts'))
    const { hookSpecificOutput } = JSON.parse(told.stdout)
    expect(hookSpecificOutput.hookEventName).toBe('PreToolUse')
    expect(hookSpecificOutput.additionalContext).toMatch(/“Tidy” by Ben on tidy.*src\/checkout\/retry\.ts/)
    expect(JSON.stringify(hookSpecificOutput)).not.toMatch(/permissionDecision/)
    expect((await hook('before-edit', edit('src/other/retry.ts'))).stdout).toBe('')
    const mine = (await listed()).find(({ branch }: { branch: string }) => branch === 'work')
    expect(mine.scope.paths).toEqual(['docs/a.md', 'src/checkout/retry.ts', 'src/other/retry.ts'])
    await hook('session-end', { reason: 'exit' })
    expect((await only()).branch).toBe('tidy')
  })

  test('names with a prompt what has come to overlap, once', async () => {
    await hook('before-edit', edit('src/checkout/retry.ts'))
    await benWorks()
    const directory = at('.git/deconflict')
    const name = (await readdir(directory)).find((each) => each.startsWith('session-')) as string
    const lastHeartbeatLongAgo = async () => {
      const state = JSON.parse(await readFile(join(directory, name), 'utf8'))
      await writeFile(join(directory, name), JSON.stringify({ ...state, told_at: 0 }))
    }
    await lastHeartbeatLongAgo()
    const told = JSON.parse((await hook('prompt')).stdout).hookSpecificOutput
    expect(told).toMatchObject({
      hookEventName: 'UserPromptSubmit',
      additionalContext: expect.stringContaining('“Tidy” by Ben on tidy (src/checkout/retry.ts)'),
    })
    await lastHeartbeatLongAgo()
    expect(await hook('prompt')).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('announces a session that was never announced from what it touches, and another one when that has ended', async () => {
    await tree.write({ 'b.md': '' })
    await hook('before-edit', edit('src/a.ts'))
    const first = await only()
    expect(first.scope.paths).toEqual(['b.md', 'src/a.ts'])
    await apiAt(shop.url, 'tok-ada')('POST', `/activity/${first.id}/archive`)
    await hook('before-edit', edit('src/c.ts'))
    expect(await only()).toMatchObject({ scope: { paths: ['b.md', 'src/a.ts', 'src/c.ts'] } })
    expect((await only()).id).not.toBe(first.id)
  })

  test('of several edits at once announces one session', async () => {
    await Promise.all(['a.ts', 'b.ts', 'c.ts', 'd.ts'].map((file) => hook('before-edit', edit(file))))
    expect((await only()).scope.paths.sort()).toEqual(['a.ts', 'b.ts', 'c.ts', 'd.ts'])
  })

  test('takes up what was started by hand, adds to it, and leaves its end to whoever started it', async () => {
    await tree.run(['start', 'By hand', '--paths', 'lib/**', '--area', 'core'])
    await hook('session-start')
    await hook('before-edit', edit('src/a.ts'))
    await hook('session-end')
    expect(await only()).toMatchObject({
      title: 'By hand',
      scope: { areas: ['core'], paths: ['lib/**', 'src/a.ts'] },
    })
  })

  test('follows the session to another branch', async () => {
    await hook('session-start')
    await tree.git('checkout', '-q', '-b', 'other')
    await hook('prompt')
    expect(await only()).toMatchObject({ branch: 'other', base_branch: 'main', title: 'Work on other' })
  })

  test('tells a session on the base branch of work that merges into it, and not of itself', async () => {
    await tree.git('checkout', '-q', 'main')
    const { body } = await benWorks()
    const ben = body.activity.id
    await hook('session-start')
    const mine = (await listed()).find(({ id }: { id: string }) => id !== ben)
    expect([mine.title, mine.branch]).toEqual(['Work on main', null])
    const told = await hook('before-edit', edit('src/checkout/retry.ts'))
    expect(told.stdout).toMatch(/“Tidy” by Ben on tidy/)
    expect((await hook('before-edit', edit('src/checkout/other.ts'))).stdout).toBe('')
    await apiAt(shop.url, 'tok-ben')('POST', `/activity/${ben}/archive`)
    // What the agent itself asks does not meet its session, which is its own.
    const check = await tree.run(['check', '--paths', 'src/checkout/retry.ts'])
    expect([check.code, check.stdout]).toEqual([0, expect.stringMatching(/^Clear/)])
    const args = ['start', 'By hand', '--paths', 'src/checkout/retry.ts', '--json']
    const started = await tree.run(args)
    const { activity, overlap } = JSON.parse(started.stdout)
    expect([started.code, overlap]).toMatchObject([0, { overlap_detected: false, related_activity_ids: [] }])
    await apiAt(shop.url, 'tok-ada')('POST', `/activity/${activity.id}/archive`)
    expect((await tree.run(['list', '--mine'])).stdout).toContain(mine.id)
    await hook('session-end')
    expect(await listed()).toEqual([])
  })

  test.each([
    [
      'codex',
      {
        tool_input: {
          command: '*** Begin Patch\n*** Update File: src/a.ts\n@@\n*** Add File: b.ts\n*** End Patch',
        },
      },
    ],
    [
      'cursor',
      {
        session_id: undefined,
        conversation_id: 'c1',
        cwd: undefined,
        workspace_roots: ['.'],
        file_path: 'src/a.ts',
      },
    ],
  ])('reads what %s tells', async (agent, about) => {
    await hook('after-edit', about, { agent })
    const { scope, ...activity } = await only()
    expect(activity.agent).toBe(agent)
    expect(scope.paths).toContain('src/a.ts')
  })

  test('speaks to Cursor at the start of a session, in its own words', async () => {
    await benWorks()
    await tree.write({ 'src/checkout/retry.ts': 'changed' })
    const { stdout } = await hook('session-start', {}, { agent: 'cursor' })
    expect(JSON.parse(stdout).additional_context).toMatch(/“Tidy” by Ben/)
  })

  test('passes over files elsewhere', async () => {
    await hook('before-edit', { tool_input: { file_path: '/etc/hosts' } })
    await hook('before-edit', { tool_input: { file_path: at('../beside.ts') } })
    expect((await only()).scope.paths).toEqual([])
  })

  test.each([
    ['the server is away', { DECONFLICT_URL: 'http://127.0.0.1:9' }, /cannot be reached/],
    ['there is no server', { DECONFLICT_URL: '' }, /which server/],
    ['there is no token', { GITHUB_TOKEN: '' }, /no GitHub token/],
    ['the token may not write', { GITHUB_TOKEN: 'tok-rita' }, /needs push access/],
  ])('never stands in the way: %s', async (_, env, message) => {
    const { code, stdout, stderr } = await hook('before-edit', edit('src/a.ts'), { env })
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(message)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test.each(['', 'no json', '[]', '{"tool_input": 7}', '{"session_id": 7}'])(
    'never stands in the way of what it does not understand: %j',
    async (input) => {
      const { code } = await tree.run(['hook', 'before-edit', '--agent', 'claude-code'], { input })
      expect(code).toBe(0)
    },
  )
})
