/** `deconflict init`, which shows, writes and exactly reverts its changes. */
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readSettingsFile } from '../../src/context/settings-file.ts'
import { startShopService } from '../support/built-service.ts'
import type { TestService } from '../support/service.ts'
import { type WorkingTree, workingTree } from '../support/working-tree.ts'

let shop: TestService
let tree: WorkingTree

beforeAll(async () => {
  shop = await startShopService()
})
afterAll(() => shop.close())
beforeEach(async () => {
  tree = await workingTree({ DECONFLICT_URL: shop.url, GITHUB_TOKEN: 'tok-ada' })
  await tree.git('checkout', '-q', '-b', 'work')
})
afterEach(async () => {
  await tree.remove()
  await shop.deleteRecords()
})

const at = (name: string) => join(tree.path, name)
const read = (name: string) => readFile(at(name), 'utf8')

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
  test('shows every change, and writes nothing without a terminal', async () => {
    const before = await snapshot()
    const { code, stdout, stderr } = await tree.run(['init'])
    expect([code, stderr]).toEqual([1, 'deconflict: stdin is not a terminal; pass --yes to apply\n'])
    for (const name of NAMES) expect(stdout).toContain(`${name} (new)`)
    expect(await snapshot()).toEqual(before)
  })

  test('changes nothing the second time, and --undo restores every byte', async () => {
    const before = await snapshot()
    expect((await tree.run(['init', '--yes'])).code).toBe(0)
    const after = await snapshot()
    expect(Object.keys(after).length).toBeGreaterThanOrEqual(Object.keys(before).length + NAMES.length)
    expect((await tree.run(['init', '--yes'])).stdout).toBe('Everything is already installed.\n')
    expect(await snapshot()).toEqual(after)
    expect((await tree.run(['init', '--undo', '--yes'])).code).toBe(0)
    expect(await snapshot()).toEqual(before)
    expect((await tree.run(['init', '--undo', '--yes'])).stdout).toBe('Nothing to remove.\n')
  })

  const OTHERS: Record<string, string> = {
    // Unusual spacing and no final newline: printing the JSON again would change it.
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

  test('keeps existing content, and --undo restores it to the byte', async () => {
    await withOthers()
    const before = await snapshot()
    await tree.run(['init', '--yes'])
    const settings = JSON.parse(await read('.claude/settings.json'))
    expect(settings.permissions).toEqual({ allow: ['Bash(ls)'] })
    expect(settings.hooks.PreToolUse).toHaveLength(2)
    expect(settings.hooks.PreToolUse[0].hooks[0].command).toBe('./mine.sh')
    expect(JSON.parse(await read('.cursor/hooks.json')).hooks.stop).toEqual([{ command: './audit.sh' }])
    expect(await read('AGENTS.md')).toMatch(/^# How we work\n\nBe kind\.\n\n<!-- deconflict:begin -->\n/)
    // Other lines may end the hook early, so ours come first.
    expect(await read('.git/hooks/pre-push')).toMatch(/^#!\/usr\/bin\/env bash\n# >>> deconflict >>>\n/)
    expect(await read('.github/deconflict.yml')).toBe('check_run: true\n')
    expect((await tree.run(['init', '--yes'])).stdout).toBe('Everything is already installed.\n')
    await tree.run(['init', '--undo', '--yes'])
    expect(await snapshot()).toEqual(before)
  })

  test('--undo removes only its own entries from files that changed since, with and without its record', async () => {
    await tree.run(['init', '--yes'])
    const settings = JSON.parse(await read('.claude/settings.json'))
    settings.hooks.SessionStart.push({ hooks: [{ type: 'command', command: './mine.sh' }] })
    await tree.write({
      '.claude/settings.json': JSON.stringify(settings),
      'AGENTS.md': `Before.\n\n${await read('AGENTS.md')}\nAfter.\n`,
    })
    expect((await tree.run(['init', '--yes'])).stdout).toBe('Everything is already installed.\n')
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

  test('skips files that it cannot parse, with a message', async () => {
    await mkdir(at('.claude'))
    await tree.write({
      '.claude/settings.json': '{\n  // mine\n  "hooks": {}\n}\n',
      '.git/hooks/pre-push': '#!/usr/bin/python3\n',
    })
    const { stderr } = await tree.run(['init', '--yes'])
    expect(stderr).toMatch(/\.claude\/settings\.json was skipped: it is not a JSON file/)
    expect(stderr).toMatch(
      /pre-push was skipped: it is not a shell script; add this to it yourself: if command/,
    )
    expect(await read('.claude/settings.json')).toContain('// mine')
    expect(await read('.git/hooks/pre-push')).toBe('#!/usr/bin/python3\n')
  })

  test('writes only the parts in --only', async () => {
    await tree.run(['init', '--yes', '--only', 'git', 'agents-md'])
    expect((await tree.git('status', '--porcelain')).split('\n')).toEqual(['?? AGENTS.md'])
    expect((await tree.run(['init', '--only', 'gti'])).stderr).toMatch(
      /--only takes claude, codex, .* not gti/,
    )
  })

  test('writes a settings file that the service accepts', async () => {
    await tree.run(['init', '--yes', '--only', 'settings'])
    const text = await read('.github/deconflict.yml')
    expect(readSettingsFile(text)).toMatchObject({ errors: [] })
    // Also with every commented key in force.
    const written = text.replaceAll(/^# (?=(?: {2})?[a-z_]+: )/gm, '')
    expect(written).not.toBe(text)
    expect(readSettingsFile(written)).toMatchObject({ errors: [] })
  })
})
