/** Work that commits of the base branch have done already, in a clone without a service. */
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

  async function commit(subject: string, files: Record<string, string>): Promise<string> {
    await tree.write(files)
    await tree.git('add', '-A')
    await tree.git('commit', '-q', '-m', subject)
    return tree.git('rev-parse', '--short=8', 'HEAD')
  }
  /** Checks the same lines in another file, on a branch from before. */
  async function check(...args: string[]) {
    await tree.git('checkout', '-q', '-B', 'work', 'origin/main')
    await tree.write({ 'src/till.ts': RETRY })
    await tree.git('add', '-A')
    return tree.run(['check', ...args])
  }
  const findings = async () => JSON.parse((await check('--json')).stdout).matches

  test('names the pull request of the commit, or the commit', async () => {
    await commit('Retry payments (#12)', { 'src/retry.ts': RETRY })
    expect(await findings()).toMatchObject([
      {
        ...{ id: '#12', title: 'Retry payments', pr_url: 'https://github.com/acme/shop/pull/12' },
        findings: [{ kind: 'done', share: 1, added_lines: 10 }],
      },
    ])
    await tree.git('checkout', '-q', '-f', 'main')
    const sha = await commit('Retry more', {
      'src/retry.ts': `${RETRY}  till.more()\n`,
      'src/again.ts': RETRY,
    })
    await tree.git('update-ref', 'refs/heads/main', 'HEAD')
    const { code, stdout } = await check()
    expect(code).toBe(2)
    expect(stdout).toContain(`${sha} is merged and has 10 of the 10 lines that your change adds`)
    expect(stdout).toContain(`Look at ${sha} before you go on`)
  })

  test('of an issue names the merged pull request that closes it', async () => {
    await commit('Retry payments (#12)\n\nCloses #7', { 'src/retry.ts': RETRY })
    await commit('Look at #7 again (#13)', { 'README.md': '# Shop again\n' })
    await tree.git('checkout', '-q', '-b', 'work', 'origin/main')
    const { stdout } = await tree.run(['start', 'Retry', '--issue', '7', '--json'])
    const { pr_url } = JSON.parse(stdout).issue.done_by
    expect(pr_url).toBe('https://github.com/acme/shop/pull/12')
    const other = await tree.run(['start', 'Retry', '--issue', '8', '--json'])
    expect(JSON.parse(other.stdout).issue.done_by).toBeNull()
  })

  test('leaves out a branch and a working tree that were squashed into the base branch', async () => {
    await commit('Add a', { 'src/a.ts': 'const a = 1\n' })
    await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    await tree.git('worktree', 'add', '-q', '-b', 'squashed', `${tree.path}-squashed`)
    await tree.git('-C', `${tree.path}-squashed`, 'commit', '-q', '--allow-empty', '-m', 'Set a')
    await tree.git('checkout', '-q', '-b', 'other')
    await commit('Set a', { 'src/a.ts': 'const a = 2\n' })
    await tree.git('-C', `${tree.path}-squashed`, 'merge', '-q', 'other')
    await tree.git('checkout', '-q', 'main')
    const check = async (content: string) => {
      await tree.write({ 'src/a.ts': content })
      return JSON.parse((await tree.run(['check', '--json'])).stdout)
    }
    expect(await check('const a = 3\n')).toMatchObject({ overlap_detected: true, total_related: 2 })
    await commit('Set a (#14)', { 'src/a.ts': 'const a = 2\n' })
    await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    expect(await check('const a = 3\n')).toMatchObject({ overlap_detected: false, total_related: 0 })
    expect((await tree.run(['list'])).stdout).not.toContain('Set a')
    await commit('Revert "Set a (#14)" (#15)', { 'src/a.ts': 'const a = 1\n' })
    await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    expect(await check('const a = 3\n')).toMatchObject({ overlap_detected: true, total_related: 2 })
  })

  test('leaves out a branch whose commits were rebased onto the base branch', async () => {
    await tree.git('checkout', '-q', '-b', 'other')
    await commit('Add a', { 'src/a.ts': 'const a = 1\n' })
    await commit('Set a', { 'src/a.ts': 'const a = 2\n' })
    await tree.git('checkout', '-q', 'main')
    await commit('Add b', { 'src/b.ts': 'const b = 1\n' })
    const list = async () => {
      await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
      return (await tree.run(['list'])).stdout
    }
    expect(await list()).toContain('Set a')
    await tree.git('cherry-pick', 'main..other')
    expect(await list()).not.toContain('Set a')
  })

  test('on a branch that was squashed does not hear of its own lines', async () => {
    await tree.git('checkout', '-q', '-b', 'work')
    await commit('Retry payments', { 'src/retry.ts': RETRY })
    await tree.git('checkout', '-q', 'main')
    await commit('Retry payments (#12)', { 'src/retry.ts': RETRY })
    await tree.git('checkout', '-q', 'work')
    expect(JSON.parse((await tree.run(['check', '--json'])).stdout).matches).toEqual([])
  })

  test('finds nothing that was taken back, or removed again', async () => {
    await commit('Retry payments (#12)', { 'src/retry.ts': RETRY })
    await commit('Revert "Retry payments (#12)"', { 'README.md': '# Shop again\n' })
    expect(await findings()).toEqual([])
    await tree.git('checkout', '-q', '-f', 'main')
    await commit('Remove it', { 'src/retry.ts': '' })
    await commit('Retry', { 'src/second.ts': RETRY })
    expect(await findings()).toHaveLength(1)
    await tree.git('checkout', '-q', '-f', 'main')
    await commit('Remove it', { 'src/second.ts': '' })
    expect(await findings()).toEqual([])
  })

  test('does not say of work that it is done by the merge of its own head', async () => {
    await tree.git('checkout', '-q', '-b', 'head')
    await commit('Retry', { 'src/retry.ts': RETRY })
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
