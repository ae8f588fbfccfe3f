/** `deconflict init` and `doctor` without a service. */
import { existsSync } from 'node:fs'
import { readFile, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { isPersonal } from '../../src/cli/init/targets.ts'
import { useTree } from '../support/shop.ts'

const tree = useTree()

const inHome = (name: string) => join(tree.path, '..', name)
const init = (...args: string[]) => tree.run(['init', '--yes', ...args])

test.each([
  ['without a remote', {}, undefined, true],
  ['without a service', {}, {}, true],
  ['with a service', { DECONFLICT_URL: 'https://deconflict.example.com' }, {}, false],
])('a clone %s: personal is %s', (_, env, remote, expected) => {
  expect(isPersonal({ env, home: inHome('.') }, { root: tree.path, remote })).toBe(expected)
})

test('a question that gets no answer ends in one line, and nothing is written', async () => {
  const stderr = 'deconflict: no answer, so nothing was written\n'
  expect(await tree.run(['init', '--only', 'git'], { isTTY: true })).toMatchObject({ code: 1, stderr })
})

describe('in a clone that nobody shares', () => {
  const MINE = '{"model": "mine"}\n'
  beforeEach(() => tree.write({ '../.claude/settings.json': MINE, '../.codex/config.toml': '' }))

  test('--undo removes what was written for the clone alone, and the next one what holds in all clones', async () => {
    await init()
    await init('--only', 'claude', 'settings')
    await rm(join(tree.path, '.github'), { recursive: true })
    await init('--undo')
    expect(existsSync(join(tree.path, '.claude/settings.json'))).toBe(false)
    expect(await readFile(inHome('.claude/settings.json'), 'utf8')).toContain('deconflict')
    await init('--undo')
    expect(await readFile(inHome('.claude/settings.json'), 'utf8')).toBe(MINE)
  })

  test('writes the own configuration of the agents that are used, and --undo restores every byte, with a service too', async () => {
    const { code, stdout } = await init()
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^~ ~\/\.claude\/settings\.json +\d+ hooks\n\+ ~\/\.codex\/hooks\.json .*\n\+ \.git\/hooks\/pre-push /,
    )
    expect(stdout).toContain('Left out, not found here: copilot, cursor, gemini, opencode, qwen.')
    expect(await tree.git('status', '--porcelain')).toBe('')
    const settings = JSON.parse(await readFile(inHome('.claude/settings.json'), 'utf8'))
    expect(settings.model).toBe('mine')
    // A plain line: only this system reads the file.
    expect(settings.hooks.SessionStart[0].hooks[0].command).toBe(
      'command -v deconflict >/dev/null 2>&1 && deconflict hook session-start --agent claude-code || true',
    )
    expect((await init()).stdout).toBe('Everything is already installed.\n')
    await tree.run(['init', '--yes', '--undo'], { env: { DECONFLICT_URL: 'https://deconflict.example.com' } })
    expect(await readFile(inHome('.claude/settings.json'), 'utf8')).toBe(MINE)
    for (const gone of ['.codex/hooks.json', '.config/deconflict', 'shop/.git/hooks/pre-push'])
      expect(existsSync(inHome(gone))).toBe(false)
  })

  test('one init serves all working trees, and doctor finds it in each', async () => {
    await init()
    await tree.git('worktree', 'add', '-q', '../other', '-b', 'other')
    expect((await tree.run(['doctor'], { cwd: inHome('other') })).stdout).toMatch(
      /^ok +hooks +~\/shop\/\.git\/hooks\/pre-push, ~\/\.claude\/settings\.json, ~\/\.codex\/hooks\.json$/m,
    )
    expect((await tree.run(['init', '--yes'], { cwd: inHome('other') })).stdout).toMatch(/already installed/)
  })

  test('--only and a shared repository stay in the repository', async () => {
    await init('--only', 'claude')
    expect(await tree.git('status', '--porcelain')).toBe('?? .claude/')
    await init('--undo', '--only', 'claude')
    await tree.write({ '.github/CODEOWNERS': '' })
    expect((await init()).stdout).toContain('+ AGENTS.md')
    expect(existsSync(join(tree.path, '.codex/hooks.json'))).toBe(true)
    expect(existsSync(join(tree.path, '.cursor'))).toBe(false)
    expect(await readFile(inHome('.claude/settings.json'), 'utf8')).toBe(MINE)
    expect((await init('--user', '--only', 'settings')).stderr).toMatch(
      /--only takes claude, .*, git, not settings/,
    )
  })
})

test('in a shared repository where no agent is found, it writes for all', async () => {
  await tree.write({ '.github/CODEOWNERS': '' })
  const { stdout } = await init()
  expect(stdout).toContain('.cursor/hooks.json')
  expect(stdout).not.toContain('Left out')
})

test('doctor says that there is no service, and what it sees of the clone', async () => {
  await tree.git('remote', 'remove', 'origin')
  await tree.git('worktree', 'add', '-q', '../other', '-b', 'other')
  const { stdout } = await tree.run(['doctor'], { cwd: `${tree.path}/../other` })
  expect(stdout).toContain('repository  local/shop, from the name of its directory\n')
  expect(stdout).toMatch(/^ok {7}mode {8}without a service, in this clone$/m)
  expect(stdout).toMatch(
    /^ok {7}clone {7}2 working trees, 0 sessions, 0 branches, 0 pull requests\. Not looked at: pull requests \(there is no remote\)/m,
  )
  expect(stdout).not.toMatch(/server|token/)
})

test('links that leave the working tree, also into .git, are not followed, and large files left alone', async () => {
  await tree.write({ '../outside/rc': 'Mine\n', '../outside/claude/x': '', '.github/x': '' })
  await tree.write({ 'GEMINI.md': 'x'.repeat(2_000_000) })
  await symlink('.git/config', join(tree.path, 'CLAUDE.md'))
  await symlink('../../outside/new', join(tree.path, '.github/pre-push'))
  await symlink('../outside/rc', join(tree.path, 'AGENTS.md'))
  await symlink('../outside/claude', join(tree.path, '.claude'))
  await symlink('../../outside/new', join(tree.path, '.github/deconflict.yml'))
  expect((await init('--only', 'agents-md', 'claude', 'settings')).stdout).toBe('Nothing else to write.\n')
  expect(await readFile(inHome('outside/rc'), 'utf8')).toBe('Mine\n')
  await tree.git('config', 'core.hooksPath', '.github')
  expect((await init('--only', 'git')).stdout).toBe('Nothing else to write.\n')
  await tree.git('config', '--unset', 'core.hooksPath')
  await rename(join(tree.path, '.git'), inHome('outside/git'))
  await symlink('../outside/git', join(tree.path, '.git'))
  expect((await init('--only', 'git')).stdout).toMatch(/^Wrote 1 file/m)
})

test('what the system says when it cannot write is one line', async () => {
  await tree.write({ '.git/deconflict': 'a file' })
  const { code, stderr } = await tree.run(['init', '--yes', '--only', 'git'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/^deconflict: [A-Z]+: .*\/\.git\/deconflict'\n$/)
})
