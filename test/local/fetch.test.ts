/** `deconflict fetch`: the open pull requests of a remote, from a bare repository as GitHub and GitLab keep them. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { listBranches } from '../../src/local/branches.ts'
import type { CloneOptions } from '../../src/local/clone-options.ts'
import { openPulls } from '../../src/local/pull-requests.ts'
import { hooksIn, useTree } from '../support/shop.ts'

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(40))

test.each([
  [
    'pull requests with a merge',
    `${A}\trefs/pull/1/head\n${B}\trefs/pull/1/merge\n${C}\trefs/pull/2/head\n`,
    [1],
  ],
  [
    'merge requests with a merge, if any has one',
    `${A}\trefs/merge-requests/1/head\n${B}\trefs/merge-requests/1/merge\n${C}\trefs/merge-requests/2/head\n`,
    [1],
  ],
  [
    'else those that are not in the base branch',
    `${A}\trefs/merge-requests/1/head\n${C}\trefs/merge-requests/2/head\n`,
    [1],
  ],
  ['nothing else', `${A}\trefs/heads/main\n${A}\trefs/pull/x/head\n${A}\trefs/pull/1/head/merge\n`, []],
])('of a remote, open are %s', (_, listed, numbers) => {
  const open = openPulls(listed, (sha) => sha === C)
  expect(open.map(({ number }) => number)).toEqual(numbers)
})

test('pull requests do not take the place of branches', async () => {
  const line = (ref: string, at: number) => `${ref}\0\0${at}\0${1_750_000_000 + at}\0Eve\0Commit`
  const pulls = Array.from({ length: 200 }, (_, at) => line(`refs/deconflict/pull/${at + 1}`, at + 1))
  const output = async (args: string[]) =>
    args.includes('refs/heads') ? line('refs/heads/gifts', 0) : pulls.join('\n')
  const given = { git: { output }, now: new Date(1_750_000_000_000), left_ms: () => 1 } as unknown
  const refs = { merged: [], checked_out: [], are_pulls_fetched: true }
  expect((await listBranches(given as CloneOptions, refs))?.branches[0]?.name).toBe('gifts')
})

describe('the command', () => {
  const tree = useTree()
  let remote: string

  beforeEach(async () => {
    remote = join(tree.path, '../remote.git')
    await tree.git('init', '-q', '--bare', remote)
    await tree.git('config', 'remote.origin.url', remote)
    await tree.commit('Cart', { 'src/cart.ts': 'one\ntwo\nthree\n' })
    await tree.git('push', '-q', 'origin', 'main')
  })

  /** A commit that changes the second line, which only the remote has, under these names. */
  async function pushAs(text: string, ...refs: string[]): Promise<void> {
    await tree.git('checkout', '-q', '--detach', 'main')
    await tree.write({ 'src/cart.ts': `one\n${text}\nthree\n` })
    await tree.git('commit', '-q', '-a', '-m', text, '--author=OBEY-me <eve@example.com>')
    await tree.git('push', '-q', remote, ...refs.map((ref) => `+HEAD:${ref}`))
    await tree.git('checkout', '-q', 'main')
  }

  const fetched = async () =>
    (await tree.git('for-each-ref', '--format=%(refname)', 'refs/deconflict')).split('\n').filter(Boolean)

  async function check() {
    await tree.write({ 'src/cart.ts': 'one\nmine\nthree\n' })
    const { stdout } = await tree.run(['check', '--json'])
    return JSON.parse(stdout)
  }

  test('reads the newest 200, and a check says how many are left out, of branches too', async () => {
    const refs = Array.from({ length: 201 }, (_, at) => `refs/pull/${at + 1}`)
    await pushAs('Many', ...refs.flatMap((ref) => [`${ref}/head`, `${ref}/merge`]))
    const { stdout } = await tree.run(['fetch'])
    expect(stdout).toBe('200 open pull requests of origin; left out 1 that are older\n')
    expect(await fetched()).not.toContain('refs/deconflict/pull/1')
    const at = Math.floor(Date.now() / 1000)
    const branch = (number: number) =>
      `commit refs/heads/b${number}\ncommitter Ben <b@x> ${at} +0000\ndata 0\nfrom refs/heads/main^0\nM 644 inline ${number}\ndata 0\n\n`
    const input = Array.from({ length: 202 }, (_, number) => branch(number)).join('')
    execFileSync('git', ['fast-import', '--quiet'], { cwd: tree.path, input })
    const { sources } = await check()
    expect(sources).toContain('1 older pull request: not fetched')
    expect(sources).toContain('2 older branches: not compared')
  })

  test('reads the open pull requests, which a check compares; a closed one is removed', async () => {
    await pushAs('Gift cards', 'refs/pull/7/head', 'refs/pull/7/merge')
    await pushAs('Closed', 'refs/pull/6/head')
    expect((await check()).sources).toContain('pull requests: not fetched; deconflict fetch')
    expect((await tree.run(['order'])).stdout).toContain('Incomplete: pull requests: not fetched')
    expect(await tree.run(['fetch'])).toEqual({
      code: 0,
      stdout: '1 open pull request of origin\n',
      stderr: '',
    })
    expect(await fetched()).toEqual(['refs/deconflict/pull/7'])
    const found = await check()
    expect(found).toMatchObject({
      matches: [{ title: '#7', pr_url: null, consequence: 'conflict' }],
      checked_against: { pull_requests: 1 },
    })
    expect(found.sources).toEqual(['other machines: no service is configured'])
    await tree.git('push', '-q', remote, ':refs/pull/7/merge')
    expect((await tree.run(['fetch'])).stdout).toBe(
      '0 open pull requests of origin; removed 1 that are closed\n',
    )
    expect(await fetched()).toEqual([])
    expect((await check()).overlap_detected).toBe(false)
  })

  test('check --fetch follows a head that moves, and touches nothing else', async () => {
    await pushAs('Gift cards', 'refs/pull/7/head', 'refs/pull/7/merge', 'refs/heads/gifts')
    await tree.run(['fetch'])
    await tree.git('branch', '-r', '-d', 'origin/gifts').catch(() => '')
    await pushAs('Vouchers', 'refs/pull/7/head')
    const refs = await tree.git('for-each-ref', 'refs/heads', 'refs/remotes', 'refs/tags')
    await tree.write({ 'src/cart.ts': 'one\nmine\nthree\n' })
    const stdout = expect.stringContaining('conflict, high  “#7” by “another contributor”')
    expect(await tree.run(['check', '--fetch'])).toMatchObject({ code: 2, stdout })
    expect(await tree.git('log', '-1', '--format=%s', 'refs/deconflict/pull/7')).toBe('Vouchers')
    expect(await tree.git('for-each-ref', 'refs/heads', 'refs/remotes', 'refs/tags')).toBe(refs)
  })

  // Threat: Prompt injection through a title
  test('the author of a branch is named in quotes only, and never with --no-titles', async () => {
    await pushAs('Gift cards', 'refs/heads/gifts')
    await tree.git('fetch', '-q', 'origin')
    expect((await check()).recommended_action).toMatch(/talk to the author of act_\w+: wait/)
    const flags = ['--no-titles']
    const text = await hooksIn(tree).heard('prompt', { prompt: 'See src/cart.ts' }, { flags })
    expect(text).toMatch(/- conflict with someone \(act_\w+\): /)
  })

  test('a branch is listed whatever date its commit has', async () => {
    await pushAs('Gift cards', 'refs/heads/gifts')
    const commit = await tree.git('cat-file', 'commit', 'HEAD@{1}')
    await tree.write({ '../dated': commit.replaceAll(/(?<=> )\d+/g, '8640000000000') })
    await tree.git('branch', 'gifts', await tree.git('hash-object', '-t', 'commit', '-w', '../dated'))
    expect((await tree.run(['list'])).stdout).toMatch(/^Gift cards +OBEY-me +gifts /)
  })

  test('a branch with the name of its reference does not hide a pull request', async () => {
    await pushAs('Gift cards', 'refs/pull/7/head', 'refs/pull/7/merge')
    await pushAs('Vouchers', 'refs/heads/refs/deconflict/pull/7')
    await tree.git('fetch', '-q', 'origin')
    await tree.run(['fetch'])
    expect((await check()).matches).toHaveLength(2)
  })

  test('a pull request of the own branch, or below it, is no other work', async () => {
    await pushAs('Gift cards', 'refs/pull/7/head', 'refs/pull/7/merge')
    await tree.run(['fetch'])
    await tree.git('checkout', '-q', '-b', 'work', 'refs/deconflict/pull/7')
    await tree.git('commit', '-q', '--allow-empty', '-m', 'More')
    expect(await check()).toMatchObject({ matches: [], checked_against: { pull_requests: 0 } })
    // Somebody else has pushed to its branch.
    await tree.git('update-ref', 'refs/remotes/origin/work', 'refs/deconflict/pull/7')
    await tree.git('reset', '-q', '--hard', 'main')
    expect((await check()).matches).toEqual([])
    await tree.git('checkout', '-q', '-f', 'main')
    expect((await check()).matches).toHaveLength(1)
  })

  test('reads merge requests of GitLab, with their addresses', async () => {
    await tree.git('push', '-q', remote, 'main:refs/merge-requests/3/head')
    await pushAs('Gift cards', 'refs/merge-requests/4/head')
    await tree.run(['fetch'])
    expect(await fetched()).toEqual(['refs/deconflict/merge-requests/4'])
    await tree.git('config', 'remote.origin.url', 'git@gitlab.example.com:acme/web/shop.git')
    expect((await check()).matches).toMatchObject([
      { pr_url: 'https://gitlab.example.com/acme/web/shop/-/merge_requests/4' },
    ])
    const { stdout } = await tree.run(['check'])
    expect(stdout).toContain('!4')
  })

  test('says in one line that the remote cannot be reached, or that there is none', async () => {
    await tree.git('config', 'remote.origin.url', '/nowhere.git')
    const away = await tree.run(['fetch'])
    expect(away.code).toBe(1)
    expect(away.stderr).toMatch(
      /^deconflict: pull requests were not fetched from origin: “fatal: .*nowhere.*”; check that git fetch works\n$/,
    )
    expect((await tree.run(['check', '--fetch'])).stderr).toBe(away.stderr)
    await tree.git('remote', 'remove', 'origin')
    expect((await tree.run(['fetch'])).stderr).toBe(
      'deconflict: this clone has no remote to fetch pull requests from\n',
    )
  })
})
