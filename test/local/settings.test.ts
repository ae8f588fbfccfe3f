/** The settings files of the working tree, which count in a clone without a service, and the base branch. */
import { rm, symlink } from 'node:fs/promises'
import { beforeEach, expect, test } from 'vitest'
import { useTree } from '../support/shop.ts'

const tree = useTree()

/** Another working tree has changed `src/checkout/retry.ts`, and has a directory where this one has a file. */
beforeEach(async () => {
  await tree.git('worktree', 'add', '-q', '../other', '-b', 'other')
  await tree.write({ '../other/src/checkout/retry.ts': '2\n', notes: '', '../other/notes/a.md': '' })
})

const check = async (...args: string[]) => JSON.parse((await tree.run(['check', '--json', ...args])).stdout)
const settings = (text: string) => tree.write({ '.github/deconflict.yml': text })
const IGNORED = 'ignore_paths: [src/checkout/**]\n'

test('paths can be ignored, and areas named, by the labeler too', async () => {
  expect((await check('--paths', 'src/checkout/retry.ts')).overlap_detected).toBe(true)
  expect((await check('--area', 'checkout')).overlap_detected).toBe(false)
  await tree.write({ '.github/labeler.yml': 'checkout: [src/checkout/**]\n' })
  expect((await check('--area', 'checkout')).overlap_detected).toBe(true)
  await settings(IGNORED)
  expect((await check('--paths', 'src/checkout/retry.ts')).overlap_detected).toBe(false)
})

test('a base branch that the clone does not have is an error', async () => {
  expect((await tree.run(['check', '--base', 'mian'])).stderr).toContain('this clone has no branch mian')
  expect((await tree.run(['check', '--base', 'origin/main'])).stderr).toBe('')
  await tree.git('remote', 'remove', 'origin')
  expect((await tree.run(['check', '--base', 'undefined/main'])).stderr).toContain('branch undefined/main')
})

test('an invalid, endless or too large file counts as none, and the answer says why', async () => {
  await settings(`${IGNORED}check_run: maybe\n`)
  await symlink('/dev/zero', `${tree.path}/.github/labeler.yml`)
  const { overlap_detected, sources } = await check('--paths', 'src/checkout/retry.ts')
  expect(overlap_detected).toBe(true)
  expect(sources).toContainEqual(
    expect.stringMatching(/^\.github\/deconflict\.yml, line 2: check_run: must be .*; the defaults hold$/),
  )
  const file = `${tree.path}/.github/deconflict.yml`
  await rm(file)
  await symlink('/proc/version', file)
  expect((await check('--paths', 'a.ts')).sources.join()).not.toContain('deconflict.yml')
  await rm(file)
  await settings('#'.repeat(2_000_000))
  expect((await check('--paths', 'a.ts')).sources.join()).toContain('longer than 65536 characters')
})

test('the times to live hold, and a category can be disabled', async () => {
  await settings('activity_ttl_ms: 60000\nnotable_ttl_ms: 120000\ndisabled_categories: [process]\n')
  const { stderr } = await tree.run(['note', 'Frozen', '--summary', 'No.', '--category', 'process'])
  expect(stderr).toContain('this repository has disabled process')
  const lifeOf = async (args: string[]) => {
    const { activity, ...record } = JSON.parse((await tree.run([...args, '--json'])).stdout)
    const { created_at, expires_at } = activity ?? record
    return Date.parse(expires_at) - Date.parse(created_at)
  }
  await tree.git('checkout', '-q', '-b', 'work')
  expect(await lifeOf(['start', 'Retry', '--paths', 'a.ts'])).toBe(60_000)
  expect(await lifeOf(['note', 'Frozen', '--summary', 'Until Friday.'])).toBe(120_000)
})
