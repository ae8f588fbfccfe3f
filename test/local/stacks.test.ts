/** Which branches of a clone are built on which, and what working trees on one branch have in common. */
import { expect, test } from 'vitest'
import { Commits } from '../../src/local/stacks.ts'
import { useTree } from '../support/shop.ts'

const tree = useTree()

// b is two commits above a; c joins a and d; e is beside them; f has the head of a; m joins an earlier commit of main.
const GRAPH = ['b2 b1', 'b1 a1', 'c1 a1 d1', 'a1 main', 'd1 main', 'e1 main', 'm1 e1 old'].join('\n')
const SHAS = { a: 'a1', b: 'b2', c: 'c1', d: 'd1', e: 'e1', f: 'a1', main: 'main' }
const HEADS = Object.entries(SHAS).map(([branch, head]) => ({ branch, head }))

test('a branch is built on each one whose head is below its own, unless it is shared', () => {
  const links = (shared: string[]) =>
    new Commits(GRAPH).links(HEADS, [], shared).map(({ branch, base_branch }) => `${branch}>${base_branch}`)
  expect(links([])).toEqual(['b>a', 'b>f', 'c>a', 'c>d', 'c>f'])
  expect(links(['a1'])).toEqual(['c>d'])
  expect(new Commits('').links(HEADS, [], [])).toEqual([])
})

test('the commit of the base branch that a branch is built on is known where it is one', () => {
  const bases = ['b2', 'c1', 'm1', 'gone'].map((sha) => new Commits(GRAPH).baseOf(sha))
  expect(bases).toEqual(['main', 'main', undefined, undefined])
})

const FEATURE = Array.from({ length: 40 }, (_, at) => `export const step${at} = run(${at})\n`)

test('of two working trees on one branch, its commits, and a file copied to both, are the work of neither', async () => {
  const edit = (name: string, line: number) =>
    tree.write({ [`../${name}/src/feature.ts`]: FEATURE.toSpliced(line, 1, `${name}\n`).join('') })
  const run = (...args: string[]) => tree.run(args, { cwd: `${tree.path}/../mine` })
  const consequences = async (...args: string[]) =>
    (await run('check', '--json', ...args)).stdout.match(/(?<="consequence": ?")\w+/g) ?? []
  await tree.git('checkout', '-q', '-b', 'feature')
  const files = { 'src/feature.ts': FEATURE.join(''), 'README.md': '# Shop, with a feature\n' }
  await tree.commit('Add the feature', files)
  for (const name of ['mine', 'theirs']) await tree.git('worktree', 'add', '-q', `../${name}`, '-b', name)
  await tree.write({ '../mine/.envrc': 'PORT=1\n', '../theirs/.envrc': 'PORT=1\n' })
  await tree.git('checkout', '-q', 'main')
  await tree.git('branch', '-q', '-D', 'feature')
  await edit('theirs', 3)
  expect(await consequences('--paths', 'README.md')).toEqual([])
  await edit('mine', 30)
  expect(await consequences()).toEqual([])
  for (const name of ['mine', 'theirs']) await tree.git('-C', `../${name}`, 'commit', '-qam', name)
  expect(await consequences()).toEqual([])
  expect((await run('list')).stdout).not.toMatch(/conflict|same work/)
  await edit('mine', 3)
  expect(await consequences()).toEqual(['conflict'])
  expect((await run('list')).stdout).toMatch(/conflict, high .*same lines \(4\)/)
})

test.each([
  ['an unpushed commit of the base branch', 'main'],
  ['another branch', 'feature'],
  ['a branch that is gone', 'gone'],
])('a branch that starts from %s is not built on its neighbour there', async (_, start) => {
  await tree.git('checkout', '-q', '-B', start)
  await tree.commit('Unpushed', { 'src/unpushed.ts': 'export {}\n' })
  for (const name of ['mine', 'theirs']) {
    await tree.git('worktree', 'add', '-q', `../${name}`, '-b', name)
    await tree.write({ [`../${name}/README.md`]: `# Shop of ${name}\n` })
  }
  await tree.git('-C', '../theirs', 'commit', '-qam', 'Theirs')
  if (start === 'gone') await tree.git('checkout', '-q', 'main')
  if (start === 'gone') await tree.git('branch', '-q', '-D', start)
  for (const name of ['mine', 'theirs'])
    expect((await tree.run(['check'], { cwd: `${tree.path}/../${name}` })).stdout).toMatch(/^ {2}conflict, /m)
})

test('a branch is the work of the working tree in which it is rebased', async () => {
  await tree.git('checkout', '-q', '-b', 'mine')
  await tree.commit('Mine', { 'README.md': '# Mine\n' })
  await tree.git('-c', 'sequence.editor=sed -i s/pick/edit/', 'rebase', '-q', '-i', 'main')
  await tree.write({ 'README.md': '# Better\n' })
  await tree.git('commit', '-qa', '--amend', '-m', 'Better')
  expect((await tree.run(['check'])).stdout).toMatch(/^Clear/)
  expect((await tree.run(['list'])).stdout).toMatch(/^Work in shop on mine .*\n.*README\.md\n$/)
})

test('declared work on a branch is no conflict with an earlier commit of it, checked out in its tree', async () => {
  await tree.git('checkout', '-q', '-b', 'mine')
  for (const text of ['One', 'Two']) await tree.commit(text, { 'README.md': `# ${text}\n` })
  await tree.run(['start', 'Mine'])
  await tree.git('checkout', '-q', '--detach', 'HEAD~1')
  expect((await tree.run(['check'])).stdout).toMatch(/^Clear/)
  await tree.write({ 'README.md': '# Three\n' })
  expect((await tree.run(['check'])).stdout).toMatch(/^Overlap, high/)
})

const list = async () => (await tree.run(['list'])).stdout

test('declared work goes with its branch to another working tree, and ends with that', async () => {
  const other = { cwd: `${tree.path}/../other` }
  await tree.git('checkout', '-q', '-b', 'mine')
  await tree.commit('Mine', { 'README.md': '# Mine\n' })
  await tree.run(['start', 'Declared'])
  await tree.git('checkout', '-q', 'main')
  await tree.git('worktree', 'add', '-q', '../other', 'mine')
  const { matches } = JSON.parse((await tree.run(['check', '--json', '--paths', 'README.md'])).stdout)
  expect(matches).toMatchObject([{ title: 'Declared', worktree: '../other' }])
  await tree.run(['start'], other)
  expect(await list()).toMatch(/^Declared .*\n.*README\.md\n$/)
  await tree.git('update-ref', 'refs/remotes/origin/main', 'mine')
  expect(await list()).toMatch(/^Declared .*\n.* no paths\n$/)
  await tree.git('update-ref', 'refs/remotes/origin/main', 'main')
  await tree.git('worktree', 'remove', '../other')
  expect(await list()).toMatch(/^Mine .*\n.*README\.md\n$/)
})

test('declared work keeps its place when its branch or the base branch gets another name', async () => {
  const other = { cwd: `${tree.path}/../other` }
  await tree.git('remote', 'remove', 'origin')
  for (const name of ['mine', 'other']) await tree.git('worktree', 'add', '-q', `../${name}`, '-b', name)
  await tree.write({ '../mine/README.md': '# Mine\n', '../other/README.md': '# Other\n' })
  await tree.run(['start', 'Declared'], other)
  await tree.git('branch', '-m', 'main', 'master')
  const titles = async (cwd: string, ...args: string[]) =>
    JSON.parse((await tree.run([...args, '--json'], { cwd: `${tree.path}/../${cwd}` })).stdout)
  expect((await titles('mine', 'check')).matches).toMatchObject([
    { title: 'Declared', consequence: 'conflict' },
  ])
  expect((await titles('other', 'heartbeat')).overlap.overlap_detected).toBe(true)
  await tree.git('branch', '-m', 'other', 'renamed')
  expect((await titles('other', 'check')).matches).toMatchObject([{ branch: 'mine' }])
  expect((await titles('other', 'update', '--refresh')).overlap.overlap_detected).toBe(true)
  expect((await titles('mine', 'check')).matches).toMatchObject([{ title: 'Declared', branch: 'renamed' }])
  expect((await titles('mine', 'list')).items).toHaveLength(2)
})

test('paused work stays while a branch has its commit, and is no other work of that', async () => {
  await tree.git('checkout', '-q', '-b', 'mine')
  await tree.commit('Mine', { 'README.md': '# Mine\n' })
  await tree.run(['start', 'Declared'])
  await tree.run(['update', '--status', 'paused'])
  await tree.git('checkout', '-q', 'main')
  await tree.git('branch', 'another', 'mine')
  expect(await list()).toMatch(/^Declared .*\n.*README\.md\n$/)
  await tree.git('checkout', '-q', 'another')
  expect(await list()).toMatch(/^Declared /m)
  expect((await tree.run(['check'])).stdout).toMatch(/^Clear/)
  expect((await tree.run(['done'])).stderr).toMatch(/declare your work with deconflict start/)
  await tree.git('branch', '-q', '-D', 'mine')
  expect(await list()).not.toMatch(/^Declared /m)
})

test.each(['a branch', 'a working tree'])(
  'what the base branch got of %s, with other lines, counts no longer',
  async (what) => {
    await tree.git('remote', 'remove', 'origin')
    await tree.git('checkout', '-q', '-b', 'mine')
    await tree.commit('Mine', { 'README.md': '# Mine\n' })
    await tree.commit('More', { 'src/more.ts': 'more\n' })
    await tree.git('checkout', '-q', 'main')
    await tree.commit('Main', { 'README.md': '# Main\n' })
    if (what === 'a working tree') await tree.git('worktree', 'add', '-q', '../other', 'mine')
    const check = async () => (await tree.run(['check', '--paths', 'README.md'])).stdout
    expect(await check()).toMatch(/^Overlap/)
    await tree.git('merge', '-q', '-s', 'ours', '-m', 'Merge', 'mine~1')
    expect(await check()).toMatch(/^Clear/)
  },
)
