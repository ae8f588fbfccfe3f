/** `deconflict hook`, which coding agents run, with the service and a fake GitHub. */
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useShop } from '../support/shop.ts'

const { shop, tree, hook, startAsBen } = useShop()

const at = (name: string) => join(tree.path, name)

describe('the hook of an agent', () => {
  const edit = (file: string) => ({ tool_name: 'Edit', tool_input: { file_path: at(file) } })

  const only = async () => {
    const [activity, ...others] = await shop.list()
    expect(others).toEqual([])
    return activity
  }

  test('creates an activity for the session, adds edited files, warns once, and archives it', async () => {
    expect(await hook('session-start')).toEqual({ code: 0, stdout: '', stderr: '' })
    const begun = { branch: 'work', agent: 'claude-code', actor: 'Ada', scope: { paths: [] } }
    expect(await only()).toMatchObject(begun)
    await hook('before-edit', edit('docs/a.md'))
    expect((await only()).scope.paths).toEqual(['docs/a.md'])
    await startAsBen()
    const ran = await hook('before-edit', edit('src/checkout/retry.ts'))
    const { hookSpecificOutput } = JSON.parse(ran.stdout)
    expect(hookSpecificOutput.hookEventName).toBe('PreToolUse')
    expect(hookSpecificOutput.additionalContext).toMatch(
      /“Tidy” by “Ben” on “tidy”: src\/checkout\/retry\.ts/,
    )
    expect(JSON.stringify(hookSpecificOutput)).not.toMatch(/permissionDecision/)
    expect((await hook('before-edit', edit('src/other/retry.ts'))).stdout).toMatch(/src\/other\/retry\.ts/)
    for (const file of ['src/other/retry.ts', 'src/checkout/retry.ts', 'docs/b.md'])
      expect((await hook('before-edit', edit(file))).stdout).toBe('')
    const mine = (await shop.list()).find(({ branch }) => branch === 'work')
    const edited = ['docs/a.md', 'src/checkout/retry.ts', 'src/other/retry.ts', 'docs/b.md']
    expect(mine.scope.paths).toEqual(edited)
    await hook('session-end', { reason: 'exit' })
    expect((await only()).branch).toBe('tidy')
  })

  test('creates the activity at the first edit if there is none, or it was archived', async () => {
    await tree.write({ 'b.md': '' })
    await hook('before-edit', edit('src/a.ts'))
    const first = await only()
    expect(first.scope).toEqual({ areas: [], paths: ['src/a.ts'], changes: [{ path: 'b.md' }] })
    await shop.archive(first.id)
    await hook('before-edit', edit('src/c.ts'))
    expect(await only()).toMatchObject({
      scope: { paths: ['src/a.ts', 'src/c.ts'], changes: [{ path: 'b.md' }] },
    })
    expect((await only()).id).not.toBe(first.id)
  })

  test('reuses the activity of deconflict start, adds to it, and does not end it', async () => {
    await tree.run(['start', 'By hand', '--paths', 'lib/**', '--area', 'core'])
    await hook('session-start')
    await hook('before-edit', edit('src/a.ts'))
    await hook('session-end')
    const scope = { areas: ['core'], paths: ['lib/**', 'src/a.ts'] }
    expect(await only()).toMatchObject({ title: 'By hand', scope })
  })

  test('leaves unmerged work paused, with which the next session goes on, also in another working tree', async () => {
    await tree.git('config', 'status.showUntrackedFiles', 'no')
    await hook('session-start')
    const { id, status } = await only()
    const { summary } = await shop.read(id)
    await tree.write({ 'a.ts': '1\n' })
    await hook('session-end', { reason: 'exit' })
    expect(await shop.read(id)).toMatchObject({ status: 'paused', summary })
    await hook('session-start', { session_id: 's2' })
    expect(await only()).toMatchObject({ id, status })
    await tree.commit('Work')
    await tree.git('checkout', '-q', 'main')
    await hook('session-end', { session_id: 's2' })
    expect(await only()).toMatchObject({ id, status: 'paused' })
    await tree.git('worktree', 'add', '-q', '../linked', 'work')
    await hook('session-start', { session_id: 's3', cwd: at('../linked') })
    expect(await only()).toMatchObject({ id, status })
    await tree.git('update-ref', 'refs/remotes/origin/main', 'work')
    await hook('session-end', { session_id: 's3', cwd: at('../linked') })
    expect(await shop.read(id)).toMatchObject({ status: 'archived' })
  })

  test('has one activity for a branch: killed sessions leave no others, and work stays where its commits are', async () => {
    for (const session_id of ['s1', 's2', 's3']) await hook('session-start', { session_id })
    const { id } = await only()
    await tree.git('commit', '-q', '--allow-empty', '-m', 'Work')
    await tree.git('checkout', '-q', '-b', 'side', 'main')
    await hook('prompt', { session_id: 's3' })
    expect(await shop.read(id)).toMatchObject({ branch: 'work', status: 'paused' })
    expect((await shop.list()).map(({ branch }) => branch)).toEqual(['side', 'work'])
    await tree.git('checkout', '-q', 'work')
    await hook('prompt', { session_id: 's3' })
    expect(await only()).toMatchObject({ id, branch: 'work', status: 'active' })
  })

  test('sends the lines of edited files with the next prompt, nothing while they stay the same, and the new branch', async () => {
    await hook('before-edit', edit('src/checkout/retry.ts'))
    expect((await only()).scope).toEqual({ areas: [], paths: ['src/checkout/retry.ts'], changes: [] })
    await tree.write({ 'src/checkout/retry.ts': 'changed\n', 'by-shell.ts': '1\n' })
    expect(await hook('prompt')).toEqual({ code: 0, stdout: '', stderr: '' })
    const { scope, updated_at } = await only()
    const changes = [{ path: 'src/checkout/retry.ts' }, { path: 'by-shell.ts' }]
    expect(scope).toEqual({ areas: [], paths: [], changes })
    await hook('prompt')
    await hook('before-edit', edit('src/checkout/retry.ts'))
    expect((await only()).updated_at).toBe(updated_at)
    await startAsBen()
    await tree.write({ 'src/checkout/retry.ts': 'changed again\n' })
    expect((await hook('prompt')).stdout).toMatch(/“Tidy” by “Ben” on “tidy”: src\/checkout\/retry\.ts/)
    await tree.git('checkout', '-q', '-b', 'other')
    await hook('prompt')
    expect(await shop.list()).toContainEqual(
      expect.objectContaining({ branch: 'other', base_branch: 'main', title: 'Work on other' }),
    )
  })

  test('deletes the states and locks of sessions that wrote nothing for a day, at the next start', async () => {
    await hook('session-start')
    const directory = at('.git/deconflict')
    const old = ['session-killed.json', 'lock-1a2b-7']
    const kept = ['branch-work.json', 'hooks.json', 'init.json', 'session-yesterday.json']
    for (const name of [...old, ...kept]) await writeFile(join(directory, name), '{}')
    const hours = (count: number) => new Date(Date.now() - count * 3_600_000)
    for (const name of [...old, ...kept]) await utimes(join(directory, name), hours(25), hours(25))
    await utimes(join(directory, 'session-yesterday.json'), hours(23), hours(23))
    await hook('prompt')
    expect(await readdir(directory)).toEqual(expect.arrayContaining([...old, ...kept]))
    await hook('session-start', { session_id: 's2' })
    const left = await readdir(directory)
    expect(left).toEqual(expect.arrayContaining(kept))
    for (const name of old) expect(left).not.toContain(name)
    expect(left.filter((name) => /^session-s[12]\.json$/.test(name))).toHaveLength(2)
  })

  // `test/processes/mcp.test.ts` has that it does not collide with itself.
  test('warns a session on the base branch about work to be merged into it', async () => {
    await tree.git('checkout', '-q', 'main')
    const ben = await startAsBen()
    await hook('session-start')
    const mine = (await shop.list()).find(({ id }) => id !== ben)
    expect(mine).toMatchObject({ title: 'Work on main', branch: null })
    const ran = await hook('before-edit', edit('src/checkout/retry.ts'))
    expect(ran.stdout).toMatch(/“Tidy” by “Ben” on “tidy”/)
    expect((await hook('before-edit', edit('src/checkout/other.ts'))).stdout).toBe('')
  })

  test('ignores files outside of the working tree', async () => {
    await hook('before-edit', { tool_input: { file_path: '/etc/hosts' } })
    await hook('before-edit', { tool_input: { file_path: at('../beside.ts') } })
    expect((await only()).scope.paths).toEqual([])
  })
})
