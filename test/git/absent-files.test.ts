/** Mirrors that lack files, such as large ones. */
import { expect, onTestFinished, test } from 'vitest'
import { fileEntries } from '../../scripts/replay/changed-files.ts'
import { gitIn, scratchOf } from '../../scripts/replay/git.ts'
import { mirrorOf } from '../support/mirror.ts'

test('a changed file that a mirror lacks leaves the patch of the next file to that file', async () => {
  const commit = (name: string, parents: string[], day: number) => {
    return { name, parents, author: 'Ada', day, files: { 'big.json': `${day}\n`, 'z.ts': `${name}\n` } }
  }
  const commits = [commit('one', [], 1), commit('two', ['one'], 2)]
  const mirror = await mirrorOf({ commits, refs: { 'refs/heads/main': 'two' } })
  onTestFinished(() => mirror.remove())
  const git = gitIn(mirror.path, false)
  const idOf = async (name: string) => (await git.text(['rev-parse', name])).trim()
  const absent = new Set([await idOf('main~:big.json'), await idOf('main:big.json')])
  const scratch = await scratchOf(git, absent)
  onTestFinished(() => scratch.remove())
  const trees = [{ from: await idOf('main~^{tree}'), to: await idOf('main^{tree}') }]
  for await (const files of fileEntries(scratch, trees, absent))
    expect(files).toMatchObject([{ filename: 'z.ts', additions: 1, patch: '@@ -1 +1 @@\n-one\n+two\n' }])
  expect.assertions(1)
})
