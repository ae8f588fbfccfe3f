/** The changed files of a working tree, compared with git on random files, edits and settings. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Git } from '../../src/git/git.ts'
import {
  type ChangedFiles,
  type ChangedFilesOptions,
  readChangedFiles,
} from '../../src/git/working-tree-files.ts'
import { digest } from '../support/lines.ts'
import { randomOf } from '../support/random-merges.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

let directory: { path: string; remove(): Promise<void> }
beforeEach(async () => {
  directory = await temporaryDirectory('changes')
})
afterEach(() => directory.remove())

const env = () => ({ PATH: process.env.PATH, HOME: directory.path, GIT_CONFIG_NOSYSTEM: '1' })
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: directory.path, env: env(), maxBuffer: 1e9, encoding: 'utf8' })
const initialise = () => {
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.com')
}
const write = (name: string, content: string | Buffer) => {
  mkdirSync(dirname(join(directory.path, name)), { recursive: true })
  writeFileSync(join(directory.path, name), content)
}
const read = (options: Partial<ChangedFilesOptions> = {}, variables = {}) =>
  readChangedFiles(new Git(directory.path, { ...env(), ...variables }), {
    base: 'main',
    remote: undefined,
    staged_only: false,
    ...options,
  }) as Promise<ChangedFiles>

const NAMES = [
  ...`plain.ts dir/deep/file.ts quote".ts back\\slash.ts ümläut.ts 日本語/ファイル.ts single'quote.ts -dash :colon *star?
  [id]/{x}.ts b/a/b`.split(/\s+/),
  ...['with space.ts', 'a b/x', ' leading', 'trailing ', '@@ -1 +1 @@'],
  ...['tab\t.ts', 'new\nline.ts', 'new\ndiff --git a/x b/x', 'bell\u0007\u0001\u007f', 'r\r'],
]

/** User settings that change the output of a plain `git diff`. */
const SETTINGS: [string, string][] = [
  ['diff.noprefix', 'true'],
  ['diff.mnemonicPrefix', 'true'],
  ['diff.external', 'echo external'],
  ['diff.context', '9'],
  ['diff.interHunkContext', '20'],
  ['diff.algorithm', 'patience'],
  ['diff.indentHeuristic', 'false'],
  ['diff.renames', 'copies'],
  ['diff.renameLimit', '1'],
  ['diff.relative', 'true'],
  ['diff.orderFile', '/nowhere'],
  ['diff.suppressBlankEmpty', 'true'],
  ['diff.submodule', 'log'],
  ['diff.ignoreSubmodules', 'all'],
  ['diff.wordRegex', '.'],
  ['diff.colorMoved', 'zebra'],
  ['diff.upper.textconv', 'tr a-z A-Z <'],
  ['diff.upper.command', 'echo driver'],
  ['color.ui', 'always'],
  ['core.quotePath', 'true'],
  ['core.pager', 'cat -A'],
  ['status.showUntrackedFiles', 'no'],
]

type Random = ReturnType<typeof randomOf>
const pick = <Item>(random: Random, items: readonly Item[]) =>
  items[Math.floor(random() * items.length)] as Item

function randomText(random: Random): string {
  const count = Math.floor(random() * 40)
  const lines = Array.from({ length: count }, () =>
    pick(random, [
      ...['', '', '}', '  return', '-- a', '++ b', '@@ -1 +1 @@', 'diff --git a/x b/x', 'é', 'x\r', '\f'],
      `${random()}`,
    ]),
  )
  return lines.join('\n') + (random() < 0.8 ? '\n' : '')
}

function edited(random: Random, text: string): string {
  const lines = text.split('\n')
  for (let edits = 1 + Math.floor(random() * 3); edits > 0; edits--)
    lines.splice(Math.floor(random() * lines.length), Math.floor(random() * 3), `${random()}`)
  return lines.join('\n')
}

/** A base, then commits, staged, unstaged and untracked changes. */
function randomTree(random: Random): void {
  initialise()
  const texts = new Map(NAMES.map((name) => [name, randomText(random)]))
  const tracked = NAMES.filter(() => random() < 0.8)
  const untracked = NAMES.filter((name) => !tracked.includes(name))
  for (const name of tracked) write(name, texts.get(name) as string)
  write('.gitignore', 'ignored\n')
  git('add', '-A')
  git('commit', '-q', '-m', 'Base')
  git('checkout', '-q', '-b', 'work')
  for (const [index, name] of tracked.entries()) {
    const path = join(directory.path, name)
    const text = texts.get(name) as string
    const kind = pick(random, ['edit', 'edit', 'edit', 'remove', 'rename', 'binary', 'none'])
    if (kind === 'edit') write(name, edited(random, text))
    if (kind === 'binary') write(name, Buffer.from([0, index]))
    if (kind === 'remove') rmSync(path)
    if (kind === 'rename') renameSync(path, `${path} moved`)
    if (random() < 0.5) git('add', '-A')
    if (random() < 0.2) git('commit', '-q', '--allow-empty', '-m', 'Work')
  }
  for (const name of untracked)
    write(name, random() < 0.2 ? Buffer.from([1, 0, 2]) : (texts.get(name) as string))
  write('ignored', 'x')
}

/** The staged changes in git's default format, one file at a time. */
function stagedChanges(...options: string[]): Map<string, object> {
  const fields = git('diff', '--cached', '--raw', '--no-abbrev', '-z', ...options, 'main').split('\0')
  const changes = new Map<string, object>()
  for (let at = 0; fields[at]?.startsWith(':'); at += 2) {
    const [, , before, after, letter = ''] = (fields[at] as string).split(' ')
    const previous_path = fields[at + 1] as string
    if (letter.startsWith('R')) at++
    const path = fields[at + 1] as string
    const status = { A: 'added', D: 'removed', M: 'modified', R: 'renamed' }[letter.charAt(0)]
    const names = ['--', path, previous_path]
    const output = git('--literal-pathspecs', 'diff', '--cached', ...options, 'main', ...names)
    const hunks = output.indexOf('\n@@ ')
    changes.set(path, {
      path,
      ...(status === 'renamed' && { previous_path }),
      status,
      blob_sha: status === 'removed' ? before : after,
      ...(hunks !== -1 && { patch: output.slice(hunks + 1) }),
    })
  }
  return changes
}

test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  'the changes that are sent are those of git, with its patches and blobs, whatever the settings of the user: seed %i',
  async (seed) => {
    const random = randomOf(seed)
    randomTree(random)
    const settings = SETTINGS.filter(() => random() < 0.6)
    for (const [name, value] of settings) git('config', name, value)
    write('.git/info/attributes', '*.ts diff=upper\n')
    const { changes, base_sha } = await read({}, { GIT_DIFF_OPTS: '-u8', GIT_EXTERNAL_DIFF: 'echo' })
    for (const [name] of settings) git('config', '--unset', name)
    rmSync(join(directory.path, '.git/info/attributes'))

    git('add', '-u')
    const tracked = stagedChanges()
    git('add', '-A')
    const untracked = [...stagedChanges('--no-renames', '--diff-filter=A').keys()]
    const named = untracked.map((path): [string, object] => [path, { path, status: 'added' }])
    const expected = new Map([...named, ...tracked])
    for (const change of tracked.values())
      if ('previous_path' in change) expected.delete(change.previous_path as string)
    expect(new Map(changes.map((each) => [each.path, each]))).toEqual(expected)
    expect(changes.length).toBe(expected.size)
    expect(base_sha).toBe(git('rev-parse', 'main').trim())
    for (const { patch } of changes) if (patch !== undefined) digest(patch)
  },
)

test('the names are sent without the patches if git takes too long', async () => {
  initialise()
  write('a.ts', '1\n')
  write('.gitignore', 'bin\n')
  git('add', '-A')
  git('commit', '-q', '-m', 'Base')
  write('a.ts', '2\n')
  const bin = join(directory.path, 'bin')
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
  write(
    'bin/git',
    `#!/bin/sh\nfor each; do [ "$each" = --patch ] && exec sleep 60; done\nexec ${real} "$@"\n`,
  )
  chmodSync(join(bin, 'git'), 0o755)
  const { changes, base_sha } = await read({ timeout_ms: 5000 }, { PATH: `${bin}:${process.env.PATH}` })
  expect(changes).toEqual([{ path: 'a.ts', status: 'modified' }])
  expect(base_sha).toBe(git('rev-parse', 'HEAD').trim())
})

// Threat: A secret in a file of the working tree
test('of a file that git does not track only the name is sent, until it is staged', async () => {
  initialise()
  const secret = 'TOKEN=hunter2\n'
  for (const name of ['.env', 'notes.txt', 'src/new.ts']) write(name, secret)
  write('ignored.pem', secret)
  write('.gitignore', '*.pem\n.gitignore\n')
  const names = ['.env', 'notes.txt', 'src/new.ts']
  expect((await read()).changes).toEqual(names.map((path) => ({ path, status: 'added' })))
  git('add', 'src/new.ts')
  const { changes } = await read()
  expect(changes.filter(({ patch, blob_sha }) => patch ?? blob_sha).map(({ path }) => path)).toEqual([
    'src/new.ts',
  ])
})

test('before the first commit, staged and untracked files are sent', async () => {
  initialise()
  write('staged.ts', '1\n')
  git('add', '-A')
  write('untracked.ts', '2\n')
  const { changes, base_sha } = await read()
  expect(changes.map(({ path, status, patch }) => [path, status, patch])).toEqual([
    ['staged.ts', 'added', '@@ -0,0 +1 @@\n+1\n'],
    ['untracked.ts', 'added', undefined],
  ])
  expect(base_sha).toBe(undefined)
})

test('a file that conflicts, a link and a file that is only removed from the index are sent once each', async () => {
  initialise()
  for (const name of ['both', 'kept', 'link']) write(name, 'base\n')
  git('add', '-A')
  git('commit', '-q', '-m', 'Base')
  git('checkout', '-q', '-b', 'other')
  write('both', 'other\n')
  git('commit', '-q', '-am', 'Other')
  git('checkout', '-q', '-b', 'work', 'main')
  write('both', 'work\n')
  git('commit', '-q', '-am', 'Work')
  expect(() => git('merge', '-q', 'other')).toThrow()
  git('rm', '-q', '--cached', 'kept')
  rmSync(join(directory.path, 'link'))
  symlinkSync('both', join(directory.path, 'link'))
  mkdirSync(join(directory.path, 'nested'))
  git('init', '-q', 'nested')
  write('nested/file', '1\n')
  symlinkSync('both', join(directory.path, 'new-link'))
  const { changes } = await read()
  expect(changes.map(({ path, status, patch }) => [path, status, patch !== undefined])).toEqual([
    ['both', 'modified', true],
    ['kept', 'removed', true],
    ['link', 'modified', false],
    ['new-link', 'added', false],
  ])
})
