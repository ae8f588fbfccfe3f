/** Which branches of a clone are built on which. */
import { expect, onTestFinished, test } from 'vitest'
import { linksIn } from '../../src/local/stacks.ts'
import { workingTree } from '../support/working-tree.ts'

// b is two commits above a; c joins a and d; e is beside them; f has the head of a.
const GRAPH = ['b2 b1', 'b1 a1', 'c1 a1 d1', 'a1 main', 'd1 main', 'e1 main'].join('\n')
const SHAS = { a: 'a1', b: 'b2', c: 'c1', d: 'd1', e: 'e1', f: 'a1', main: 'main' }
const HEADS = Object.entries(SHAS).map(([branch, sha]) => ({ branch, sha }))

test('a branch is built on each one whose head is below its own', () => {
  const links = linksIn(GRAPH, HEADS).map(({ branch, base_branch }) => `${branch}>${base_branch}`)
  expect(links).toEqual(['b>a', 'b>f', 'c>a', 'c>d', 'c>f'])
})

test('of working trees that were made from one branch, only what is not committed is compared', async () => {
  const tree = await workingTree({})
  onTestFinished(() => tree.remove())
  await tree.git('switch', '-qc', 'feature')
  await tree.write({ 'README.md': '# Shared\n' })
  await tree.git('commit', '-qam', 'Share')
  await tree.git('switch', '-q', 'main')
  const both = ['../a', '../b']
  for (const each of both) await tree.git('worktree', 'add', '-q', each, 'feature', '-b', each.slice(3))
  const check = async () =>
    JSON.parse((await tree.run(['check', '--json'], { cwd: `${tree.path}/../a` })).stdout)
  expect((await check()).matches).toEqual([])
  for (const each of both)
    await tree.write({ [`${each}/src/checkout/retry.ts`]: `export const by = '${each}'\n` })
  expect((await check()).matches).toMatchObject([{ worktree: '../b', consequence: 'conflict' }])
})
