/** The MCP tools with a real MCP client, over HTTP and over the standard input of a process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { VERSION } from '../../src/vocabulary/version.ts'
import { type WorkingTree, workingTree } from '../support/working-tree.ts'

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url))
const REPOSITORY = 'acme/mcp'
const IDENTITY = { name: 'a-test', version: '1' }
const TOOLS = [
  'check_overlap',
  'start_work',
  'update_work',
  'heartbeat',
  'reserve_number',
  'finish_work',
  'list_work',
  'list_notables',
  'post_notable',
  'show_record',
]

const shop = inject('shared_service')
let tree: WorkingTree

beforeAll(async () => {
  tree = await workingTree({})
  await tree.git('remote', 'set-url', 'origin', `git@github.com:${REPOSITORY}.git`)
})
afterAll(() => tree.remove())

async function overHttp(token: string): Promise<Client> {
  const client = new Client(IDENTITY)
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${shop.url}/mcp`), { requestInit }))
  return client
}

async function overStdio(token: string, folder = '.'): Promise<Client> {
  const client = new Client(IDENTITY)
  const env = { PATH: process.env.PATH ?? '', DECONFLICT_URL: shop.url, GITHUB_TOKEN: token }
  const command = { command: process.execPath, args: [CLI, 'mcp'], cwd: join(tree.path, folder), env }
  await client.connect(new StdioClientTransport(command))
  return client
}

test('over stdio, a client that closes its end of the output ends the server without an error', async () => {
  const env = { PATH: process.env.PATH ?? '', DECONFLICT_URL: shop.url, GITHUB_TOKEN: 'ada' }
  const child = spawn(process.execPath, [CLI, 'mcp'], { cwd: tree.path, env })
  const errors = text(child.stderr)
  child.stdout.destroy()
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' }
  child.stdin.write(`${JSON.stringify(message)}\n`)
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  expect(await errors).toBe('')
})

/** The result of a tool, which has the same form as text, and whether it is an error. */
async function callTool(client: Client, name: string, args: object) {
  const { isError = false, ...result } = await client.callTool({ name, arguments: { ...args } })
  const [content] = result.content as { type: string; text: string }[]
  const fields = JSON.parse(content?.text ?? '')
  expect(result.structuredContent).toEqual(isError ? undefined : fields)
  return { is_error: isError, ...fields }
}

describe.each([
  ['HTTP', overHttp, { repository: REPOSITORY }],
  ['standard input, which has a default repository', overStdio, {}],
] as const)('over %s', (_, connect, where) => {
  test('the tools lead from a check to the end of an activity', async () => {
    const [ada, ben] = await Promise.all([connect('tok-ada'), connect('tok-ben')])
    const { activity, overlap } = await callTool(ada, 'start_work', {
      ...where,
      title: 'Retry payments',
      summary: 'Twice.',
      actor: 'Ada',
      branch: 'retries',
      scope: { paths: ['src/checkout/**'] },
    })
    expect(overlap).toMatchObject({ overlap_detected: false, recommended_action: expect.any(String) })
    const check = await callTool(ben, 'check_overlap', {
      ...where,
      branch: 'tidy',
      scope: { paths: ['src/**/retry.ts'] },
    })
    expect(check).toMatchObject({
      is_error: false,
      overlap_detected: true,
      severity: 'medium',
      reason: expect.stringContaining('“Retry payments” by “Ada”'),
      matches: [{ id: activity.id, examples: ['src/checkout/retry.ts'] }],
      checked_against: { complete: true },
    })
    const scope = { paths: ['docs/**'] }
    expect(await callTool(ada, 'update_work', { ...where, id: activity.id, scope })).toMatchObject({ scope })
    expect(await callTool(ada, 'heartbeat', { ...where, id: activity.id })).toMatchObject({
      overlap: { overlap_detected: false },
    })
    const listed = await callTool(ben, 'list_work', { ...where, limit: 1, has_pr: false })
    expect(listed.items).toEqual([expect.objectContaining({ id: activity.id })])
    expect(JSON.stringify(listed)).not.toContain('null')
    expect(await callTool(ben, 'show_record', { ...where, id: activity.id })).toMatchObject({
      summary: 'Twice.',
    })
    expect(
      await callTool(ada, 'finish_work', { ...where, id: activity.id, outcome: 'merged' }),
    ).toMatchObject({
      status: 'merged',
    })
    expect(await callTool(ada, 'finish_work', { ...where, id: activity.id })).toMatchObject({
      status: 'archived',
    })

    const note = { title: 'Frozen', summary: 'Until Friday.', importance: 'high', category: 'migration' }
    const noted = await callTool(ada, 'post_notable', { ...where, ...note, scope: { paths: ['db/**'] } })
    const notables = await callTool(ben, 'list_notables', { ...where, area: undefined })
    expect(notables.items.map(({ id }: { id: string }) => id)).toContain(noted.id)
    const startWork = (person: typeof ada, body: object) =>
      callTool(person, 'start_work', { ...where, summary: 'x', scope: { paths: ['docs/**'] }, ...body })
    const mine = await startWork(ada, { title: 'Glossary', actor: 'Ada', branch: 'glossary' })
    const theirs = await startWork(ben, { title: 'Typos', actor: 'Ben', branch: 'typos' })
    const named = {
      severity: 'medium',
      matches: [
        {
          id: theirs.activity.id,
          title: 'Typos',
          actor: 'Ben',
          branch: 'typos',
          severity: 'medium',
          example: expect.stringMatching(/^docs\/./),
        },
      ],
    }
    for (const [tool, more] of [
      ['heartbeat', {}],
      ['update_work', { risk: 'high' }],
      ['show_record', {}],
    ] as const) {
      const { overlap } = await callTool(ada, tool, { ...where, id: mine.activity.id, ...more })
      expect(overlap, tool).toMatchObject(named)
      expect(Object.keys(overlap.matches[0])).toEqual(Object.keys(named.matches[0] as object))
    }
    for (const { activity } of [mine, theirs])
      await callTool(ada, 'finish_work', { ...where, id: activity.id })
    await Promise.all([ada.close(), ben.close()])
  })

  test('start_work takes an issue, and says who holds it', async () => {
    const [ada, ben] = [await connect('tok-ada'), await connect('tok-ben')]
    const startWork = (person: Client, actor: string) =>
      callTool(person, 'start_work', {
        ...where,
        title: 'Retry',
        summary: 'x',
        actor,
        branch: actor,
        issue: 7,
      })
    const [mine, theirs] = [await startWork(ada, 'Ada'), await startWork(ben, 'Ben')]
    const holder = { activity_id: mine.activity.id, actor: 'Ada', branch: 'Ada' }
    expect(mine).toMatchObject({ activity: { issue: 7 }, issue: { number: 7, claimed: true, holder } })
    expect(theirs.issue).toMatchObject({ number: 7, claimed: false, holder })
    for (const { activity } of [mine, theirs])
      await callTool(ada, 'finish_work', { ...where, id: activity.id })
    await Promise.all([ada.close(), ben.close()])
  })

  // Threat: Prompt injection through a title
  test('every tool has a description and short schemas without references', async () => {
    const client = await connect('tok-ada')
    const answer = await client.listTools()
    expect(Buffer.byteLength(JSON.stringify({ jsonrpc: '2.0', id: 1, result: answer }))).toBeLessThan(8192)
    const { tools } = answer
    expect(tools.map(({ name }) => name)).toEqual(TOOLS)
    for (const { description, inputSchema, outputSchema, annotations = {} } of tools) {
      expect(description?.length).toBeGreaterThan(50)
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref')
      for (const { type } of Object.values(outputSchema?.properties ?? {}) as { type?: string }[])
        expect(type).toEqual(expect.any(String))
      expect(annotations.readOnlyHint === true || annotations.destructiveHint === false).toBe(true)
    }
    expect(client.getServerVersion()?.version).toBe(VERSION)
    const limit = tools.find(({ name }) => name === 'list_work')?.inputSchema.properties?.limit
    expect(limit).toMatchObject({ type: 'integer', minimum: 1, maximum: 100 })
    expect(tools[0]?.outputSchema?.properties).toMatchObject({
      overlap_detected: { type: 'boolean' },
      matches: { type: 'array' },
    })
    expect(client.getInstructions()).toMatch(/never as instructions/)
    await client.close()
  })

  test('failures are error objects of the service', async () => {
    const client = await connect('tok-rita')
    const errorOf = async (name: string, args: object) => {
      const { is_error, error } = await callTool(client, name, { ...where, ...args })
      expect(is_error).toBe(true)
      return error
    }
    expect(await errorOf('check_overlap', { scope: { path: ['src'] } })).toMatchObject({
      type: 'invalid_request',
      param: 'scope.path',
      message: expect.stringContaining('did you mean paths?'),
      request_id: expect.stringMatching(/^req_/),
    })
    const work = { title: 'x', summary: 'x', actor: 'Rita' }
    expect((await errorOf('start_work', work)).type).toBe('forbidden')
    expect((await errorOf('check_overlap', { repository: 'acme/none' })).type).toBe('forbidden')
    expect(await errorOf('list_work', { limit: 101 })).toMatchObject({
      type: 'validation_error',
      param: 'limit',
    })
    expect(await errorOf('heartbeat', {})).toMatchObject({ type: 'invalid_request', param: 'id' })
    expect((await errorOf('list_wrok', {})).message).toMatch(/did you mean list_work\?/)
    await client.close()
  })
})

test('own work on the default branch is no collision over standard input', async () => {
  const PATH = 'src/checkout/retry.ts'
  await tree.git('checkout', '-q', 'main')
  const env = { DECONFLICT_URL: shop.url, GITHUB_TOKEN: 'tok-ada' }
  const hook = async (event: string) => {
    const input = JSON.stringify({ session_id: 's1', cwd: tree.path, prompt: `Fix ${PATH}` })
    const args = ['hook', event, '--agent', 'claude-code']
    return (await tree.runProcess(args, { env: { ...env, DECONFLICT_HOOK_TIMEOUT_MS: '50000' }, input }))
      .stdout
  }
  const clear = { overlap_detected: false }
  const work = { title: 'Mine', summary: 'x', scope: { paths: [PATH] } }
  expect(await hook('session-start')).toBe('')
  await tree.runProcess(['start', 'By hand', '--paths', PATH], { env })
  const ada = await overStdio('tok-ada')
  const started = await callTool(ada, 'start_work', work)
  expect(started.overlap).toMatchObject(clear)
  const { id } = started.activity
  expect(await callTool(ada, 'check_overlap', { scope: work.scope })).toMatchObject(clear)
  expect((await callTool(ada, 'heartbeat', { id })).overlap).toMatchObject(clear)
  expect((await callTool(ada, 'update_work', { id, scope: work.scope })).overlap).toMatchObject(clear)
  expect((await callTool(ada, 'show_record', { id })).overlap).toMatchObject(clear)
  expect(await hook('prompt')).toBe('')
  expect((await tree.runProcess(['check', '--paths', PATH], { env })).code).toBe(0)
  // Another process of the same working tree, and work of others.
  const again = await overStdio('tok-ada')
  expect(await callTool(again, 'check_overlap', { scope: work.scope })).toMatchObject(clear)
  const ben = await overHttp('tok-ben')
  const where = { repository: REPOSITORY, actor: 'Ben', branch: 'tidy' }
  const theirs = await callTool(ben, 'start_work', { ...work, ...where })
  expect(theirs.overlap).toMatchObject({ overlap_detected: true })
  expect(await callTool(ada, 'check_overlap', { scope: work.scope })).toMatchObject({
    overlap_detected: true,
    matches: [{ id: theirs.activity.id }],
  })
  await callTool(ben, 'finish_work', { repository: REPOSITORY, id: theirs.activity.id })
  await callTool(ada, 'finish_work', { id })
  await tree.runProcess(['done'], { env })
  await hook('session-end')
  await Promise.all([ada.close(), again.close(), ben.close()])
})

describe('changed files', () => {
  const PATH = 'src/checkout/retry.ts'
  const change = { path: PATH, patch: '@@ -1 +1 @@\n-export {}\n+export const attempts = 2\n' }
  const work = { title: 'Retry', summary: 'Twice.', actor: 'Ben', branch: 'attempts' }
  let ben: Client
  let id: string

  beforeAll(async () => {
    ben = await overHttp('tok-ben')
    const scope = { changes: [change] }
    const started = await callTool(ben, 'start_work', { repository: REPOSITORY, ...work, scope })
    id = started.activity.id
    await tree.git('checkout', '-q', '-b', 'tree')
    await tree.write({ [PATH]: 'export const attempts = 3\n' })
  })
  afterAll(async () => {
    await callTool(ben, 'finish_work', { repository: REPOSITORY, id })
    await ben.close()
    await tree.git('checkout', '-q', '-f', 'main')
  })

  const verdict = (result: { matches: { id: string; lines?: string }[] }) =>
    result.matches.find((each) => each.id === id)?.lines

  test('are arguments of a check, and results have no null in any depth', async () => {
    const far = await callTool(ben, 'check_overlap', {
      repository: REPOSITORY,
      scope: { changes: [{ ...change, patch: '@@ -1 +1 @@\n-export {}\n+export const delay = 1\n' }] },
    })
    expect(verdict(far)).toBe('conflict')
    expect(JSON.stringify(far)).not.toContain('null')
    const shown = await callTool(ben, 'show_record', { repository: REPOSITORY, id })
    expect(shown.scope.changes).toEqual([{ path: PATH, status: 'modified' }])
  })

  test('of the working tree are added over standard input', async () => {
    const ada = await overStdio('tok-ada')
    expect(verdict(await callTool(ada, 'check_overlap', {}))).toBe('conflict')
    expect(verdict(await callTool(ada, 'check_overlap', { branch: 'tree', scope: { paths: [PATH] } }))).toBe(
      'conflict',
    )
    const { activity, overlap } = await callTool(ada, 'start_work', { ...work, branch: 'tree' })
    expect(verdict(overlap)).toBe('conflict')
    expect(activity.scope.changed_files).toEqual([PATH])
    await tree.write({ 'README.md': '# The shop\n' })
    const unscoped = await callTool(ada, 'update_work', { id: activity.id, risk: 'high' })
    expect(unscoped.scope.changed_files).toEqual([PATH])
    const scoped = await callTool(ada, 'update_work', { id: activity.id, scope: { areas: ['checkout'] } })
    expect(scoped.scope).toMatchObject({ areas: ['checkout'], changed_files: ['README.md', PATH] })
    await callTool(ada, 'finish_work', { id: activity.id })
    await ada.close()
  })

  test('of the working tree are not added to work elsewhere, or in place of given ones', async () => {
    const ada = await overStdio('tok-ada')
    const checks = [
      { branch: 'other', scope: { paths: ['docs/**'] } },
      { scope: { changes: [{ path: 'docs/a.md' }] } },
      { repository: 'acme/none' },
    ]
    for (const given of checks)
      expect((await callTool(ada, 'check_overlap', given)).matches ?? []).toEqual([])
    const { error } = await callTool(ada, 'check_overlap', { scope: { paths: 'src' } })
    expect(error).toMatchObject({ type: 'validation_error', param: 'scope.paths' })
    await ada.close()
  })
})

test('over standard input, start_work takes the issue that the branch names, unless another one is sent', async () => {
  await tree.git('checkout', '-q', '-b', '12-carts')
  const ada = await overStdio('tok-ada')
  const issueOf = async (given: object) => {
    const { activity } = await callTool(ada, 'start_work', {
      title: 'Carts',
      summary: 'x',
      actor: 'Ada',
      ...given,
    })
    await callTool(ada, 'finish_work', { id: activity.id })
    return activity.issue ?? null
  }
  expect(await issueOf({})).toBe(12)
  expect(await issueOf({ branch: 'fix/13-carts' })).toBe(13)
  expect(await issueOf({ issue: 14 })).toBe(14)
  expect(await issueOf({ branch: 'carts' })).toBe(null)
  expect(
    (await callTool(ada, 'start_work', { title: 'Carts', summary: 'x', branch: 12 })).error,
  ).toMatchObject({
    param: 'branch',
  })
  await ada.close()
  await tree.git('checkout', '-q', '-f', 'main')
})

test('over HTTP, a token that GitHub rejects is rejected before the protocol starts', async () => {
  await expect(overHttp('nobody')).rejects.toThrow('GitHub rejected this token')
})

test('over standard input, a token that GitHub rejects fails the tools', async () => {
  const client = await overStdio('nobody')
  expect((await callTool(client, 'list_work', {})).error.type).toBe('unauthorized')
  await client.close()
})

describe('over standard input in a folder of the repository', () => {
  const where = { title: 'Work', summary: 'x', actor: 'Ada', branch: 'folder' }

  test('paths are relative to the folder, or absolute', async () => {
    const ada = await overStdio('tok-ada', 'src')
    const paths = ['checkout/*.ts', '../README.md', join(tree.path, 'docs/a.md')]
    const { activity } = await callTool(ada, 'start_work', { ...where, scope: { paths } })
    expect(activity.scope.paths).toEqual(['src/checkout/*.ts', 'README.md', 'docs/a.md'])
    const note = { title: 'N', summary: 'x', importance: 'low', category: 'process', scope: { paths: ['.'] } }
    const { id } = await callTool(ada, 'post_notable', note)
    expect((await callTool(ada, 'show_record', { id })).scope.paths).toEqual(['src'])
    await callTool(ada, 'finish_work', { id: activity.id })
    await ada.close()
  })

  test('an absolute path is refused for another repository, whose files lie elsewhere', async () => {
    const ada = await overStdio('tok-ada', 'src')
    const paths = [join(tree.path, 'src/a.ts')]
    expect(
      await callTool(ada, 'check_overlap', { repository: 'acme/other', scope: { paths } }),
    ).toMatchObject({
      is_error: true,
      error: { param: 'scope.paths', message: expect.stringContaining('name files from its root') },
    })
    await ada.close()
  })

  test('a path outside of it is an error that names it', async () => {
    const ada = await overStdio('tok-ada', 'src')
    expect(await callTool(ada, 'check_overlap', { scope: { paths: ['/elsewhere/a.ts'] } })).toMatchObject({
      is_error: true,
      error: {
        type: 'validation_error',
        param: 'scope.paths',
        message: expect.stringContaining('/elsewhere/a.ts lies outside of the repository'),
      },
    })
    await ada.close()
  })
})

describe('the route /mcp', () => {
  const send = (init: RequestInit) => fetch(`${shop.url}/mcp`, { method: 'POST', ...init })
  const headers = {
    authorization: 'Bearer tok-ben',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const outcomeOf = async (response: Response) => {
    const body = (await response.json()) as { error: { type: string } }
    return [response.status, body.error.type]
  }

  test('requires a bearer token', async () => {
    const response = await send({ body: '{}' })
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await outcomeOf(response)).toEqual([401, 'unauthorized'])
  })

  // Threat: Large, deep or ambiguous bodies at `/mcp`
  test('rejects a body that is not JSON, too large or too deep', async () => {
    expect(await outcomeOf(await send({ headers, body: 'hello' }))).toEqual([400, 'invalid_request'])
    expect(
      await outcomeOf(await send({ headers, body: `{"a": ${'['.repeat(100)}${']'.repeat(100)}}` })),
    ).toEqual([400, 'invalid_request'])
    const large = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: 'x'.repeat(1_048_577),
    })
    expect(await outcomeOf(await send({ headers, body: large }))).toEqual([413, 'invalid_request'])
  })

  test('accepts POST only', async () => {
    const response = await fetch(`${shop.url}/mcp`, { headers })
    expect(response.headers.get('allow')).toBe('POST')
    expect(await outcomeOf(response)).toEqual([405, 'method_not_allowed'])
  })
})
