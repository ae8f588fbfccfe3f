/** How often hooks run git, which agents wait for, and the base branches that it reports. */
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { useShop } from '../support/shop.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts'

const { shop, tree, hook } = useShop()

/** A directory whose `git` writes its first argument to a log before it runs git. */
let counted: TemporaryDirectory
beforeAll(async () => {
  counted = await temporaryDirectory('counted')
  const script = `#!/bin/sh
for word; do case $word in -c|core.*|diff.*) ;; *) echo "$word" >>'${counted.path}/log'; break ;; esac; done
PATH=$REAL_PATH exec git "$@"
`
  await writeFile(join(counted.path, 'git'), script)
  await chmod(join(counted.path, 'git'), 0o755)
})
beforeEach(() => writeFile(join(counted.path, 'log'), ''))
afterAll(() => counted.remove())

async function callsOf(event: string, fields: object = {}): Promise<string[]> {
  const { PATH } = process.env
  const env = { PATH: `${counted.path}:${PATH}`, REAL_PATH: PATH as string }
  expect(await hook(event, fields, { env })).toEqual({ code: 0, stdout: '', stderr: '' })
  return (await readFile(join(counted.path, 'log'), 'utf8')).split('\n').filter(Boolean).toSorted()
}

test('the start of a session runs git five times, a prompt three times, and a read never', async () => {
  expect(await callsOf('session-start')).toEqual(['config', 'diff', 'for-each-ref', 'ls-files', 'merge-base'])
  await writeFile(join(counted.path, 'log'), '')
  expect(await callsOf('prompt')).toEqual(['diff', 'ls-files', 'merge-base'])
  await writeFile(join(counted.path, 'log'), '')
  const file = join(tree.path, 'src/checkout/retry.ts')
  expect(await callsOf('after-read', { tool_name: 'Read', tool_input: { file_path: file } })).toEqual([])
})

test.each([
  ['the default branch of the remote', 'next', 'next'],
  ['a common name if the remote no longer has its default branch', 'gone', 'main'],
])('the base is %s', async (_, head, base_branch) => {
  await tree.git('update-ref', 'refs/remotes/origin/next', 'HEAD')
  await tree.git('symbolic-ref', 'refs/remotes/origin/HEAD', `refs/remotes/origin/${head}`)
  await hook('session-start')
  const { items } = (await shop.api('GET', '/activity')).body
  expect(items).toMatchObject([{ branch: 'work', base_branch }])
})
