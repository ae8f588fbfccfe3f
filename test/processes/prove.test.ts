/** The built `deconflict prove` as a process: a signal ends what it started, and leaves nothing behind. */

import { access, readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { workingTree } from '../support/working-tree.ts'

/** A service that chooses one pair. */
async function serviceWith(choice: object): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(choice))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('SIGINT ends the command with all that it started, and removes worktrees and refs', async () => {
  const directory = await temporaryDirectory('prove')
  onTestFinished(() => directory.remove())
  const tree = await workingTree({})
  onTestFinished(() => tree.remove())
  const head = await tree.git('rev-parse', 'HEAD')
  await tree.git('remote', 'set-url', 'origin', tree.path)
  for (const number of [1, 2]) await tree.git('update-ref', `refs/pull/${number}/head`, head)
  const pair = { pull_requests: [2, 1], heads: [head, head], reason: 'near', paths: [] }
  const url = await serviceWith({ pull_request: 2, head, base_branch: 'main', items: [pair] })
  const [begun, ended] = [join(directory.path, 'begun'), join(directory.path, 'ended')]
  const child = `trap "touch ${ended}; exit" TERM; touch ${begun}; sleep 600 & wait`
  const script = `( ${child} ) & wait`
  const env = { DECONFLICT_URL: url, GITHUB_TOKEN: 'x', TMPDIR: directory.path }
  const args = ['--repo', 'acme/shop', '--pull-request', '2', '--', 'sh', '-c', script]
  const started = tree.start(['prove', ...args], { env, input: '' })
  await vi.waitFor(() => access(begun), { timeout: 30_000 })
  await started.stop('SIGINT')
  expect(await started.ended).toBe(null)
  await vi.waitFor(() => access(ended), { timeout: 30_000 })
  expect((await readdir(directory.path)).filter((name) => name.startsWith('deconflict'))).toEqual([])
  expect((await tree.git('worktree', 'list')).split('\n')).toHaveLength(1)
  expect(await tree.git('for-each-ref', 'refs/deconflict')).toBe('')
})
