/** Sessions whose requests reach the service while the responses are lost: each has one activity, and ends it. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type LossyProxy, startLossyProxy } from '../support/lossy-proxy.ts'
import { useShop } from '../support/shop.ts'
import { forTest } from '../support/use-started.ts'

const { shop, tree, hook: run, startAsBen } = useShop()
let proxy: LossyProxy

beforeEach(async () => {
  proxy = await forTest(startLossyProxy(shop.url))
})

const FILE = 'src/checkout/retry.ts'
const edit = { tool_name: 'Edit', tool_input: { file_path: FILE } }

const hook = (event: string, about: object = {}) => run(event, about, { env: { DECONFLICT_URL: proxy.url } })
/** The hook says nothing, to the agent or of an error. */
const quiet = async (...given: Parameters<typeof hook>) =>
  expect(await hook(...given)).toEqual({ code: 0, stdout: '', stderr: '' })
const onlyId = async (): Promise<string> => {
  const items = await shop.list()
  expect(items).toHaveLength(1)
  return items[0].id
}

const isCreate = (request: string) => request.startsWith('POST ') && request.endsWith('/activity')

/** The next hook asks the service again, as after a minute. */
async function endPause(): Promise<void> {
  const file = join(tree.path, '.git/deconflict/hooks.json')
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), paused: null }))
}

/** A hook whose requests of one kind are carried out without a response. Later hooks ask the service again. */
async function lost(which: (request: string) => boolean, ...given: Parameters<typeof hook>): Promise<void> {
  proxy.loses = which
  expect((await hook(...given)).stderr).toMatch(/cannot be reached/)
  proxy.loses = () => false
}

const stateFiles = async (prefix: string) =>
  (await readdir(join(tree.path, '.git/deconflict'))).filter((name) => name.startsWith(prefix))

test.each(['work', 'main'])('the next hook on %s goes on with the activity', async (branch) => {
  await tree.git('checkout', '-q', branch)
  await tree.write({ [FILE]: 'first\n' })
  await lost(isCreate, 'session-start', { source: 'startup' })
  const id = await onlyId()
  await tree.write({ 'docs/new.md': 'new\n' })
  await endPause()
  await quiet('prompt', { prompt: `Change ${FILE}.` })
  expect(await onlyId()).toBe(id)
  const { scope } = await shop.read(id)
  expect(scope.changes).toMatchObject([{ path: FILE }, { path: 'docs/new.md' }])
  await quiet('before-edit', edit)
  await quiet('session-end', { reason: 'exit' })
  expect(await shop.list()).toMatchObject([{ id, status: 'paused' }])
  expect(await stateFiles('session-')).toEqual([])
})

test('the next hook follows a switch of the branch, and adds the file of its edit', async () => {
  await lost(isCreate, 'before-edit', { tool_input: { file_path: 'docs/a.md' } })
  const id = await onlyId()
  await tree.git('checkout', '-q', '-b', 'other')
  await endPause()
  await quiet('before-edit', edit)
  expect(await onlyId()).toBe(id)
  expect(await shop.read(id)).toMatchObject({
    branch: 'other',
    scope: { paths: ['docs/a.md', FILE] },
  })
})

test('a prompt of a session with nothing new sends one request, which is answered in short', async () => {
  await quiet('session-start')
  const id = await onlyId()
  await quiet('prompt')
  const seen: string[] = []
  proxy.loses = (request) => seen.push(request) === 0
  await quiet('prompt')
  expect(seen).toEqual([`GET /api/v1/repos/acme/shop/activity/${id}`])
})

test('the end of a session that could not be sent is sent by a session on another branch', async () => {
  await quiet('session-start')
  await proxy.close()
  expect((await hook('session-end', { reason: 'exit' })).stderr).toMatch(/cannot be reached/)
  proxy = await startLossyProxy(shop.url)
  const id = await onlyId()
  await tree.git('checkout', '-q', '-b', 'other')
  // Another address is asked at once.
  const next = await tree.run(['hook', 'session-start', '--agent', 'claude-code', '--url', proxy.url], {
    input: JSON.stringify({ session_id: 's2', cwd: tree.path }),
  })
  expect(next.stderr).toBe('')
  expect(await onlyId()).not.toBe(id)
  expect(await stateFiles('branch-')).toEqual(['branch-other.json'])
})

describe('a response that is lost for a moment', () => {
  const HELD = expect.stringContaining('issue #7 is held by “Ben”')
  /** The first two responses are lost. */
  const loseTwice = (which: (request: string) => boolean) => {
    let left = 2
    proxy.loses = (request) => which(request) && left-- > 0
  }

  beforeEach(() => startAsBen({ issue: 7 }))

  test('creates one activity, and the same hook says who holds its issue', async () => {
    await tree.git('checkout', '-q', '-b', '7-retry')
    loseTwice(isCreate)
    const { stdout, stderr } = await hook('session-start', { source: 'startup' })
    expect([stdout, stderr]).toEqual([HELD, ''])
    expect(await shop.list()).toHaveLength(2)
  })

  test.each(['closed', 'bad_gateway'] as const)(
    'moves the activity (%s), and the same hook says who holds the issue of the prompt',
    async (loss) => {
      await quiet('session-start', { source: 'startup' })
      proxy.loss = loss
      loseTwice((request) => request.startsWith('PATCH '))
      const { stdout, stderr } = await hook('prompt', { prompt: 'Fix #7.' })
      expect([stdout, stderr]).toEqual([HELD, ''])
    },
  )
})

test('a request that was never sent is not repeated', async () => {
  await quiet('session-start')
  await quiet('session-end')
  await proxy.close()
  expect((await hook('session-start', { session_id: 's2' })).stderr).toMatch(/cannot be reached/)
  await quiet('session-end', { session_id: 's2' })
  expect(await stateFiles('branch-')).toEqual([])
})

test('only the user can read a stored request', async () => {
  await tree.write({ [FILE]: 'secret\n' })
  await lost(isCreate, 'session-start')
  const [name] = await stateFiles('branch-')
  const file = join(tree.path, '.git/deconflict', name as string)
  expect(await readFile(file, 'utf8')).toContain('secret')
  expect((await stat(file)).mode & 0o077).toBe(0)
  await endPause()
  await quiet('prompt')
  expect(await readFile(file, 'utf8')).not.toContain('secret')
})
