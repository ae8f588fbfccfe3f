/** `deconflict init`, which shows, writes and exactly reverts its changes. */
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useShop } from '../support/shop.ts'

const { tree } = useShop()

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
  '.github/hooks/deconflict.json',
  '.cursor/hooks.json',
  '.gemini/settings.json',
  '.opencode/plugin/deconflict.js',
  '.qwen/settings.json',
  '.git/hooks/pre-push',
  'AGENTS.md',
  '.github/deconflict.yml',
]

describe('init', () => {
  test('shows one line per file, with --diff every line, and writes nothing without a terminal', async () => {
    const before = await snapshot()
    const { code, stdout, stderr } = await tree.run(['init'])
    expect(code).toBe(1)
    expect(stderr).toBe('deconflict: stdin is not a terminal; pass --yes to apply\n')
    const lines = stdout.trim().split('\n')
    expect(lines).toHaveLength(NAMES.length)
    for (const name of NAMES)
      expect(lines).toContainEqual(
        expect.stringMatching(new RegExp(`^\\+ ${name.replaceAll('.', '\\.')} +\\w`)),
      )
    expect(stdout).toMatch(/\.claude\/settings\.json +\d+ hooks$/m)
    const { stdout: diff } = await tree.run(['init', '--diff'])
    for (const name of NAMES) expect(diff).toContain(`${name} (new)\n+ `)
    expect(diff.endsWith(stdout)).toBe(true)
    expect(await snapshot()).toEqual(before)
  })

  test('leaves a CLAUDE.md that is a link to AGENTS.md, or the other way round, without a pointer', async () => {
    await tree.write({ 'CLAUDE.md': 'Be kind.\n' })
    await symlink('CLAUDE.md', at('AGENTS.md'))
    await tree.run(['init', '--yes', '--only', 'agents-md'])
    expect(await read('CLAUDE.md')).toMatch(/^Be kind\.\n\n<!-- deconflict:begin -->/)
    expect(await read('CLAUDE.md')).not.toMatch(/@AGENTS/)
    await tree.run(['init', '--yes', '--undo'])
    expect(await read('CLAUDE.md')).toBe('Be kind.\n')
  })

  const SHARED = {
    '.gemini/settings.json': '{\n\t"hooks": {},\n\t"mcpServers": { "mine": { "command": "mine" } }\n}',
    '.codex/config.toml': 'model = "mine"\n',
  }

  test('the part mcp is left out by default, and adds the server to the file of each client', async () => {
    await tree.write(SHARED)
    const before = await snapshot()
    await tree.run(['init', '--yes'])
    expect(await read('.codex/config.toml')).toBe('model = "mine"\n')
    await tree.run(['init', '--yes', '--only', 'mcp', 'copilot'])
    const stdio = { command: 'deconflict', args: ['mcp'] }
    const json = async (name: string) => JSON.parse(await read(name))
    for (const name of ['.mcp.json', '.cursor/mcp.json'])
      expect(await json(name)).toEqual({ mcpServers: { deconflict: stdio } })
    expect((await json('.gemini/settings.json')).mcpServers).toEqual({
      mine: { command: 'mine' },
      deconflict: stdio,
    })
    expect(await json('.vscode/mcp.json')).toEqual({ servers: { deconflict: { type: 'stdio', ...stdio } } })
    expect((await json('opencode.json')).mcp.deconflict.command).toEqual(['deconflict', 'mcp'])
    expect(await read('.codex/config.toml')).toMatch(
      /^model = "mine"\n\n# >>> .*\[mcp_servers\.deconflict\]\n.*env_vars = .*"GITHUB_TOKEN"/s,
    )
    expect((await tree.run(['init', '--yes', '--only', 'mcp'])).stdout).toMatch(/already installed/)
    await tree.run(['init', '--yes', '--undo'])
    expect(await snapshot()).toEqual(before)
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

  test('keeps existing content, changes nothing the second time, and --undo restores every byte', async () => {
    await tree.write(OTHERS)
    await chmod(at('.git/hooks/pre-push'), 0o755)
    const before = await snapshot()
    expect((await tree.run(['init', '--yes'])).code).toBe(0)
    // The copies of files for --undo can be read by nobody else.
    expect((await stat(at('.git/deconflict/init.json'))).mode & 0o777).toBe(0o600)
    const settings = JSON.parse(await read('.claude/settings.json'))
    expect(settings).toMatchObject(JSON.parse(OTHERS['.claude/settings.json'] as string))
    expect(Object.keys(settings.hooks)).toContain('SessionStart')
    expect(JSON.parse(await read('.cursor/hooks.json')).hooks.stop[0]).toEqual({ command: './audit.sh' })
    expect(await read('AGENTS.md')).toMatch(/^# How we work\n\nBe kind\.\n\n<!-- deconflict:begin -->\n/)
    // Other lines may end the hook early, so ours come first.
    expect(await read('.git/hooks/pre-push')).toMatch(/^#!\/usr\/bin\/env bash\n# >>> deconflict >>>\n/)
    expect(await read('.github/deconflict.yml')).toBe('check_run: true\n')
    const after = await snapshot()
    expect((await tree.run(['init', '--yes'])).stdout).toBe('Everything is already installed.\n')
    expect(await snapshot()).toEqual(after)
    await tree.run(['init', '--undo', '--yes'])
    expect(await snapshot()).toEqual(before)
    expect((await tree.run(['init', '--undo', '--yes'])).stdout).toBe('Nothing to remove.\n')
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
    for (const gone of ['.codex/hooks.json', '.git/hooks/pre-push', '.github/deconflict.yml'])
      await expect(stat(at(gone))).rejects.toThrow(/ENOENT/)
  })

  const SETTINGS_FILE = '.claude/settings.json'
  const settings = async () => JSON.parse(await read(SETTINGS_FILE))

  test('a command that somebody added to a group of hooks stays, and counts as nothing of ours', async () => {
    await tree.run(['init', '--yes', '--only', 'claude'])
    const file = await settings()
    file.hooks.SessionStart[0].hooks.push({ type: 'command', command: './mine.sh' })
    file.hooks.Stop[0].hooks.unshift({ type: 'command', command: 'npx deconflict hook stop' })
    await tree.write({ [SETTINGS_FILE]: JSON.stringify(file, null, 4) })
    const changed = await read(SETTINGS_FILE)
    expect((await tree.run(['doctor'])).stdout).not.toMatch(/another release/)
    expect((await tree.run(['init', '--yes', '--only', 'claude'])).stdout).toMatch(/already installed/)
    await tree.run(['init', '--yes', '--only', 'claude', '--hooks=paths'])
    expect((await settings()).hooks.SessionStart[0].hooks).toEqual([
      { type: 'command', command: './mine.sh' },
    ])
    await tree.write({ [SETTINGS_FILE]: changed })
    await tree.run(['init', '--yes', '--undo'])
    expect((await settings()).hooks).toEqual({
      SessionStart: [{ hooks: [{ type: 'command', command: './mine.sh' }] }],
      Stop: [{ hooks: [{ type: 'command', command: 'npx deconflict hook stop' }] }],
    })
  })

  // `test/rules/init-files.test.ts` has every other content that stays.
  test.each([
    ['CLAUDE.md', Buffer.from('\ufeff# Sei nett', 'utf16le')],
    ['.claude/settings.json', Buffer.from('# Bücher\n', 'latin1')],
  ])('%s keeps its bytes if it is not text in UTF-8', async (name, content) => {
    await mkdir(join(at(name), '..'), { recursive: true })
    await writeFile(at(name), content)
    expect((await tree.run(['init', '--yes'])).stderr).toContain('was skipped: it is not text in UTF-8')
    expect(await readFile(at(name))).toEqual(content)
    await tree.run(['init', '--yes', '--undo'])
    expect(await readFile(at(name))).toEqual(content)
  })

  test('files that were written before a failure can be restored', async () => {
    await tree.write({ 'AGENTS.md': 'Be kind.', CLAUDE: '' })
    const before = await snapshot()
    // A file stands where a directory has to be.
    await writeFile(at('.github'), '')
    const failed = await tree.run(['init', '--yes', '--only', 'agents-md', 'settings'])
    expect(failed.code).toBe(1)
    await rm(at('.github'))
    await tree.run(['init', '--yes', '--undo'])
    expect(await snapshot()).toEqual(before)
  })

  test('installs the hook of git from a folder, also with a git that has no --path-format', async () => {
    // Git before 2.31 prints options that rev-parse does not know.
    const old = `#!/bin/sh\nPATH=\${PATH#*:}\ncase "$*" in *--path-format*) echo --path-format=absolute;; esac\nexec git "$@"\n`
    await tree.write({ '../old/git': old })
    await chmod(at('../old/git'), 0o755)
    const env = { PATH: `${at('../old')}:${process.env.PATH}` }
    const ran = await tree.run(['init', '--yes', '--only', 'git'], { cwd: at('src'), env })
    expect(ran.stdout).toMatch(/^\+ \.git\/hooks\/pre-push +/)
    expect(await read('.git/hooks/pre-push')).toContain('deconflict check --staged')
  })

  // `test/rules/init-files.test.ts` has those that are left alone.
  test('a core.hooksPath in the repository is used', async () => {
    await tree.git('config', 'core.hooksPath', '.githooks')
    await tree.run(['init', '--yes', '--only', 'git'])
    expect(await read('.githooks/pre-push')).toContain('deconflict check --staged')
  })

  test('replaces its hooks and its plugin by those of this release', async () => {
    await tree.run(['init', '--yes', '--hooks=paths', '--only', 'claude', 'opencode'])
    await tree.run(['init', '--yes', '--only', 'claude', 'opencode'])
    expect(await read('.claude/settings.json')).not.toContain('--no-titles')
    expect(await read('.opencode/plugin/deconflict.js')).not.toContain('--no-titles')
  })
})
