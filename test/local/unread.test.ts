/** What a check says if it cannot look at a part of the clone: it never counts as clear. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, readFile, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { DiffCache, RecordFiles } from '../../src/local/local-client.ts'
import { hooksIn, useTree } from '../support/shop.ts'

const tree = useTree()
const other = (name: string) => join(tree.path, '../other', name)

/** A second working tree, in which line 2 of the file of the first one differs. */
async function addOther(): Promise<void> {
  await tree.commit('Cart', { 'src/cart.ts': 'one\ntwo\nthree\n' })
  await tree.git('worktree', 'add', '-q', '../other', '-b', 'other')
  await tree.write({ '../other/src/cart.ts': 'one\n2\nthree\n' })
}

test('a loop of links, and a file in place of a directory, are changes as any other', async () => {
  await addOther()
  await symlink('loop', other('loop'))
  expect((await tree.run(['check', '--paths', 'src/cart.ts'])).stdout).toMatch(/works on src/)
  await rm(other('src'), { recursive: true })
  await tree.write({ '../other/src': 'a file\n' })
  const stdout = expect.stringMatching(/works on src\/cart\.ts too/)
  expect(await tree.run(['check', '--paths', 'src/cart.ts'])).toMatchObject({ stderr: '', stdout })
})

/** Commits the change, in a clone that has no commit before. */
async function cutOff(): Promise<void> {
  await tree.git('-C', '../other', 'commit', '-q', '-am', 'Two')
  const heads = await Promise.all(['main', 'other'].map((name) => tree.git('rev-parse', name)))
  await tree.write({ '.git/shallow': `${heads.join('\n')}\n` })
}

test.each<[string, () => Promise<unknown>, RegExp]>([
  [
    'a working tree that git cannot read',
    () => tree.write({ '.git/worktrees/other/index': 'damaged' }),
    /working tree \.\.\/other: git cannot read it; run git status there/,
  ],
  [
    'working trees that git does not list',
    () => tree.write({ '.git/worktrees/other/commondir': '' }),
    /working trees: git did not list them; run git worktree list/,
  ],
  [
    'a branch whose start a shallow clone does not have',
    async () => {
      await cutOff()
      await tree.git('-C', '../other', 'checkout', '-q', '--detach', 'main')
    },
    /1 branch: git could not compare them with main; in a shallow clone, run git fetch --unshallow/,
  ],
  [
    'a working tree whose start it does not have',
    async () => {
      await cutOff()
      const said = async (...args: string[]) => (await tree.run(args, { cwd: other('.') })).stderr
      expect(await said('check')).toMatch(/HEAD left main; run git fetch --unshallow, or name files/)
      expect(await said('number', 'src', '--rename')).toMatch(/this shallow .*; run git fetch --unshallow\n$/)
      await hooksIn(tree).hook('session-start', { cwd: other('.') })
    },
    /working tree \.\.\/other: git cannot read it; .*; in a shallow clone, run git fetch --unshallow/,
  ],
  [
    'branches, if the base branch is unknown',
    async () => {
      await tree.git('remote', 'remove', 'origin')
      await tree.git('branch', '-m', 'main', 'stable')
      await tree.git('checkout', '-q', '--detach')
      const { stdout } = await tree.run(['doctor'], { cwd: other('.') })
      expect(stdout).toMatch(/^problem +branch +other, whose base .* unknown; name it with check --base$/m)
    },
    /branches: the base branch is unknown; name it with check --base/,
  ],
])('a check says that it did not look at %s', async (_, breakIt, said) => {
  await addOther()
  await breakIt()
  const check = (...options: string[]) => tree.run(['check', '--paths', 'docs/new.md', ...options])
  expect((await check()).stdout).toMatch(
    /^Incomplete: no overlap found so far \([^→]*→ Not everything was compared: /,
  )
  const answer = JSON.parse((await check('--json')).stdout)
  expect(answer.sources.join('\n')).toMatch(said)
  expect(answer.checked_against.complete).toBe(false)
  expect(answer.recommended_action).toMatch(/^Not everything was compared: /)
  for (const command of ['list', 'order']) {
    const { stdout } = await tree.run([command])
    expect(stdout.replaceAll(/\n +/g, ' '), command).toMatch(said)
  }
})

test('a check says that git does not know where the main working tree is', async () => {
  await addOther()
  await tree.git('init', '-q', '../home')
  await rename(join(tree.path, '.git'), other('../home/store'))
  const file = `gitdir: ${other('../home/store/worktrees/other')}\n`
  await tree.write({ '.git': 'gitdir: ../home/store\n', '../other/.git': file })
  const { stdout } = await tree.run(['check', '--paths', 'docs/new.md'], { cwd: other('.') })
  expect(stdout).toMatch(/^Incomplete: .*working\s+tree \.\.\/home\/store \(git\s+cannot read it/s)
})

test('a branch counts as soon as git can say where it began', async () => {
  await addOther()
  await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  await tree.git('-C', '../other', 'commit', '-qam', 'Two')
  await tree.git('worktree', 'remove', '../other')
  const real = (process.env.PATH ?? '').split(':').find((each) => existsSync(join(each, 'git')))
  await tree.write({ '../bin/git': `#!/bin/sh\n[ "$1" != merge-base ] && exec ${real}/git "$@"\nexit 128\n` })
  await chmod(join(tree.path, '../bin/git'), 0o755)
  const check = async (env = {}) => (await tree.run(['check', '--paths', 'src/cart.ts'], { env })).stdout
  expect(await check({ PATH: join(tree.path, '../bin') })).toMatch(/^Incomplete: /)
  expect(await check()).toMatch(/^Overlap/)
})

test('a branch with a root of its own, such as one of pages, is left out, and the check is complete', async () => {
  await addOther()
  await tree.git('checkout', '-q', '--orphan', 'pages')
  await tree.git('commit', '-q', '-m', 'Pages')
  await tree.git('checkout', '-q', 'main')
  const GIT_TRACE = join(tree.path, '../trace')
  for (const env of [{}, { GIT_TRACE }])
    expect((await tree.run(['check', '--paths', 'docs/new.md'], { env })).stdout).toMatch(/^Clear: /)
  expect(await readFile(GIT_TRACE, 'utf8')).not.toContain('merge-base')
})

test('a path with a newline is looked at, and from', async () => {
  await tree.git('clone', '-q', '.', '../new\nline')
  await tree.git('-C', '../new\nline', 'worktree', 'add', '-q', '../plain')
  await tree.write({ '../new\nline/README.md': '# One\n', '../plain/README.md': '# Two\n' })
  for (const name of ['new\nline', 'plain'])
    expect((await tree.run(['check'], { cwd: join(tree.path, '..', name) })).stdout).toMatch(/conflict, high/)
})

test.each(['other\u2028x', 'other\u00a0'])('the branch %j does not hide “other”', async (name) => {
  await addOther()
  await tree.git('-C', '../other', 'commit', '-q', '-am', 'Two')
  await tree.git('-C', '../other', 'checkout', '-q', '-b', name, 'main')
  expect((await tree.run(['check', '--paths', 'src/cart.ts'])).stdout).toMatch(/on “other”/)
})

test('a diff that lacks patches is made again where there is more time', async () => {
  const cache = new DiffCache(new RecordFiles(tree.path))
  const made = (late_ms: number) => Promise.resolve({ base_sha: null, files: [], patch_id: '', late_ms })
  const got = async (ms: number) => (await cache.get('a', '', ms, () => made(ms)))?.late_ms
  expect([await got(100), await got(150), await got(300)]).toEqual([100, 100, 300])
})

test('a hook of git, which names a repository and an index for all that it runs, looks at the other working tree', async () => {
  await addOther()
  await tree.write({ '../other/README.md': '# Other\n' })
  await tree.git('rm', '-q', 'README.md')
  const env = { GIT_DIR: join(tree.path, '.git'), GIT_INDEX_FILE: join(tree.path, '.git/index') }
  expect((await tree.run(['check', '--staged'], { env })).stdout).toMatch(/conflict, high/)
})

test('without user.name, what is in other working trees is the own work', async () => {
  await addOther()
  await tree.git('config', '--unset', 'user.name')
  const { stdout } = await tree.run(['check', '--paths', 'src/cart.ts'], { env: { USER: 'ada' } })
  expect(stdout).toMatch(/possible overlap, medium {2}your other session, in “\.\.\/other”/)
})

test('of work with more than 3,000 changed files, a check says that it does not know the others', async () => {
  await addOther()
  const files = Array.from({ length: 3001 }, (_, at) => [`../other/out/${at}.txt`, ''])
  await tree.write(Object.fromEntries(files))
  const check = async () => JSON.parse((await tree.run(['check', '--json', '--paths', 'out/zz.txt'])).stdout)
  expect((await check()).checked_against.complete).toBe(false)
  // A scope may name 3,000 paths; the first ones are still compared.
  expect((await tree.run(['check', '--paths', 'out/0.txt'])).code).toBe(2)
  await tree.git('-C', '../other', 'add', '-A')
  await tree.git('-C', '../other', 'commit', '-qm', 'Out')
  await tree.git('worktree', 'remove', '../other')
  expect((await check()).reason).toMatch(/Only the first changed files of 1 live activity are known/)
})

describe('declared work on a branch that nobody has checked out', () => {
  /** What a check says of work that changes the second line of a file. */
  async function check(file: string): Promise<string> {
    await tree.write({ [file]: 'one\nmine\nthree\n' })
    const { stdout } = await tree.run(['check'])
    await tree.git('checkout', '-q', '--', '.')
    return stdout
  }
  const changed = (word: string) => `one\n${word}\nthree\n`
  /** After the second in which a commit was made. */
  async function runLater(args: string[]): Promise<void> {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2000 })
    await tree.run(args).finally(() => vi.useRealTimers())
  }

  test('is compared with what was committed since, less what was merged', async () => {
    await tree.commitUpstream('Base', { 'a.ts': changed('two'), 'b.ts': changed('two') })
    await tree.git('checkout', '-q', '-b', 'feature')
    await tree.commit('First', { 'a.ts': changed('first') })
    await tree.run(['start', 'Feature', '--paths', 'src/pay.ts'])
    await tree.commit('Second', { 'b.ts': changed('second') })
    await runLater(['update', '--risk', 'high'])
    await tree.git('checkout', '-q', 'main')
    for (const file of ['a.ts', 'b.ts'])
      expect(await check(file)).toContain(`“Feature” changes line 2 of ${file} too`)
    expect((await tree.run(['check', '--paths', 'src/pay.ts'])).stdout).toContain('“Feature”')
    await tree.git('cherry-pick', 'feature~1')
    await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    expect(await check('a.ts')).toMatch(/^Clear/)
    expect(await check('b.ts')).toContain('“Feature” changes line 2 of b.ts too')
    await tree.git('cherry-pick', 'feature')
    await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    expect(await check('b.ts')).toMatch(/^Clear/)
  })

  test('keeps what was declared after its commits, which work that only names the branch does not hide', async () => {
    await tree.commitUpstream('Base', { 'a.ts': changed('two'), 'b.ts': changed('two') })
    await tree.git('checkout', '-q', '-b', 'feature')
    await tree.write({ 'a.ts': changed('first') })
    const env = { ...process.env, GIT_COMMITTER_DATE: new Date(Date.now() - 60_000).toISOString() }
    execFileSync('git', ['-c', 'user.name=Ada', 'commit', '-qam', 'First'], { cwd: tree.path, env })
    await tree.write({ 'b.ts': changed('stashed') })
    await tree.run(['start', 'Feature'])
    await tree.git('stash', '-q')
    await tree.git('checkout', '-q', 'main')
    expect(await check('b.ts')).toContain('“Feature” changes line 2 of b.ts too')
    await tree.git('checkout', '-q', 'feature')
    await tree.run(['start', '--paths', 'c.ts'])
    await tree.git('checkout', '-q', 'main')
    expect(await check('a.ts')).toContain('“Feature” changes line 2 of a.ts too')
    await tree.git('checkout', '-q', 'feature')
    await tree.run(['done'])
    await tree.git('checkout', '-q', 'main')
    await tree.run(['start', 'Planned', '--branch', 'feature', '--paths', 'c.ts'])
    expect(await check('a.ts')).toContain('changes line 2 of a.ts too')
  })

  test('is compared by the lines of the commit that it was declared on', async () => {
    const lines = (top: number, word = '40') =>
      Array.from({ length: top + 60 }, (_, at) => `line ${at === top + 40 ? word : at - top} of it\n`).join(
        '',
      )
    await tree.commitUpstream('Base', { 'a.ts': lines(0) })
    await tree.git('checkout', '-q', '-b', 'feature')
    await tree.commit('Top', { 'a.ts': lines(20) })
    await tree.commit('Second', { 'b.ts': 'b\n' })
    await tree.write({ 'a.ts': lines(20, 'theirs') })
    await runLater(['start', 'Feature'])
    await tree.git('stash', '-q')
    await tree.git('checkout', '-q', 'main')
    await tree.git('merge', '-q', '--ff-only', 'feature~1')
    await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    await tree.write({ 'a.ts': lines(20, 'mine') })
    expect((await tree.run(['check'])).stdout).toContain('of a.ts too')
  })
})

test.each([
  ['linked working tree', 'gitdir: ../.git/worktrees/gone\n'],
  ['submodule', 'gitdir: ../.git/modules/gone\n'],
  ['repository', ''],
])('a %s without its git directory is no part of the clone around it', async (_, pointer) => {
  await tree.write({ 'gone/.git': pointer, 'gone/a.ts': 'a\n' })
  expect(await tree.run(['check'], { cwd: join(tree.path, 'gone') })).toMatchObject({ code: 1, stdout: '' })
})

test('a file beside the working trees of a bare repository is the work of none', async () => {
  await tree.git('clone', '-q', '--bare', '.', '../other/.bare')
  await tree.write({ '../other/.git': 'gitdir: ./.bare\n' })
  await tree.git('-C', '../other', 'worktree', 'add', '-q', 'one')
  expect((await tree.run(['doctor'], { cwd: other('one') })).stdout).toContain(
    'local/other, from the name of its',
  )
  await hooksIn(tree).hook('prompt', { cwd: other('.') })
  await hooksIn(tree).hook('after-edit', { cwd: other('one'), file_path: '../a.ts' })
  expect((await tree.run(['list'], { cwd: other('one') })).stdout).toMatch(/^Work on one .*\n.* no paths\n$/)
})

// Threat: A clone that runs a command of its author
test('a directory of a clone that is a bare repository runs no command of its configuration', async () => {
  await tree.write({
    'fixtures/HEAD': 'ref: refs/heads/main\n',
    'fixtures/config': `[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = "touch ${join(tree.path, 'ran')}; false"\n`,
    ...{ 'fixtures/objects/info/keep': '', 'fixtures/refs/heads/keep': '', 'fixtures/src/a.ts': 'a\n' },
  })
  const { hook } = hooksIn(tree)
  for (const event of ['session-start', 'before-edit', 'after-edit', 'stop', 'session-end'])
    await hook(event, { cwd: join(tree.path, 'fixtures'), file_path: 'src/a.ts' })
  for (const command of ['check', 'start', 'doctor', 'list'])
    await tree.run([command], { cwd: join(tree.path, 'fixtures') })
  expect(existsSync(join(tree.path, 'ran'))).toBe(false)
})

test('a hook of a session whose working tree was removed declares nothing in the one around it', async () => {
  await hooksIn(tree).hook('prompt', { cwd: join(tree.path, 'trees/gone') })
  expect((await tree.run(['list'])).stdout).toMatch(/^No live activities/)
})

test.each(['../third', '.trees/third'])(
  'an edit in %s is of that working tree, wherever the session is',
  async (place) => {
    const { hook, heard } = hooksIn(tree)
    await addOther()
    await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    await tree.git('worktree', 'add', '-q', place, '-b', 'third')
    const file_path = join(place, 'src/cart.ts')
    const edit = { tool_name: 'Edit', tool_input: { file_path } }
    expect(await heard('after-read', edit)).toMatch(/other session, in \S+other on “other”: src\/cart\.ts/)
    const { stdout } = await tree.run(['list', '--branch', 'third'])
    expect(stdout).toMatch(/^Work on third .*\n.*src\/cart\.ts\n/)
    const { stderr } = await tree.run(['check', '--paths', file_path])
    expect(stderr).toMatch(/third; run the command there\n$/)
    expect(await heard('after-read', { ...edit, session_id: 's2' })).toMatch(/^Deconflict, in \S+third: /)
    // The work that both share ends with the last of them.
    for (const session_id of ['s1', 's2']) {
      await hook('session-start', { session_id: `beside ${session_id}` })
      expect((await tree.run(['list'])).stdout).toMatch(/^Work on third .* active /m)
      await heard('session-end', { session_id })
    }
    expect((await tree.run(['list'])).stdout).not.toContain('Work on third')
    await tree.git('checkout', '-q', '-b', 'mine')
    const patch = `*** Begin Patch\n*** Update File: ${file_path}\n*** Update File: README.md\n*** End Patch`
    const both = { tool_name: 'apply_patch', tool_input: { command: patch } }
    await hook('after-edit', both, { agent: 'codex' })
    expect((await tree.run(['list', '--branch', 'mine'])).stdout).toMatch(/^Work on mine .*\n.*README\.md\n/)
  },
)

test('the work of a session whose end was not sent goes on with the next one', async () => {
  const { hook } = hooksIn(tree)
  const file = '.git/deconflict/branch-work.json'
  await tree.git('checkout', '-q', '-b', 'work')
  await tree.commit('Cart', { 'src/cart.ts': 'one\n' })
  await hook('session-start')
  const work = JSON.parse(await readFile(join(tree.path, file), 'utf8'))
  await tree.write({ [file]: JSON.stringify({ ...work, ending: 'paused' }) })
  await hook('session-start', { session_id: 's2' })
  expect((await tree.run(['list'])).stdout).toMatch(/^Work on work .* active /)
})

test('what its own working tree has committed is compared by its lines when work is declared', async () => {
  await addOther()
  await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  await tree.git('-C', '../other', 'commit', '-q', '-am', 'Two')
  await tree.git('checkout', '-q', '-b', 'work')
  await tree.commit('Two', { 'src/cart.ts': 'one\nzwei\nthree\n' })
  expect((await tree.run(['start', 'Two'])).stdout).toContain('conflict, high')
})

test('a session hears which files another one of its directory has edited too, also one that this had read', async () => {
  const { heard } = hooksIn(tree)
  const other = { session_id: 's2', tool_name: 'Edit', tool_input: { file_path: 'README.md' } }
  await heard('after-edit', { ...other, session_id: 's1' })
  await heard('after-read', { ...other, tool_name: 'Read' })
  await heard('after-edit', other)
  expect(await heard('prompt')).toContain('has edited README.md too')
})

test('an agent hears of each branch of another working tree, and once that work it was told to finish first is gone', async () => {
  const { heard } = hooksIn(tree)
  await addOther()
  await tree.git('checkout', '-q', '-b', 'work')
  await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  await tree.write({ 'src/cart.ts': 'one\nzwei\nthree\n' })
  expect(await heard('prompt')).toContain('conflict with your other session, in ../other on “other”')
  await tree.git('-C', '../other', 'checkout', '-q', '-b', 'next')
  expect(await heard('prompt')).toContain('conflict with your other session, in ../other on “next”')
  await tree.write({ '.git/worktrees/other/index': 'damaged' })
  expect(await heard('prompt')).toBe('')
  await rm(join(tree.path, '.git/worktrees/other/index'))
  await tree.git('-C', '../other', 'reset', '-q')
  for (const event of ['session-start', 'session-end']) {
    await heard(event, { session_id: 's2', cwd: other('.') })
    expect(await heard('prompt'), event).toBe('')
  }
  await tree.git('-C', '../other', 'commit', '-qam', 'Two')
  expect(await heard('prompt')).toBe('')
  await tree.git('update-ref', 'refs/remotes/origin/main', 'next')
  expect(await heard('prompt')).toMatch(
    /^Deconflict: your other session, in \.\.\/other on “next” no longer meets your changes; it may be merged: /,
  )
  expect(await heard('prompt')).toBe('')
  await tree.write({ '../other/README.md': '# Other\n' })
  const read = { tool_name: 'Read', tool_input: { file_path: 'README.md' } }
  expect(await heard('after-read', read)).toContain('in ../other on “next”: README.md')
  await tree.git('-C', '../other', 'checkout', '-q', 'README.md')
  expect(await heard('prompt')).toContain('no longer meets your changes')
})

test('an agent whose own change moved away hears that the other one no longer meets it', async () => {
  const { heard } = hooksIn(tree)
  const changed = (at: number) =>
    `${[1, 2, 3, 4, 5, 6, 7, 8, 9].map((line) => (line === at ? 'mine' : line)).join('\n')}\n`
  await tree.commit('Numbers', { 'n.txt': changed(0) })
  await tree.git('worktree', 'add', '-q', '../other', '-b', 'other')
  await tree.write({ '../other/n.txt': changed(1).replace('mine', 'other'), 'n.txt': changed(1) })
  expect(await heard('prompt')).toContain('conflict with your other session, in ../other on “other”')
  await tree.write({ 'n.txt': changed(9) })
  expect(await heard('prompt')).toContain('no longer meets your changes')
})

test('a file that was copied to the working trees of two sessions is the work of neither', async () => {
  const { heard } = hooksIn(tree)
  await addOther()
  await tree.git('checkout', '-q', '-b', 'work')
  await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  await tree.write({ 'local.json': '{}\n', '../other/local.json': '{}\n' })
  await heard('session-start', { session_id: 's2', cwd: other('.') })
  expect(await heard('session-start')).toBe('')
})

test('a session that goes on with paused work claims no file that was merged', async () => {
  const { hook } = hooksIn(tree)
  await tree.git('checkout', '-q', '-b', 'work')
  await hook('after-edit', { tool_name: 'Edit', tool_input: { file_path: 'src/cart.ts' } })
  await tree.commit('Cart', { 'src/cart.ts': 'one\n' })
  await hook('session-end')
  await tree.git('update-ref', 'refs/remotes/origin/main', 'work')
  await hook('session-start', { session_id: 's2' })
  expect((await tree.run(['list'])).stdout).toMatch(/^Work on work .* active .*\n.* no paths\n$/)
})

test('a hook in a repository of another user, which git distrusts, does nothing', async () => {
  const env = { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' }
  vi.spyOn(process, 'getuid').mockReturnValue(4242)
  await hooksIn(tree).hook('prompt', {}, { env })
  vi.restoreAllMocks()
  expect(existsSync(join(tree.path, '.git/deconflict'))).toBe(false)
})
