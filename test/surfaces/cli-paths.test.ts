/** Paths as people type them: the command compares the files that they mean, or says that there are none. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { useShop } from '../support/shop.ts'

const FILE = 'src/checkout/retry.ts'
const { shop, tree, startAsBen } = useShop()

beforeEach(async () => {
  await startAsBen()
  await mkdir(join(tree.path, 'docs'))
})

const inTree = (folder: string) => ({ cwd: join(tree.path, folder) })

test('check --paths finds the collision, as typed in a folder', async () => {
  const link = join(dirname(tree.path), 'link')
  await symlink(tree.path, link)
  await symlink('../src', join(tree.path, 'docs/sources'))
  await tree.git('worktree', 'add', '-q', '-b', 'other', '../linked')
  for (const [folder, typed] of [
    // `test/rules/tree-paths.test.ts` has every form.
    ['.', '.'],
    ['docs', '../src/**'],
    // Through a link to the repository, and through one in it.
    ['docs', join(link, FILE)],
    ['docs', 'sources/checkout/retry.ts'],
    // In a linked working tree.
    ['../linked/src/checkout', 'retry.ts'],
  ] as const) {
    const { code, stdout } = await tree.run(['check', '--paths', typed], inTree(folder))
    expect(stdout, `${typed} in ${folder}`).toContain('“Tidy” by “Ben”')
    expect(code).toBe(2)
  }
})

test('start, update and note declare the files that are meant', async () => {
  const started = await tree.run(['start', 'Work', '--paths', 'a.ts', '--json'], inTree('docs'))
  const { id, scope } = JSON.parse(started.stdout).activity
  expect(scope.paths).toEqual(['docs/a.ts'])
  await tree.run(['update', id, '--paths', '../src/*.ts'], inTree('docs'))
  const body = await shop.read(id)
  expect(body.scope.paths).toEqual(['src/*.ts'])
  const options = ['--category', 'process', '--importance', 'low', '--paths', '.', '--json']
  const { stdout } = await tree.run(['note', 'Frozen', ...options], inTree('src'))
  expect(JSON.parse(stdout).scope.paths).toEqual(['src'])
})

test.each([
  ['check', '--paths', '../../other/a.ts'],
  ['start', 'Work', '--paths', '../../other/a.ts'],
  ['number', '../../other/a.ts'],
  ['note', 'N', '--category', 'process', '--importance', 'low', '--paths', '../../other/a.ts'],
])('%s refuses a path outside of the repository, and sends nothing', async (...args) => {
  const { code, stderr } = await tree.run(args, inTree('docs'))
  expect(stderr).toContain('../../other/a.ts lies outside of the repository')
  expect(code).toBe(1)
  const { body } = await shop.api('GET', '/activity')
  expect(body.items).toHaveLength(1)
})

test.each([
  ['another repository, paths are relative to the root', 'acme/other', FILE],
  ['a fork, they are relative to the folder', 'ada/shop', `../${FILE}`],
])('with --repo in a clone of %s', async (_, name, path) => {
  await tree.git('remote', 'set-url', 'origin', `https://github.com/${name}.git`)
  const { stdout } = await tree.run(['check', '--repo', 'acme/shop', '--paths', path], inTree('docs'))
  expect(stdout).toContain('“Tidy” by “Ben”')
})

test('outside of the working tree, an absolute path is refused', async () => {
  const named = join(tree.path, FILE)
  const { code, stderr } = await tree.run(['check', '--repo', 'acme/shop', '--paths', named], inTree('..'))
  expect(stderr).toContain(`${named} is absolute, and this is no working tree`)
  expect(code).toBe(1)
})

test.each([['check'], ['start', 'Work'], ['update', 'act_01', '--refresh', '--paths', 'a.ts']])(
  '%s says that git failed, instead of comparing nothing',
  async (...args) => {
    await tree.write({ [FILE]: 'changed' })
    await writeFile(join(tree.path, '.git/index'), 'corrupt')
    const { code, stdout, stderr } = await tree.run(args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('git did not list the changed files')
  },
)
