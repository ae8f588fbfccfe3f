/** Work that commits of the base branch have done already, in a clone without a service. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nameOf } from '../../src/local/merged-work.ts'
import { useTree } from '../support/shop.ts'

test.each([
  ['Retry payments (#12)', '', 12, 'Retry payments'],
  ['Merge pull request #12 from acme/retry', 'Retry payments\n\nTwice.', 12, 'Retry payments'],
  ['Merge pull request #12 from acme/retry', '', 12, 'Merge pull request #12 from acme/retry'],
  ['Retry payments, see #12', '', null, 'Retry payments, see #12'],
])('the commit “%s” is named by its pull request, if it has one', (subject, body, number, title) => {
  expect(nameOf({ subject, body })).toEqual({ number, title })
})

describe('a check', () => {
  const tree = useTree()
  const RETRY = Array.from({ length: 10 }, (_, at) => `  till.retryPayment(${at})\n`).join('')

  /** Checks the same lines in another file, on a branch from before. */
  async function check(...args: string[]) {
    await tree.git('checkout', '-q', '-B', 'work', 'origin/main')
    await tree.write({ 'src/till.ts': RETRY })
    await tree.git('add', '-A')
    return tree.run(['check', ...args])
  }
  const findings = async () => JSON.parse((await check('--json')).stdout).matches

  test('names the pull request of the commit, or the commit', async () => {
    await tree.commit('Retry payments (#12)', { 'src/retry.ts': RETRY })
    expect(await findings()).toMatchObject([
      {
        ...{ id: '#12', title: 'Retry payments', pr_url: 'https://github.com/acme/shop/pull/12' },
        findings: [{ kind: 'done', share: 1, added_lines: 10 }],
      },
    ])
    await tree.git('checkout', '-q', '-f', 'main')
    await tree.commit('Retry more', { 'src/retry.ts': `${RETRY}  till.more()\n`, 'src/again.ts': RETRY })
    const sha = await tree.git('rev-parse', '--short=8', 'HEAD')
    await tree.git('update-ref', 'refs/heads/main', 'HEAD')
    const { code, stdout } = await check()
    expect(code).toBe(2)
    expect(stdout).toContain(`${sha} is merged and has 10 of the 10 lines that your change adds`)
    expect(stdout).toContain(`Look at ${sha} before you go on`)
  })

  test('of an issue names the merged pull request that closes it', async () => {
    await tree.commit('Retry payments (#12)\n\nCloses #7', { 'src/retry.ts': RETRY })
    await tree.commit('Look at #7 again (#13)', { 'README.md': '# Shop again\n' })
    await tree.git('checkout', '-q', '-b', 'work', 'origin/main')
    const { stdout } = await tree.run(['start', 'Retry', '--issue', '7', '--json'])
    const { pr_url } = JSON.parse(stdout).issue.done_by
    expect(pr_url).toBe('https://github.com/acme/shop/pull/12')
    const other = await tree.run(['start', 'Retry', '--issue', '8', '--json'])
    expect(JSON.parse(other.stdout).issue.done_by).toBeNull()
  })

  test.each([
    ['squashed', ['merge', '-q', '--squash', 'other']],
    ['rebased', ['cherry-pick', 'main..other']],
  ])('counts only what came after the part of a branch that was %s', async (name, onto) => {
    await tree.git('checkout', '-q', '-b', 'other')
    await tree.commit('Add a', { 'src/a.ts': 'const a = 1\n' })
    await tree.commit('Set a', { 'src/a.ts': 'const a = 2\n', 'src/d.ts': '' })
    await tree.git('checkout', '-q', 'main')
    await tree.commit('Add b', { 'src/b.ts': 'const b = 1\n' })
    const related = async () => {
      await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
      const ran = ['src/a.ts', 'src/c.ts'].map((path) => tree.run(['check', '--paths', path, '--json']))
      return (await Promise.all(ran)).map(({ stdout }) => JSON.parse(stdout).total_related)
    }
    expect(await related()).toEqual([1, 0])
    await tree.git(...onto)
    if (name === 'squashed') await tree.git('commit', '-q', '-m', 'Set a (#12)')
    expect(await related()).toEqual([0, 0])
    await tree.git('worktree', 'add', '-q', '../other', 'other')
    for (const args of [['list'], ['start', 'Set a'], ['done']]) {
      await tree.run(args, { cwd: join(tree.path, '../other') })
      expect(await related(), args[0]).toEqual([0, 0])
    }
    await tree.write({ '../other/src/c.ts': '' })
    expect(await related()).toEqual([0, 1])
    await tree.git('-C', '../other', 'add', '-A')
    await tree.git('-C', '../other', 'commit', '-q', '-m', 'Add c')
    await tree.git('-C', '../other', 'checkout', '-q', '--detach', 'main')
    expect(await related()).toEqual([0, 1])
    await tree.git('revert', '--no-edit', 'HEAD')
    expect(await related()).toEqual([1, 1])
  })

  test('on a branch that was squashed does not hear of its own lines', async () => {
    await tree.git('checkout', '-q', '-b', 'work')
    await tree.commit('Retry payments', { 'src/retry.ts': RETRY })
    await tree.git('checkout', '-q', 'main')
    await tree.commit('Retry payments (#12)', { 'src/retry.ts': RETRY })
    await tree.git('checkout', '-q', 'work')
    expect(JSON.parse((await tree.run(['check', '--json'])).stdout).matches).toEqual([])
  })

  test('finds nothing that was taken back, or removed again', async () => {
    await tree.commit('Retry payments (#12)', { 'src/retry.ts': RETRY })
    await tree.commit('Revert "Retry payments (#12)"', { 'README.md': '# Shop again\n' })
    expect(await findings()).toEqual([])
    await tree.git('checkout', '-q', '-f', 'main')
    await tree.commit('Remove it', { 'src/retry.ts': '' })
    await tree.commit('Retry', { 'src/second.ts': RETRY })
    expect(await findings()).toHaveLength(1)
    await tree.git('checkout', '-q', '-f', 'main')
    await tree.commit('Remove it', { 'src/second.ts': '' })
    expect(await findings()).toEqual([])
  })

  test('does not say of work that it is done by the merge of its own head', async () => {
    await tree.git('checkout', '-q', '-b', 'head')
    await tree.commit('Retry', { 'src/retry.ts': RETRY })
    await tree.git('checkout', '-q', 'main')
    await tree.git('merge', '-q', '--no-ff', '-m', 'Merge pull request #12 from acme/head', 'head')
    expect(await findings()).toMatchObject([{ id: '#12' }])
    await tree.git('checkout', '-q', '-f', '-B', 'work', 'head')
    await tree.write({ 'src/till.ts': RETRY })
    await tree.git('add', '-A')
    const { stdout } = await tree.run(['check', '--json', '--base', 'main'])
    expect(JSON.parse(stdout).matches).toEqual([])
  })
})
