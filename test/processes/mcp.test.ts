/** The MCP tools with a real MCP client, over HTTP and over the standard input of a process. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { VERSION } from '../../src/vocabulary/version.ts'
import { type WorkingTree, workingTree } from '../support/working-tree.ts'

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url))
const REPOSITORY = 'acme/mcp'
/** Revisions of the protocol: the newest, and the one that most clients speak. */
const NEWEST = '2026-07-28'
const HANDSHAKE = '2025-11-25'
const TOOLS = [
  ...['check_overlap', 'start_work', 'update_work', 'heartbeat', 'reserve_number', 'finish_work'],
  ...['list_work', 'merge_order', 'list_notables', 'post_notable', 'show_record'],
]

const shop = inject('shared_service')
let tree: WorkingTree

beforeAll(async () => {
  tree = await workingTree({})
  await tree.git('remote', 'set-url', 'origin', `git@github.com:${REPOSITORY}.git`)
})
afterAll(() => tree.remove())

const clientOf = (revision: string) =>
  new Client(
    { name: 'a-test', version: '1' },
    { versionNegotiation: { mode: revision === HANDSHAKE ? 'legacy' : { pin: revision } } },
  )

async function overHttp(token: string, revision = NEWEST): Promise<Client> {
  const client = clientOf(revision)
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${shop.url}/mcp`), { requestInit }))
  return client
}

/** Starts a process. */
async function overStdio(token: string, revision = NEWEST, folder = '.', ...options: string[]) {
  const client = clientOf(revision)
  const env = { PATH: process.env.PATH ?? '', DECONFLICT_URL: shop.url, GITHUB_TOKEN: token }
  const args = [CLI, 'mcp', ...options]
  const command = { command: process.execPath, args, cwd: join(tree.path, folder), env }
  await client.connect(new StdioClientTransport(command))
  return client
}

/** The result of a tool, which has the same form as text, and whether it is an error. */
async function callTool(client: Client, name: string, args: object) {
  const { isError = false, ...result } = await client.callTool({ name, arguments: { ...args } })
  const [content] = result.content as { type: string; text: string }[]
  const fields = JSON.parse(content?.text ?? '')
  expect(result.structuredContent).toEqual(isError ? undefined : fields)
  return { is_error: isError, ...fields }
}

test.each([
  ['.', ['--local'], 'pull requests: not fetched; deconflict fetch'],
  ['../alone', [], 'other machines: this repository has no remote on GitHub; name it with --repo OWNER/NAME'],
])('in the clone %s, with %j, a check says what it did not look at', async (folder, options, source) => {
  await tree.git('init', '-q', '../alone')
  const client = await overStdio('tok-ada', NEWEST, folder, ...options)
  const { sources } = await callTool(client, 'check_overlap', { scope: { paths: ['docs/new.md'] } })
  expect(sources).toContain(source)
  await client.close()
})

test('on a branch whose start a shallow clone does not have, it compares only what the agent names, with the settings of that moment', async () => {
  await tree.git('clone', '-q', '.', '../cut')
  const cut = ['-C', '../cut', '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  await tree.git(...cut, 'checkout', '-q', '-b', 'cut')
  await tree.git(...cut, 'commit', '-q', '--allow-empty', '-m', 'Cut')
  await tree.write({ '../cut/.git/shallow': `${await tree.git(...cut, 'rev-parse', 'main', 'cut')}\n` })
  const client = await overStdio('tok-ada', NEWEST, '../cut', '--local')
  const check = (args: object) => callTool(client, 'check_overlap', args)
  expect((await check({})).error.message).toMatch(/HEAD left main; run git fetch --unshallow/)
  await tree.write({ '../cut/.github/deconflict.yml': 'check_run: maybe\n' })
  const { sources } = await check({ scope: { paths: ['docs/new.md'] } })
  expect(sources.join()).toContain('deconflict.yml, line 1: ')
  await client.close()
})

// `test/api/admission.test.ts` has the handshake over HTTP, and the tests below the newest revision over standard input.
describe.each([
  [NEWEST, 'HTTP', overHttp, { repository: REPOSITORY }],
  [HANDSHAKE, 'standard input, which has a default repository', overStdio, {}],
] as const)('%s over %s', (revision, _, connect, where) => {
  let ada: Client
  let ben: Client
  beforeAll(async () => {
    ;[ada, ben] = await Promise.all([connect('tok-ada', revision), connect('tok-ben', revision)])
  })
  afterAll(() => Promise.all([ada.close(), ben.close()]))

  test('the tools lead from a check to the end of an activity', async () => {
    const work = { title: 'Retry payments', summary: 'Twice.', actor: 'Ada', branch: 'retries' }
    const { activity, overlap } = await callTool(ada, 'start_work', {
      ...{ ...where, ...work },
      scope: { paths: ['src/checkout/**'] },
    })
    expect(overlap).toMatchObject({ overlap_detected: false, recommended_action: expect.any(String) })
    const tidy = { branch: 'tidy', scope: { paths: ['src/**/retry.ts'] } }
    expect(await callTool(ben, 'check_overlap', { ...where, ...tidy })).toMatchObject({
      is_error: false,
      overlap_detected: true,
      severity: 'medium',
      reason: expect.stringContaining('“Retry payments” by “Ada”'),
      matches: [{ id: activity.id, examples: ['src/checkout/retry.ts'] }],
      checked_against: { complete: true },
    })
    const scope = { paths: Array.from({ length: 21 }, (_, at) => `docs/${at}.md`) }
    const first = { scope: { paths: scope.paths.slice(0, 20) } }
    expect(await callTool(ada, 'update_work', { ...where, id: activity.id, scope })).toMatchObject(first)
    expect(await callTool(ada, 'heartbeat', { ...where, id: activity.id })).toMatchObject({
      overlap: { overlap_detected: false },
    })
    const withMore = await callTool(ada, 'heartbeat', { ...where, id: activity.id, risk: 'high' })
    expect(withMore.error).toMatchObject({ type: 'invalid_request', param: 'risk' })
    expect(await callTool(ben, 'merge_order', where)).toMatchObject({ is_error: false, items: [] })
    const listed = await callTool(ben, 'list_work', { ...where, limit: 1, has_pr: false })
    expect(listed.items).toEqual([expect.objectContaining({ id: activity.id })])
    expect(JSON.stringify(listed)).not.toContain('null')
    const one = { ...where, id: activity.id }
    expect(await callTool(ben, 'show_record', one)).toMatchObject({ summary: 'Twice.', ...first })
    const merged = await callTool(ada, 'finish_work', { ...one, outcome: 'merged' })
    expect(merged.status).toBe('merged')
    expect(await callTool(ada, 'finish_work', one)).toMatchObject({ status: 'archived' })

    const note = { title: 'Frozen', summary: 'Until Friday.', importance: 'high', category: 'migration' }
    const noted = await callTool(ada, 'post_notable', { ...where, ...note, scope: { paths: ['db/**'] } })
    const notables = await callTool(ben, 'list_notables', { ...where, area: undefined })
    expect(notables.items.map(({ id }: { id: string }) => id)).toContain(noted.id)
    const startWork = (person: typeof ada, body: object) =>
      callTool(person, 'start_work', { ...where, summary: 'x', scope: { paths: ['docs/**'] }, ...body })
    const mine = await startWork(ada, { title: 'Glossary', actor: 'Ada', branch: 'glossary' })
    const theirs = await startWork(ben, { title: 'Typos', actor: 'Ben', branch: 'typos' })
    const example = expect.stringMatching(/^docs\/./)
    const { id } = theirs.activity
    const leads = { severity: 'medium', consequence: 'possible', findings: [{ kind: 'paths' }] }
    const whose = { same_author: false, is_bot: false, example }
    const match = { id, title: 'Typos', actor: 'Ben', branch: 'typos', ...leads, ...whose }
    for (const [tool, more] of [
      ['heartbeat', {}],
      ['update_work', { risk: 'high' }],
      ['show_record', {}],
    ] as const) {
      const { overlap } = await callTool(ada, tool, { ...where, id: mine.activity.id, ...more })
      expect(overlap, tool).toMatchObject({ severity: 'medium', matches: [match] })
      expect(Object.keys(overlap.matches[0])).toEqual(Object.keys(match))
    }
    for (const { activity } of [mine, theirs])
      await callTool(ada, 'finish_work', { ...where, id: activity.id })
  })

  // Threat: Prompt injection through a title
  test('every tool has a description and short schemas without references', async () => {
    const { tools } = await ada.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLS)
    for (const { description, inputSchema } of tools) {
      expect(description?.length).toBeGreaterThan(50)
      expect(JSON.stringify(inputSchema)).not.toContain('$ref')
    }
    const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
    expect(tools.find(({ name }) => name === 'start_work')).toMatchObject({
      title: 'Start work',
      annotations: hints,
    })
    for (const [name, repeated] of [
      ['heartbeat', { idempotentHint: true }],
      ['merge_order', { idempotentHint: true, readOnlyHint: true }],
    ] as const)
      expect(tools.find((each) => each.name === name)?.annotations).toEqual({ ...hints, ...repeated })
    expect(ada.getNegotiatedProtocolVersion()).toBe(revision)
    expect(ada.getServerVersion()?.version).toBe(VERSION)
    const limit = tools.find(({ name }) => name === 'list_work')?.inputSchema.properties?.limit
    expect(limit).toMatchObject({ type: 'integer', minimum: 1, maximum: 100 })
    expect(ada.getInstructions()).toMatch(/never as instructions/)
  })

  test('failures are error objects of the service', async () => {
    const errorOf = async (name: string, args: object) => {
      const { is_error, error } = await callTool(ada, name, { ...where, ...args })
      expect(is_error).toBe(true)
      return error
    }
    expect(await errorOf('check_overlap', { scope: { path: ['src'] } })).toMatchObject({
      type: 'invalid_request',
      param: 'scope.path',
      message: expect.stringContaining('did you mean paths?'),
      request_id: expect.stringMatching(/^req_/),
    })
    expect((await errorOf('check_overlap', { repository: 'acme/none' })).type).toBe('forbidden')
    expect(await errorOf('list_work', { limit: 101 })).toMatchObject({
      type: 'validation_error',
      param: 'limit',
    })
    expect(await errorOf('start_work', { repository: undefined })).toMatchObject({
      type: 'invalid_request',
      message: expect.stringMatching(/title: .* is required; summary: this field is required/),
    })
    expect((await errorOf('update_work', { di: 'act_1' })).message).toMatch(/^di: .* mean id\?/)
    expect((await errorOf('list_wrok', {})).message).toMatch(/did you mean list_work\?/)
  })
})

describe('over standard input', () => {
  const PATH = 'src/checkout/retry.ts'
  /** In the root of the working tree. */
  let ada: Client
  /** Over HTTP. */
  let ben: Client

  beforeAll(async () => {
    ;[ada, ben] = await Promise.all([overStdio('tok-ada'), overHttp('tok-ben')])
  })
  afterAll(() => Promise.all([ada.close(), ben.close()]))

  test('own work on the default branch is no collision', async () => {
    const env = { DECONFLICT_URL: shop.url, GITHUB_TOKEN: 'tok-ada' }
    const hook = async (event: string) => {
      const input = JSON.stringify({ session_id: 's1', cwd: tree.path, prompt: `Fix ${PATH}` })
      return (await tree.run(['hook', event, '--agent', 'claude-code'], { env, input })).stdout
    }
    const clear = { overlap_detected: false }
    const work = { title: 'Mine', summary: 'x', scope: { paths: [PATH] } }
    expect(await hook('session-start')).toBe('')
    await tree.run(['start', 'By hand', '--paths', PATH], { env })
    const started = await callTool(ada, 'start_work', work)
    expect(started.overlap).toMatchObject(clear)
    const { id, title } = started.activity
    expect(title).toBe('Mine')
    expect(await callTool(ada, 'check_overlap', { scope: work.scope })).toMatchObject(clear)
    for (const [tool, more] of [
      ['heartbeat', {}],
      ['update_work', { scope: work.scope }],
      ['show_record', {}],
    ] as const)
      expect(await callTool(ada, tool, more), tool).toMatchObject({ id, overlap: clear })
    expect(await hook('prompt')).toBe('')
    expect((await tree.run(['check', '--paths', PATH], { env })).code).toBe(0)
    const where = { repository: REPOSITORY, actor: 'Ben', branch: 'tidy' }
    const theirs = await callTool(ben, 'start_work', { ...work, ...where })
    expect(theirs.overlap).toMatchObject({ overlap_detected: true })
    expect(await callTool(ada, 'check_overlap', { scope: work.scope })).toMatchObject({
      overlap_detected: true,
      matches: [{ id: theirs.activity.id }],
    })
    await callTool(ben, 'finish_work', { repository: REPOSITORY, id: theirs.activity.id })
    const { items } = await callTool(ada, 'list_work', { actor: 'Ada' })
    expect(items).toMatchObject([{ id }])
    expect(await callTool(ada, 'finish_work', {})).toMatchObject({ id })
    expect((await callTool(ada, 'heartbeat', {})).error.param).toBe('id')
  })

  describe('changed files', () => {
    const change = { path: PATH, patch: '@@ -1 +1 @@\n-export {}\n+export const attempts = 2\n' }
    const work = { title: 'Retry', summary: 'Twice.', actor: 'Ben', branch: 'attempts' }
    let id: string

    beforeAll(async () => {
      const scope = { changes: [change] }
      const started = await callTool(ben, 'start_work', { repository: REPOSITORY, ...work, scope })
      id = started.activity.id
      await tree.git('checkout', '-q', '-b', 'tree')
      await tree.write({ [PATH]: 'export const attempts = 3\n' })
    })
    afterAll(async () => {
      await callTool(ben, 'finish_work', { repository: REPOSITORY, id })
      await tree.git('checkout', '-q', '-f', 'main')
    })

    const consequence = (result: { matches: { id: string; consequence?: string }[] }) =>
      result.matches.find((each) => each.id === id)?.consequence

    test('are arguments of a check over HTTP, and results have no null in any depth', async () => {
      const far = await callTool(ben, 'check_overlap', {
        repository: REPOSITORY,
        scope: { changes: [{ ...change, patch: '@@ -1 +1 @@\n-export {}\n+export const delay = 1\n' }] },
      })
      expect(consequence(far)).toBe('conflict')
      expect(JSON.stringify(far)).not.toContain('null')
      const shown = await callTool(ben, 'show_record', { repository: REPOSITORY, id })
      expect(shown.scope.changed_files).toEqual([PATH])
    })

    test('of the working tree are added', async () => {
      for (const given of [{}, { branch: 'tree', scope: { paths: [PATH] } }])
        expect(consequence(await callTool(ada, 'check_overlap', given))).toBe('conflict')
      const { activity, overlap } = await callTool(ada, 'start_work', { ...work, branch: 'tree' })
      expect(consequence(overlap)).toBe('conflict')
      expect(activity.scope.changed_files).toEqual([PATH])
      await tree.write({ 'README.md': '# The shop\n' })
      const unscoped = await callTool(ada, 'update_work', { id: activity.id, risk: 'high' })
      expect(unscoped.scope.changed_files).toEqual([PATH])
      const scoped = await callTool(ada, 'update_work', { id: activity.id, scope: { areas: ['checkout'] } })
      expect(scoped.scope).toMatchObject({ areas: ['checkout'], changed_files: ['README.md', PATH] })
      await callTool(ada, 'finish_work', { id: activity.id })
    })

    test('of the working tree are not added to work elsewhere, or in place of given ones', async () => {
      const checks = [
        { branch: 'other', scope: { paths: ['docs/**'] } },
        { scope: { changes: [{ path: 'docs/a.md' }] } },
        { repository: 'acme/none' },
      ]
      for (const given of checks)
        expect((await callTool(ada, 'check_overlap', given)).matches ?? []).toEqual([])
      const { error } = await callTool(ada, 'check_overlap', { scope: { paths: 'src' } })
      expect(error).toMatchObject({ type: 'validation_error', param: 'scope.paths' })
    })
  })

  test('start_work takes the branch that is checked out, and the issue that it names, unless others are sent', async () => {
    await tree.git('checkout', '-q', '-b', '12-carts')
    const work = { title: 'Carts', summary: 'x', actor: 'Ada' }
    const taken = async (given: object) => {
      const { activity } = await callTool(ada, 'start_work', { ...work, ...given })
      await callTool(ada, 'finish_work', { id: activity.id })
      return [activity.branch, activity.issue ?? null]
    }
    expect(await taken({})).toEqual(['12-carts', 12])
    expect(await taken({ branch: 'fix/13-carts' })).toEqual(['fix/13-carts', 13])
    expect(await taken({ issue: 14 })).toEqual(['12-carts', 14])
    expect(await taken({ branch: 'carts' })).toEqual(['carts', null])
    expect((await callTool(ada, 'start_work', { ...work, branch: 12 })).error.param).toBe('branch')
    await tree.git('checkout', '-q', '-f', 'main')
  })

  test('in a folder, paths are relative to it or absolute, and lie in the repository', async () => {
    const inFolder = await overStdio('tok-ada', NEWEST, 'src')
    const paths = ['checkout/*.ts', '../README.md', join(tree.path, 'docs/a.md')]
    const work = { title: 'Work', summary: 'x', actor: 'Ada', branch: 'folder' }
    const { activity } = await callTool(inFolder, 'start_work', { ...work, scope: { paths } })
    expect(activity.scope.paths).toEqual(['src/checkout/*.ts', 'README.md', 'docs/a.md'])
    const note = { title: 'N', summary: 'x', importance: 'low', category: 'process', scope: { paths: ['.'] } }
    const { id } = await callTool(inFolder, 'post_notable', note)
    expect((await callTool(inFolder, 'show_record', { id })).scope.paths).toEqual(['src'])
    await callTool(inFolder, 'finish_work', { id: activity.id })
    for (const [given, message] of [
      [
        { repository: 'acme/other', scope: { paths: [join(tree.path, 'src/a.ts')] } },
        'name files from its root',
      ],
      [{ scope: { paths: ['/elsewhere/a.ts'] } }, '/elsewhere/a.ts lies outside of the repository'],
    ] as const)
      expect(await callTool(inFolder, 'check_overlap', given)).toMatchObject({
        is_error: true,
        error: { type: 'validation_error', param: 'scope.paths', message: expect.stringContaining(message) },
      })
    await inFolder.close()
  })

  test('a token that GitHub rejects fails the tools, and over HTTP the connection', async () => {
    const client = await overStdio('nobody')
    expect((await callTool(client, 'list_work', {})).error.type).toBe('unauthorized')
    await client.close()
    await expect(overHttp('nobody', HANDSHAKE)).rejects.toThrow('GitHub rejected this token')
  })
})

describe('the route /mcp', () => {
  const headers = {
    authorization: 'Bearer tok-ben',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  describe(`with a request of ${NEWEST}`, () => {
    const key = (name: string) => `io.modelcontextprotocol/${name}`
    /** `named`: the method in the header. */
    const ask = async (method: string, given: object = {}, named = method) => {
      const _meta = { [key('protocolVersion')]: NEWEST, [key('clientCapabilities')]: {} }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...given, _meta } })
      const ofRevision = { ...headers, 'mcp-protocol-version': NEWEST, 'mcp-method': named }
      const response = await fetch(`${shop.url}/mcp`, { method: 'POST', headers: ofRevision, body })
      return { status: response.status, text: await response.text() }
    }

    test('answers with who it is, and how long its short list of tools holds', async () => {
      const { text } = await ask('tools/list')
      expect(Buffer.byteLength(text)).toBeLessThan(8192)
      expect(JSON.parse(text).result).toMatchObject({
        ...{ resultType: 'complete', ttlMs: 3_600_000, cacheScope: 'private' },
        _meta: { [key('serverInfo')]: { name: 'deconflict', version: VERSION } },
      })
    })

    test('ends a subscription at once, since nothing changes', async () => {
      const { text } = await ask('subscriptions/listen', { notifications: { toolsListChanged: true } })
      expect(text).toContain('"resultType":"complete"')
    })

    test('rejects one whose header names another method', async () => {
      const mismatched = await ask('tools/list', {}, 'tools/call')
      expect(mismatched).toMatchObject({ status: 400, text: expect.stringContaining('-32020') })
    })
  })

  // Threat: Large, deep or ambiguous bodies at `/mcp`
  test.each([
    ['not JSON', 'hello', '400 invalid_request'],
    ['too deep', `{"a": ${'['.repeat(100)}${']'.repeat(100)}}`, '400 invalid_request'],
    ['too large', JSON.stringify({ params: 'x'.repeat(1_048_577) }), '413 invalid_request'],
  ])('rejects a body that is %s', async (_, body, outcome) => {
    const response = await fetch(`${shop.url}/mcp`, { method: 'POST', headers, body })
    const { error } = (await response.json()) as { error: { type: string } }
    expect(`${response.status} ${error.type}`).toBe(outcome)
  })
})
