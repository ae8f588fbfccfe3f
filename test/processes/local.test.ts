/** The command in a real clone without a service: each state of a clone, hostile records, and, built, a disk and a clock that fail. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { useTree } from '../support/shop.ts'
import type { Ran, RunOptions } from '../support/working-tree.ts'

const PRELOAD = fileURLToPath(new URL('../support/hostile-process.cjs', import.meta.url))
const LINES = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`)
const edited = (line: number, text: string) => `${LINES.with(line - 1, text).join('\n')}\n`
const FILE = 'src/cart.ts'

const tree = useTree({ NODE_OPTIONS: `--require ${PRELOAD}`, DECONFLICT_HOOK_TIMEOUT_MS: '50000' })
beforeEach(() => tree.commitUpstream('Carts', { [FILE]: `${LINES.join('\n')}\n` }))

/** Other working trees, each on a branch of its name. One by one: git may read what another `worktree add` is writing. */
async function add(...names: string[]): Promise<string[]> {
  for (const name of names) await tree.git('worktree', 'add', '-q', `../${name}`, '-b', name)
  return names.map((name) => join(tree.path, '..', name))
}
const run = (args: string[], cwd = tree.path, more: RunOptions = {}): Promise<Ran> =>
  tree.run(args, { ...more, cwd })
/** In a process of its own, which `PRELOAD` surrounds. */
const runBuilt = (args: string[], cwd = tree.path, more: RunOptions = {}): Promise<Ran> =>
  tree.runProcess(args, { ...more, cwd })
const json = async (args: string[], cwd?: string) => JSON.parse((await run([...args, '--json'], cwd)).stdout)
const hook = (event: string, cwd: string, about: object = {}, { env = {}, by = run } = {}) =>
  by(['hook', event, '--agent', 'codex'], cwd, {
    env,
    input: JSON.stringify({ session_id: 's1', cwd, ...about }),
  })
const records = (...names: string[]) => join(tree.path, '.git/deconflict/work', ...names)
/** Declares work, and returns its id. */
const start = async (title: string, ...more: string[]): Promise<string> =>
  (await json(['start', title, '--paths', FILE, ...more])).activity.id

test('an agent reads an uncommitted edit of another one before it edits the same line, with five working trees', async () => {
  const [a = '', b = ''] = await add('a', 'b', 'c', 'd', 'e')
  await writeFile(join(a, FILE), edited(20, 'of a'))
  const edit = { tool_name: 'apply_patch', tool_input: { file_path: join(b, FILE) } }
  const trace = join(tree.path, '../trace')
  const { code, stdout, stderr } = await hook('before-edit', b, edit, {
    env: { GIT_TRACE: trace },
    by: runBuilt,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  // It declares and compares, and reads the clone once.
  expect((await readFile(trace, 'utf8')).match(/built-in: git worktree list/g)).toHaveLength(1)
  expect(stdout).toMatch(/your other session, in \.\.\/a on “a”: src\/cart\.ts, line 20/)
  await writeFile(join(b, FILE), edited(20, 'of b'))
  const [match] = (await json(['check'], join(b, 'src'))).matches
  expect(match).toMatchObject({ worktree: '../a', consequence: 'conflict', findings: [{ kind: 'lines' }] })
  // What was said a moment ago holds no longer.
  await writeFile(join(a, FILE), edited(1, 'of a'))
  expect(await json(['check'], b)).toMatchObject({ matches: [], same_file: { total: 1 } })
})

test('the calls of git do not grow with the commits of other branches, nor with the branches that are gone', async () => {
  const names = ['a', 'b', 'c']
  const trees = await add(...names)
  await tree.commitUpstream('Merged (#7)', { [FILE]: edited(1, 'merged already') })
  const commitEach = async (text: string) => {
    await tree.git('checkout', '-q', '-b', text)
    await run(['start', text, '--paths', 'docs'])
    await tree.git('checkout', '-q', 'main')
    await tree.git('branch', '-q', '-D', text)
    for (const cwd of trees) {
      await writeFile(join(cwd, FILE), edited(20, text))
      await writeFile(join(cwd, 'README.md'), text)
      await tree.git('-C', cwd, 'commit', '-qam', text)
    }
  }
  const callsOfCheck = async (trace: string) => {
    await rm(join(tree.path, '.git/deconflict/cache'), { recursive: true, force: true })
    const env = { GIT_TRACE: join(tree.path, '..', trace) }
    const { stdout } = await run(['check', '--paths', FILE, '--json'], undefined, { env })
    expect(JSON.parse(stdout).matches.length + JSON.parse(stdout).same_file.total).toBe(names.length)
    return (await readFile(env.GIT_TRACE, 'utf8')).match(/built-in: git /g)?.length
  }
  await commitEach('one')
  const calls = await callsOfCheck('one')
  for (const text of ['two', 'three', 'four']) await commitEach(text)
  expect(await callsOfCheck('four')).toBe(calls)
})

test('while a service is away, hooks compare within the clone, and say so', async () => {
  const [a = '', b = ''] = await add('a', 'b')
  await writeFile(join(a, FILE), edited(20, 'of a'))
  await writeFile(join(b, FILE), edited(20, 'of b'))
  const away = { DECONFLICT_URL: 'http://127.0.0.1:9', GITHUB_TOKEN: 'tok-ada' }
  const first = await hook('prompt', b, { prompt: 'go' }, { env: away })
  expect(first).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('cannot be reached') })
  const { stdout } = await hook('prompt', b, { prompt: 'go on' }, { env: away })
  expect(stdout).toMatch(/conflict with your other session, in \.\.\/a .*the same lines as yours/)
  expect(stdout).toContain('The service did not answer; this is compared within this clone only.')
  expect((await hook('prompt', b, { prompt: 'and on' }, { env: away })).stdout).toBe('')
  await expect(readdir(records())).rejects.toThrow('ENOENT')
})

describe('a state of the clone', () => {
  const CLEAR = [0, /^Clear: no overlap/] as const
  const COLLIDES = [2, /“Work in other on other” changes line 20 of src\/cart\.ts too/] as const
  /** Prepares the clone, and returns the directory in which `check` is run. */
  const STATES: Record<string, [() => Promise<string>, code: number, output: RegExp]> = {
    'no git': [async () => join(tree.path, '..'), 1, /^deconflict: not a git repository; change to one\n$/],
    'no git on the PATH': [async () => tree.path, 1, /^deconflict: git is not on the PATH; install it\n$/],
    'a bare repository': [
      async () => {
        const bare = await clone('--bare')
        await mkdir(join(bare, '../trees'))
        await writeFile(join(bare, '../trees/.git'), `gitdir: ${bare}`)
        return join(bare, '../trees')
      },
      1,
      /^deconflict: a bare .* its working trees\n$/,
    ],
    'no commits': [
      async () => {
        await tree.git('init', '-q', '../empty')
        await writeFile(join(tree.path, '../empty/a'), '')
        return join(tree.path, '../empty')
      },
      ...CLEAR,
    ],
    'an unborn branch': [
      () => editing('checkout', '-q', '--orphan', 'unborn'),
      2,
      /changes src\/cart\.ts too, and the changes conflict/,
    ],
    'a detached HEAD': [() => editing('checkout', '-q', '--detach'), ...COLLIDES],
    'a working tree that was deleted': [
      async () => {
        const directory = await editing('checkout', '-q', '-b', 'mine')
        await rm(join(tree.path, '../other'), { recursive: true })
        return directory
      },
      ...CLEAR,
    ],
    'a submodule': [
      async () => {
        const sub = await clone('--bare')
        await tree.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', sub, 'sub')
        await writeFile(join(tree.path, 'sub', FILE), edited(20, 'mine'))
        await tree.git('-C', 'sub', 'worktree', 'add', '-q', '../../other', '-b', 'other')
        await writeFile(join(tree.path, '../other', FILE), edited(20, 'theirs'))
        return join(tree.path, 'sub')
      },
      ...COLLIDES,
    ],
    'a sparse and partial clone': [
      async () => {
        await tree.git('config', 'uploadpack.allowFilter', 'true')
        const path = await clone('--filter=blob:none', '--sparse')
        await tree.git('-C', path, 'worktree', 'add', '-q', '../other', '-b', 'other')
        await mkdir(join(tree.path, '../other/src'), { recursive: true })
        await tree.git('-C', '../other', 'sparse-checkout', 'disable')
        await writeFile(join(tree.path, '../other', FILE), edited(20, 'theirs'))
        await tree.git('-C', path, 'sparse-checkout', 'add', 'src')
        await writeFile(join(path, FILE), edited(20, 'mine'))
        return path
      },
      ...COLLIDES,
    ],
  }
  async function clone(...flags: string[]): Promise<string> {
    await tree.git('clone', '-q', ...flags, `file://${tree.path}`, '../copy')
    return join(tree.path, '../copy')
  }
  /** Edits the same line here, after this command of git, and in another working tree. */
  async function editing(...args: string[]): Promise<string> {
    const [other = ''] = await add('other')
    await tree.git(...args)
    for (const path of [tree.path, other]) await writeFile(join(path, FILE), edited(20, path))
    return tree.path
  }

  test.each(Object.keys(STATES))('with %s has an answer or a clear line', async (name) => {
    const [prepare, code, output] = STATES[name] as (typeof STATES)[string]
    const directory = await prepare()
    const env = name === 'no git on the PATH' ? { PATH: '/nonexistent' } : {}
    const ran = await run(['check'], directory, { env })
    const text = ran.stdout + ran.stderr
    expect({ ...ran, text }).toMatchObject({ code, text: expect.stringMatching(output) })
    const stdout = expect.stringMatching(code === 2 ? /- conflict with your other/ : /^$/)
    const heard = { code: 0, stdout, stderr: code === 1 ? expect.any(String) : '' }
    expect(await hook('prompt', directory, { prompt: FILE }, { env })).toMatchObject(heard)
  })
})

test('on a full disk, what was declared is kept and compared, and a change says why it fails', async () => {
  const [other = ''] = await add('other')
  const id = await start('Retry payments', '--branch', 'retries')
  const env = { DISK_ERROR: 'ENOSPC' }
  const failing = (...args: string[]) => runBuilt(args, other, { env })
  const shown = await failing('check', '--paths', FILE)
  expect(shown).toMatchObject({ code: 2, stderr: '', stdout: expect.stringContaining('“Retry payments”') })
  expect((await failing('list')).stdout).toContain(id)
  const why = `deconflict: the records of this clone cannot be written: ENOSPC: `
  for (const args of [
    ['start', 'More', '--paths', FILE],
    ['note', 'Frozen'],
    ['done', id],
    ['number', 'db', '--activity', id],
  ])
    expect(await failing(...args), args.join(' ')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^${why}\\w+\n$`)),
    })
  for (const event of ['session-start', 'prompt', 'session-end'])
    expect((await hook(event, other, { prompt: FILE }, { env, by: runBuilt })).code).toBe(0)
  await rm(join(tree.path, '.git/deconflict/key'))
  expect((await failing('check', '--paths', FILE)).code).toBe(2)
  expect((await json(['list'])).items).toMatchObject([{ id, status: 'active' }])
})

describe('the key of the lines', () => {
  const key = () => join(tree.path, '.git/deconflict/key')

  test.each([
    ['deleted', () => rm(key())],
    ['damaged', () => writeFile(key(), '')],
  ])('may be %s: diffs are made again, and lines that were declared count as not known', async (_, lose) => {
    const [declaring = '', other = ''] = await add('declaring', 'other')
    await writeFile(join(declaring, FILE), edited(20, 'declared'))
    await run(['start', 'Retry payments', '--branch', 'retries'], declaring)
    await writeFile(join(declaring, FILE), edited(1, 'of the tree'))
    await writeFile(join(other, FILE), edited(1, 'one').replace('line 20', 'twenty'))
    const consequences = async () =>
      (await json(['check'], other)).matches.map((match: { consequence: string }) => match.consequence)
    expect(await consequences()).toEqual(['conflict', 'conflict'])
    await lose()
    expect(await consequences()).toEqual(['conflict', 'possible'])
  })
})

describe('a record', () => {
  const NAME = `act_${'0'.repeat(26)}`
  test.each([
    ['is half written', '{"kind":"declared","activity":{"id":'],
    ['is no object', 'null'],
    ['has no dates', `{"activity":{"id":"${NAME}","title":"","scope":{"areas":[],"paths":[]}},"files":[]}`],
  ])('that %s is skipped, named and kept', async (_, text) => {
    const id = await start('Retry payments', '--branch', 'retries')
    await writeFile(records(`${NAME}.json`), text)
    await mkdir(records('a-directory'))
    const { sources, matches } = await json(['check', '--paths', FILE, '--branch', 'other'])
    expect(sources).toContain(`${NAME}.json: cannot be read`)
    expect(matches).toMatchObject([{ id }])
    await start('More', '--branch', 'more')
    expect(await readFile(records(`${NAME}.json`), 'utf8')).toBe(text)
  })

  test('of a newer version keeps the fields that this one does not know, and one of an older version lacks some', async () => {
    const id = await start('Retry payments')
    const stored = JSON.parse(await readFile(records(`${id}.json`), 'utf8'))
    const { blocking: _, closes: __, ...activity } = stored.activity
    const newer = { ...stored, lease: { by: 'x' }, activity: { ...activity, mood: 'calm' } }
    await writeFile(records(`${id}.json`), JSON.stringify(newer))
    for (const args of [['heartbeat'], ['update', '--risk', 'high'], ['number', 'db']])
      expect(await run(args), args.join(' ')).toMatchObject({ code: 0, stderr: '' })
    const after = JSON.parse(await readFile(records(`${id}.json`), 'utf8'))
    expect(after).toMatchObject({
      lease: { by: 'x' },
      activity: { mood: 'calm', risk: 'high', blocking: false },
    })
  })

  test('outlives a clock that jumps, and its place on an issue does too', async () => {
    const DAY_MS = 86_400_000
    const runAt = (ms: number, ...args: string[]) =>
      runBuilt(args, tree.path, { env: { CLOCK_MS: String(ms) } })
    const first = await runAt(DAY_MS / 2, 'start', 'First', '--paths', FILE, '--issue', '7', '--json')
    const { id } = JSON.parse(first.stdout).activity
    await runAt(-DAY_MS / 2, 'start', 'Second', '--paths', FILE, '--branch', 'second', '--issue', '7')
    for (const ms of [0, DAY_MS / 2, -DAY_MS / 2]) {
      await runAt(ms, 'heartbeat')
      const { issue, status } = JSON.parse((await runAt(ms, 'show', id, '--json')).stdout)
      expect({ issue, status }, String(ms)).toMatchObject({ issue: { claimed: true }, status: 'active' })
    }
  })
})

test('hostile names and texts are shown in one line each, and run nothing', async () => {
  const [other = ''] = await add('other')
  const names =
    'new\nline.ts|quo"te\'.ts|$(touch pwned).ts|`touch pwned`.ts|ünï-日本.ts|-rf.ts|:(top)x.ts|[a]*.ts'.split(
      '|',
    )
  for (const path of [tree.path, other]) for (const name of names) await writeFile(join(path, name), path)
  const { matches } = await json(['check'], other)
  expect(matches[0].paths.map(({ example }: { example: string }) => example).toSorted()).toEqual(
    names.toSorted(),
  )
  await tree.git('checkout', '-q', '-b', 'loud')
  await tree.git('add', '-A')
  await tree.git(
    '-c',
    'user.name=\u001b]0;evil\u0007Eve',
    'commit',
    '-qm',
    'Ring \u001b[2J\u001b]8;;http://evil\u0007\u202e \u0007bells',
  )
  await tree.git('checkout', '-q', 'main')
  for (const args of [['check'], ['list'], ['order']]) {
    const { stdout, stderr } = await run(args, other)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may reach a terminal
    expect(stdout + stderr, args[0]).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    if (args[0] !== 'order') expect(stdout).toContain('Ring')
  }
  expect(await readdir(other)).not.toContain('pwned')
})
