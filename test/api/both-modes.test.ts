/** The local mode answers as the service does: the same calls of the typed client, and the same pairs of changes, through both. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openLocal } from '../../src/cli/local-mode.ts'
import { findWorkspace } from '../../src/cli/workspace.ts'
import { type Client, createClient, DeconflictError, type RequestOf } from '../../src/client/client.ts'
import { Git } from '../../src/git/git.ts'
import { readChangedFiles } from '../../src/git/working-tree-files.ts'
import { editOf } from '../support/lines.ts'
import { useService } from '../support/service.ts'
import { forTest } from '../support/use-started.ts'
import { type WorkingTree, workingTree } from '../support/working-tree.ts'

const HOUR_MS = 3_600_000
const at = { owner: 'acme', repo: 'shop' }

const { service } = useService()
beforeEach(() => service.deleteRecords())

/** The client over a clone, by the clock of the service. */
async function localOf(cwd: string, tree: WorkingTree): Promise<Client> {
  const env = { PATH: process.env.PATH, HOME: dirname(tree.path) }
  const workspace = await findWorkspace({ cwd, env }, { is_local: true })
  return openLocal({ clock: () => service.clock.now, startFast: () => {} }, workspace)
}

async function bothClients(): Promise<{ remote: Client; local: Client; tree: WorkingTree }> {
  const tree = await forTest(workingTree({}))
  await tree.git('config', 'user.name', 'ada')
  const remote = createClient({ base_url: service.url, token: 'ada' })
  return { remote, local: await localOf(tree.path, tree), tree }
}

type Method = { [Name in keyof Client]: Name }[keyof Client]
/** Calls methods of one mode and notes what they answer. */
interface Script {
  /** Returns the answer, or undefined after an error. */
  // biome-ignore lint/suspicious/noExplicitAny: answers and requests of every operation, wrong ones too
  call(method: Method, request?: any): Promise<any>
  create(input: object): Promise<string>
  note(input: object): Promise<string>
  advance(ms: number): void
}

async function transcript(client: Client, script: (mode: Script) => Promise<unknown>): Promise<unknown[]> {
  const noted: unknown[] = []
  const start = service.clock.now
  const call: Script['call'] = async (method, request = {}) => {
    try {
      const answer = await (client[method] as (request: object) => Promise<unknown>)({ ...at, ...request })
      noted.push([method, answer])
      return answer
    } catch (error) {
      if (!(error instanceof DeconflictError)) throw error
      const { type, status, param, message } = error
      // Where to look for a record is said in the words of each mode.
      noted.push([method, { type, status, param, ...(type !== 'not_found' && { message }) }])
    }
  }
  await script({
    call,
    create: async (input) => {
      const given = { title: 'Retry payments', summary: 'Retries twice.', actor: 'Ben', ...input }
      const { activity } = await call('createActivity', { input: given })
      // Ids are in the order of time.
      service.clock.advance(1)
      return activity.id
    },
    note: async (input) => {
      const given = {
        title: 'Frozen',
        summary: 'For now.',
        importance: 'high',
        category: 'warning',
        ...input,
      }
      const { id } = await call('createNotable', { input: given })
      service.clock.advance(1)
      return id
    },
    advance: (ms) => service.clock.advance(ms),
  })
  service.clock.now = start
  return noted
}

/** What only one mode knows: places in the clone, also in words, and when a pull request is due. */
const ONE_MODE =
  'worktrees sessions branches pull_requests sources worktree reason recommended_action pr_reminder_due'.split(
    ' ',
  )

/** Without what only one mode knows; ids are numbered in the order in which they appear. */
function comparable(noted: unknown[]): unknown {
  const ids = new Map<string, string>()
  const text = JSON.stringify(noted, (key, value) => {
    if (key === 'next_cursor') return value !== null
    return ONE_MODE.includes(key) ? undefined : value
  })
  return JSON.parse(
    text.replace(/(?:act|ntb)_[0-9a-z]{26}/g, (id) => {
      if (!ids.has(id)) ids.set(id, `${id.slice(0, 3)} ${ids.size}`)
      return ids.get(id) as string
    }),
  )
}

const FILE = Array.from({ length: 60 }, (_, line) => `const value${line} = read(${line})`)
const edit = (line: number, text: string, path = 'src/a.ts') => ({
  path,
  patch: editOf(FILE, line, 1, [text]),
})
const added = (path: string) => ({ path, status: 'added' })
const pull = (number: number) => `https://github.com/acme/shop/pull/${number}`
const UNKNOWN = `act_${'0'.repeat(26)}`

const SCRIPTS: Record<string, (mode: Script) => Promise<unknown>> = {
  'creating and retrieving': async ({ call, create }) => {
    const id = await create({
      branch: 'a',
      risk: 'high',
      blocking: true,
      scope: { areas: ['pay'], paths: ['src/**'] },
    })
    await call('getActivity', { id })
    await create({ branch: 'b', draft_pr: true, pr_url: pull(7), scope: { changes: [edit(9, 'b')] } })
    const request = { idempotency_key: 'k', input: { title: 'T', summary: 'S', actor: 'A' } }
    for (const _ of [1, 2]) await call('createActivity', request)
    await call('listActivities')
  },
  updating: async ({ call, create, advance }) => {
    const changes = [{ ...edit(9, 'a'), blob_sha: 'a'.repeat(40) }]
    const id = await create({ branch: 'a', agent: 'codex', issue: 3, scope: { changes } })
    await create({ branch: 'b', scope: { changes: [edit(9, 'b')] } })
    for (const input of [
      { scope: { changes: [{ ...changes[0], patch: undefined }] } },
      { risk: 'critical' },
      { title: undefined, status: 'paused' },
      { branch: null, issue: null },
      { scope: { paths: ['docs/*'] } },
      { heartbeat: true },
      {},
    ]) {
      advance(1000)
      await call('updateActivity', { id, input })
    }
    await call('getActivity', { id })
  },
  'the end of work, and what is forbidden then': async ({ call, create, advance }) => {
    const [merged, archived, old] = [
      await create({ branch: 'a' }),
      await create({ branch: 'b' }),
      await create({ ttl_ms: HOUR_MS }),
    ]
    await call('updateActivity', { id: merged, input: { status: 'merged' } })
    for (const _ of [1, 2]) await call('archiveActivity', { id: archived })
    advance(HOUR_MS)
    for (const id of [merged, archived, old]) {
      await call('heartbeatActivity', { id })
      await call('updateActivity', { id, input: { status: 'active' } })
      await call('updateActivity', { id, input: { title: 'More' } })
      await call('reserveNumber', { id, input: { directory: 'db' } })
      await call('getActivity', { id })
    }
    for (const status of ['merged', 'archived', 'expired'])
      await call('listActivities', { input: { status } })
  },
  expiry: async ({ call, create, note, advance }) => {
    const id = await create({ branch: 'a', scope: { paths: ['src/a.ts'] } })
    await call('updateActivity', { id: await create({ branch: 'p' }), input: { status: 'paused' } })
    await note({
      scope: { paths: ['src/**'] },
      applies_until: new Date(service.clock.now.getTime() + 30 * HOUR_MS).toISOString(),
    })
    for (const hours of [20, 4 - 1e-6, 1e-6, 200]) {
      advance(Math.round(hours * HOUR_MS))
      await call('checkOverlap', { input: { branch: 'b', scope: { paths: ['src/a.ts'] } } })
      if (hours === 20) await call('heartbeatActivity', { id })
      await call('getActivity', { id })
      await call('listActivities', { input: { status: 'expired' } })
      await call('listNotables', { input: { status: 'expired' } })
    }
  },
  'lists, by filter and page': async ({ call, create }) => {
    for (const [n, actor] of ['Ada', 'Ben', 'Ada', 'ada', 'Ben'].entries())
      await create({
        actor,
        branch: n % 2 ? 'odd' : 'even',
        risk: n > 2 ? 'high' : 'low',
        ...(n > 1 && { pr_url: pull(n), draft_pr: n > 2 }),
      })
    for (const input of [
      { actor: 'Ada' },
      { branch: 'odd', risk: 'low' },
      { has_pr: true },
      { has_pr: false },
      { draft_pr_only: true },
      { status: 'active', limit: 5 },
    ])
      await call('listActivities', { input })
    let cursor: string | undefined
    do
      cursor =
        (await call('listActivities', { input: { limit: 2, ...(cursor && { cursor }) } })).next_cursor ??
        undefined
    while (cursor)
  },
  notables: async ({ call, note, advance }) => {
    const old = await note({ scope: { areas: ['Pay'], paths: ['db/**'] } })
    const id = await note({ supersedes: [old], category: 'migration', importance: 'low' })
    advance(1000)
    for (const given of [old, id, `ntb_${'0'.repeat(26)}`]) {
      await call('getNotable', { id: given })
      await call('updateNotable', { id: given, input: { title: 'Thawed', scope: { areas: ['Till'] } } })
      await call('updateNotable', { id: given, input: { expires_at: '2020-01-01T00:00:00Z' } })
    }
    const missing = { title: 'T', summary: 'S', supersedes: [`ntb_${'0'.repeat(26)}`] }
    await call('createNotable', { input: { ...missing, importance: 'low', category: 'warning' } })
    for (const input of [
      {},
      { status: 'archived' },
      { area: 'pay', status: 'archived' },
      { area: 'till', importance: 'low' },
      { category: 'warning' },
    ])
      await call('listNotables', { input })
    advance(1000)
    await call('updateNotable', { id, input: { title: 'Thawed' } })
    for (const _ of [1, 2]) await call('archiveNotable', { id })
    await call('updateNotable', { id, input: { title: 'Again' } })
  },
  issues: async ({ call, create, advance }) => {
    const first = await create({ issue: 7, branch: 'a', ttl_ms: HOUR_MS })
    const second = await create({ issue: 7, branch: 'b' })
    const third = await create({ branch: 'c' })
    await call('updateActivity', { id: third, input: { issue: 7 } })
    for (const number of [7, 8, 0]) await call('getIssue', { number })
    await call('checkOverlap', { input: { branch: 'b' } })
    advance(HOUR_MS)
    await call('getIssue', { number: 7 })
    await call('archiveActivity', { id: second })
    for (const id of [first, second, third]) await call('getActivity', { id })
  },
  numbers: async ({ call, create }) => {
    const [one, two] = [
      await create({ branch: 'a' }),
      await create({ branch: 'b', scope: { changes: [added('db/0007_x.sql')] } }),
    ]
    for (const id of [one, one, two, UNKNOWN])
      await call('reserveNumber', { id, input: { directory: './db/' } })
    await call('reserveNumber', { id: one, input: { directory: 'db/../x' } })
    await call('checkOverlap', {
      input: { branch: 'c', scope: { changes: [added('db/0007_y.sql'), added('db/0008_z.sql')] } },
    })
  },
  'overlaps and the merge order': async ({ call, create, note }) => {
    await note({ scope: { paths: ['src/**'] } })
    await create({
      branch: 'a',
      pr_url: pull(1),
      scope: { changes: [edit(9, 'a'), edit(30, 'a', 'src/b.ts')] },
    })
    await create({ branch: 'b', pr_url: pull(2), scope: { changes: [edit(9, 'b')] } })
    await create({ branch: 'c', pr_url: pull(3), scope: { changes: [edit(30, 'c', 'src/b.ts')] } })
    await create({ branch: 'd', base_branch: 'a', scope: { paths: ['src/*.ts'] } })
    await create({ branch: 'e', pr_url: pull(4), scope: { changes: [edit(9, 'e', 'docs/b.md')] } })
    await call('checkOverlap', { input: { branch: 'x', tags: ['pay'], scope: { changes: [edit(9, 'x')] } } })
    await call('listOverlaps')
    await call('getMergeOrder')
  },
  'errors, with their words': async ({ call, create }) => {
    const id = await create({ branch: 'a' })
    const fields = { title: 'T', summary: 'S', actor: 'A' }
    for (const input of [
      {},
      { ...fields, tittle: 1 },
      { ...fields, scope: { paths: ['/etc/x', 'a/**/[z'] } },
      { ...fields, ttl_ms: 1 },
      { ...fields, pr_url: 'x' },
    ])
      await call('createActivity', { input })
    for (const input of [{ statsu: 'paused' }, { status: 'expired' }])
      await call('updateActivity', { id, input })
    for (const input of [{ statu: 'active' }, { limit: 0 }, { cursor: 'x' }])
      await call('listActivities', { input })
    for (const method of ['getActivity', 'heartbeatActivity', 'archiveActivity'] as const)
      for (const each of [UNKNOWN, 'act_1']) await call(method, { id: each })
    await call('checkOverlap', { input: { brnch: 'a' } })
    await call('createNotable', { input: { ...fields, importance: 'low' } })
  },
}

test.each(Object.keys(SCRIPTS))('%s', async (name) => {
  const { remote, local } = await bothClients()
  const script = SCRIPTS[name] as (mode: Script) => Promise<unknown>
  const [expected, found] = [await transcript(remote, script), await transcript(local, script)]
  expect(comparable(found)).toEqual(comparable(expected))
})

const TEXT = FILE.map((line) => `${line}\n`)
const replaced = (line: number, ...lines: string[]) =>
  TEXT.toSpliced(line, 1, ...lines.map((each) => `${each}\n`)).join('')
type Files = Record<string, string | null>

async function verdictsOf(client: Client, input: RequestOf<'checkOverlap'>['input']) {
  const { severity, matches, same_file } = await client.checkOverlap({ ...at, input })
  const found = matches.map((match) => [
    match.severity,
    match.consequence,
    match.findings,
    'paths' in match && match.paths,
  ])
  return { severity, same_file: same_file.total, found }
}

test('changes in git have the verdicts that the service gives', async () => {
  const theirs: Files = {
    ...{ 'same-line.ts': replaced(9, 'one'), 'alike.ts': replaced(9, 'one'), 'removed.ts': null },
    ...{ 'renamed.ts': null, 'new-name.ts': replaced(30, 'renamed'), 'db/0002_a.sql': 'a\n' },
    ...{ 'logo.png': 'a\0b', 'package-lock.json': '{"a": 1}\n' },
  }
  const yours: Files = {
    ...{
      'same-line.ts': replaced(9, 'two'),
      'alike.ts': replaced(9, 'one'),
      'removed.ts': replaced(9, 'two'),
    },
    ...{ 'renamed.ts': replaced(9, 'two'), 'db/0002_b.sql': 'b\n' },
    ...{ 'logo.png': 'a\0c', 'package-lock.json': '{"a": 2}\n' },
  }
  const { remote, tree } = await bothClients()
  const whole = TEXT.join('')
  await tree.write({
    ...{ 'same-line.ts': whole, 'alike.ts': whole, 'removed.ts': whole, 'renamed.ts': whole },
    ...{ 'db/0001_x.sql': 'x\n', 'logo.png': '\0', 'package-lock.json': '{}\n' },
  })
  await tree.git('add', '-A')
  await tree.git('commit', '-qm', 'Base')
  await tree.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  const scopeOf = async (branch: string, files: Files) => {
    await tree.git('worktree', 'add', '-q', `../${branch}`, '-b', branch)
    const root = join(tree.path, '..', branch)
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true })
      await (text === null ? rm(join(root, name)) : writeFile(join(root, name), text))
    }
    await tree.git('-C', root, 'add', '-A')
    const how = { base: 'main', remote: 'origin', staged_only: false }
    const { changes = [], base_sha } = (await readChangedFiles(new Git(root, process.env), how)) ?? {}
    return { branch, base_branch: 'main', base_sha, scope: { changes } }
  }
  const [first, second] = [await scopeOf('theirs', theirs), await scopeOf('yours', yours)]
  await remote.createActivity({ ...at, input: { title: 'T', summary: 'S', actor: 'Ben', ...first } })
  const local = await localOf(join(tree.path, '../yours'), tree)
  const [expected, found] = await Promise.all([remote, local].map((client) => verdictsOf(client, second)))
  expect(found).toEqual(expected)
  expect(expected?.found).toHaveLength(1)
})
