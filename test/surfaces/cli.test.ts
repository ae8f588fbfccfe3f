/** The command `deconflict` in a real git repository, with the service and a fake GitHub. */
import { execFileSync } from 'node:child_process'
import { lstat, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import displayWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { editOf, PAY_LINES } from '../support/lines.ts'
import { useShop } from '../support/shop.ts'
import type { WorkingTree } from '../support/working-tree.ts'

const ACTIVITY = /act_[0-9a-z]{26}/

const { shop, tree, startAsBen } = useShop({ branch: 'main' })

const json = async (args: string[], options?: Parameters<WorkingTree['run']>[1]) => {
  const { stdout, stderr } = await tree.run([...args, '--json'], options)
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

test('the commands lead from a check to the end of an activity, with exit codes for scripts', async () => {
  await tree.git('checkout', '-q', '-b', 'payment-retries')
  await tree.write({ 'src/checkout/retry.ts': 'export const retries = 2\n' })
  const clear = await tree.run(['check'])
  expect(clear).toMatchObject({ code: 0, stderr: '' })
  expect(clear.stdout).toMatch(/^Clear: no overlap \(compared with 0 live activities/)

  const started = await tree.run(['start', 'Retry declined payments'])
  expect(started.code).toBe(0)
  const id = ACTIVITY.exec(started.stdout)?.[0] as string
  expect(await shop.read(id)).toMatchObject({
    title: 'Retry declined payments',
    actor: 'Ada',
    branch: 'payment-retries',
    base_branch: 'main',
    base_sha: await tree.git('rev-parse', 'main'),
    scope: {
      paths: [],
      changes: [
        {
          path: 'src/checkout/retry.ts',
          status: 'modified',
          blob_sha: await tree.git('hash-object', 'src/checkout/retry.ts'),
        },
      ],
    },
  })

  const other = await startAsBen()
  const overlap = await tree.run(['check'])
  expect(overlap).toMatchObject({ code: 2, stdout: expect.stringMatching(/Overlap, medium/) })
  expect(overlap.stdout).toContain(`  possible overlap, medium  “Tidy” by “Ben” on “tidy”\n    ${other}\n`)
  expect(overlap.stdout).toMatch(
    /works on src\/checkout\/retry\.ts too \(yours: .*theirs:\s+src\/\*\*\/retry\.ts\)\n→ Before you edit there, talk to ben/s,
  )

  expect((await tree.run(['show', id])).stdout).toMatch(/^overlap +medium: “Tidy” by “Ben”/m)
  const named =
    /^Overlap, medium\n {2}possible overlap, medium {2}“Tidy” by “Ben” on “tidy”\n {4}src\/checkout\/retry\.ts\n/m
  const beat = await tree.run(['heartbeat'])
  expect(beat).toMatchObject({ code: 2, stdout: expect.stringMatching(named) })
  expect(beat.stdout).not.toContain(other)
  await tree.write({ 'docs/new.md': '' })
  const updated = await tree.run(['update', '--refresh', '--risk', 'high', '--status', 'blocked'])
  expect(updated).toMatchObject({ code: 2, stdout: expect.stringMatching(named) })
  const moved = await tree.run(['update', '--paths', 'docs/**'])
  expect(moved).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nNo overlap was found; .*\n$/) })
  await tree.run(['update', '--refresh'])
  expect(await json(['show', id])).toMatchObject({
    risk: 'high',
    status: 'blocked',
    scope: { paths: [], changes: [{ path: 'src/checkout/retry.ts' }, { path: 'docs/new.md' }] },
  })
  expect(await tree.run(['done'])).toMatchObject({ code: 0, stdout: `Done: ${id} is archived\n` })
  expect((await json(['list'])).items.map((each: { id: string }) => each.id)).toEqual([other])
})

test('note creates a notable, which check then shows', async () => {
  const options = ['--category', 'migration', '--importance', 'high', '--paths', 'db/migrations/**']
  const noted = await tree.run(['note', 'Migrations are frozen', ...options])
  const id = /ntb_\w+/.exec(noted.stdout)?.[0] as string
  expect(await json(['show', id])).toMatchObject({ title: 'Migrations are frozen', status: 'active' })
  expect((await tree.run(['notes'])).stdout).toMatch(
    /^Migrations are frozen {2}high {2}migration {2}expires in 7 d\n {2}ntb_\w+ {2}db\/migrations\/\*\*\n/,
  )
  const check = await tree.run(['check', '--paths', 'db/migrations/7.sql'])
  expect(check.code).toBe(2)
  expect(check.stdout).toContain(
    `notable, high  “Migrations are frozen”\n    ${id}\n    applies to db/migrations/7.sql\n`,
  )
  for (const command of [`note --end ${id}`, `done ${id}`])
    expect((await tree.run(command.split(' '))).stdout).toBe(`Done: ${id} is archived\n`)
  expect((await tree.run(['notes'])).stdout).toBe('No notables.\n')
})

const LONG = {
  title: `Erstattungen über 日本語のタイトル 👩‍💻 ${'sehr '.repeat(30)}`.trim(),
  actor: `Grace Brewster Murray Hopper ${'von '.repeat(15)}`.trim(),
  agent: 'an-agent-with-a-long-name',
  branch: `feature/${'payments-'.repeat(20)}end`,
  ...{ risk: 'critical', blocking: true },
  scope: { areas: ['支払い'.repeat(20)], paths: [`src/${'deep/'.repeat(40)}file.ts`, 'src/**/retry.ts'] },
}

test('check, start, update and heartbeat wrap their lines at the width of the terminal', async () => {
  await startAsBen(LONG)
  await tree.git('checkout', '-q', '-b', 'a-branch-of-ordinary-length')
  const paths = ['--paths', `src/${'deep/'.repeat(40)}*.ts`]
  for (const args of [
    ['check', ...paths],
    ['start', LONG.title, ...paths],
    ['update', '--risk', 'high'],
    ['heartbeat'],
  ]) {
    const { code, stdout } = await tree.run(args, { env: { COLUMNS: '80' } })
    expect(code).toBe(2)
    expect(
      stdout.split('\n').filter((line) => displayWidth(line) > 80),
      args.join(' '),
    ).toEqual([])
    // Nothing is cut off.
    expect(stdout.replaceAll(/\n +/g, '')).toContain(`src/${'deep/'.repeat(40)}file.ts`)
  }
})

describe('list', () => {
  test('name the other side and the lines of each collision, those of the listed activity first', async () => {
    const editAt = (at: number, removed: number) => ({
      changes: [{ path: 'src/a.ts', patch: editOf(PAY_LINES, at, removed, ['changed()']) }],
    })
    const mine = await startAsBen({ title: 'Mine', branch: 'mine', scope: editAt(20, 3) })
    await startAsBen({ title: 'Theirs', branch: 'theirs', scope: editAt(21, 1) })
    const risky = { risk: 'high', blocking: true }
    await startAsBen({ title: 'Label', branch: 'label', ...risky, scope: { areas: ['pay'] } })
    await startAsBen({ title: 'Same label', branch: 'same', scope: { areas: ['Pay'] } })
    const listed = async (branch: string) => (await tree.run(['list', '--branch', branch])).stdout
    expect(await listed('mine')).toMatch(new RegExp(`^Mine .*\n {2}${mine} `))
    expect(await listed('mine')).toMatch(
      / {2}conflict, high {2}Theirs {2}by Ben {2}src\/a\.ts, same lines \(20–22 and 21\)\n$/,
    )
    expect(await listed('theirs')).toMatch(/Mine {2}by Ben {2}src\/a\.ts, same lines \(21 and 20–22\)\n$/)
    expect(await listed('label')).toMatch(/high risk, blocking .*\n.* Same label {2}by Ben {2}area pay\n$/i)
    expect(await json(['list', '--branch', 'mine'])).toMatchObject({ items: [{ id: mine }] })
  })

  test('show live activities; --all includes finished, archived and expired ones', async () => {
    const ids = []
    for (const [index, status] of (['active', 'merged', 'abandoned', 'archived'] as const).entries()) {
      const id = await startAsBen({ title: `Work ${status}`, branch: `over-${index}` })
      if (status !== 'active') await shop.patch(id, { status })
      ids.push(id)
    }
    const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id)
    expect(idsOf(await json(['list']))).toEqual(ids.slice(0, 1))
    expect(idsOf(await json(['list', '--status', 'merged']))).toEqual([ids[1]])
    const walked: string[] = []
    let next: string[] = []
    do {
      const page = await json(['list', '--all', '--limit', '1', ...next])
      expect(page.items).toHaveLength(1)
      walked.push(...idsOf(page))
      next = page.next_cursor ? ['--cursor', page.next_cursor] : []
    } while (next.length > 0)
    expect(walked).toEqual(ids.toReversed())
    const { stdout } = await tree.run(['list', '--all'])
    for (const status of ['active', 'merged', 'abandoned', 'archived'])
      expect(stdout).toMatch(new RegExp(`^Work ${status} .* ${status} `, 'm'))
  })
})

const urlOf = (number: number) => `${shop.github.url}/acme/shop/pull/${number}`
const change = (path: string, text: string) => ({ path, patch: editOf(PAY_LINES, 20, 1, [text]) })
const openAsBen = (number: number, paths: string[], fields: object = {}) =>
  startAsBen({
    title: `Work ${number}`,
    branch: `b${number}`,
    pr_url: urlOf(number),
    scope: { changes: paths.map((path) => change(path, `text${number}()`)) },
    ...fields,
  })

test('order lists conflicting pull requests with their position, and those that are clear', async () => {
  expect((await tree.run(['order'])).stdout).toBe('No open pull requests conflict with each other.\n')
  const wide = await openAsBen(12, ['a.ts', 'b.ts'], { title: 'Tidy the retries' })
  const first = await openAsBen(15, ['a.ts'])
  await openAsBen(9, ['b.ts'], { actor: 'Eve' })
  const clear = [await openAsBen(3, ['c.ts']), await openAsBen(4, ['d.ts'])].reverse()
  expect(await tree.run(['order'])).toEqual({
    code: 0,
    stdout: [
      '1.  #15  Ben  Work 15           1 conflict: #12; 2 changed lines',
      '2.  #9   Eve  Work 9            1 conflict: #12; 2 changed lines',
      '3.  #12  Ben  Tidy the retries  2 conflicts: #15 and #9',
      'Clear: #4, #3',
      '',
    ].join('\n'),
    stderr: '',
  })
  const answer = await json(['order'])
  expect(answer).toMatchObject({
    items: [{ activity_id: first, pr_url: urlOf(15), conflicts_with: [wide] }, {}, {}],
    clear,
  })
  expect(answer).toEqual((await shop.api('GET', '/merge-order')).body)
})

describe('the scope from git', () => {
  test('without unstaged changes is checked before a push, with exit code 0, even if ssh hangs', async () => {
    await startAsBen({ scope: { paths: ['src/**'] } })
    await tree.git('checkout', '-q', '-b', 'work')
    await tree.write({ 'src/checkout/retry.ts': 'changed' })
    expect((await json(['check', '--staged'])).overlap_detected).toBe(false)
    await tree.git('add', '-A')
    await tree.git('remote', 'set-url', 'origin', 'work:acme/shop.git')
    const bin = join(tree.path, '../bin')
    await mkdir(bin)
    await writeFile(join(bin, 'ssh'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 })
    await writeFile(join(bin, 'gh'), '#!/bin/sh\necho tok-ada\n', { mode: 0o755 })
    const hanging = { env: { GITHUB_TOKEN: undefined, PATH: `${bin}:${process.env.PATH}` } }
    const ran = await tree.run(['check', '--staged'], hanging)
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Overlap') })
    expect((await tree.run(['check', '--staged', '--block'], hanging)).code).toBe(2)
    // What cannot be checked at all fails with --block only.
    const env = { GITHUB_TOKEN: 'nobody' }
    const unchecked = await tree.run(['check', '--staged', '--json'], { env })
    expect(unchecked).toMatchObject({ code: 0, stderr: expect.stringMatching(/^deconflict: not checked: /m) })
    expect(JSON.parse(unchecked.stdout)).toMatchObject({ error: { type: 'unauthorized' } })
    expect((await tree.run(['check', '--staged', '--block'], { env })).code).toBe(1)
  })

  test('is that of the linked working tree, also in a directory below its root', async () => {
    const other = `${tree.path}-other`
    await tree.git('worktree', 'add', '-q', '-b', 'second', other)
    await mkdir(join(other, 'src/deep'), { recursive: true })
    await writeFile(join(other, 'src/deep/new.ts'), '')
    await writeFile(join(other, 'top.ts'), '')
    const started = JSON.parse((await tree.run(['start', '--json'], { cwd: join(other, 'src/deep') })).stdout)
    expect(started.activity).toMatchObject({
      title: 'Second',
      branch: 'second',
      scope: { paths: [], changes: [{ path: 'src/deep/new.ts' }, { path: 'top.ts' }] },
    })
    // The main working tree has no state of it.
    expect((await tree.run(['heartbeat'])).stderr).toMatch(/main has no activity/)
    expect((await tree.run(['heartbeat'], { cwd: other })).code).toBe(0)
  })

  test('has no branch on a detached HEAD, and can be checked', async () => {
    await startAsBen({ scope: { paths: ['README.md'] } })
    await tree.git('checkout', '-q', '--detach')
    await tree.write({ 'README.md': 'changed' })
    expect((await tree.run(['check'])).code).toBe(2)
    expect((await tree.run(['start'])).stderr).toMatch(/no branch to take the title from/)
    expect((await json(['start', 'Fix', '--paths', 'x'])).activity.branch).toBeNull()
    expect((await tree.run(['done'])).stdout).toMatch(/^Done: /)
    expect((await tree.run(['done'])).stderr).toMatch(/no branch is checked out; pass the id/)
  })

  test('is sent without a branch on the base branch, so that work to be merged there can collide', async () => {
    const other = await startAsBen()
    await tree.write({ 'src/checkout/retry.ts': 'changed' })
    expect(await tree.run(['check'])).toMatchObject({ code: 2, stdout: expect.stringContaining(other) })
    const { activity, overlap } = await json(['start', 'On the trunk'])
    expect(activity.branch).toBeNull()
    expect(overlap.related_activity_ids).toEqual([other])
    // The activity just created is Ada's own.
    expect(await json(['check'])).toMatchObject({ related_activity_ids: [other], total_related: 1 })
    await shop.archive(other)
    expect((await tree.run(['check'])).code).toBe(0)
    expect((await tree.run(['done'])).stdout).toBe(`Done: ${activity.id} is archived\n`)
  })

  test('limits list --mine on the base branch to activities created in this working tree', async () => {
    await startAsBen({ branch: 'main' })
    expect(await json(['list', '--mine'])).toEqual({ items: [], next_cursor: null })
    const { activity } = await json(['start', 'On the trunk', '--paths', 'docs/**'])
    await startAsBen({ branch: null })
    expect(await json(['list', '--mine'])).toMatchObject({ items: [{ id: activity.id }], next_cursor: null })
    expect((await tree.run(['list', '--mine', '--risk', 'high'])).stdout).toBe(
      'No live activity matches; use --all to include finished, archived and expired ones.\n',
    )
  })

  test('is not reported as clear if there was nothing to compare', async () => {
    await tree.git('checkout', '-q', '-b', 'fresh')
    await startAsBen({ scope: { paths: ['src/**'] } })
    const stdout =
      'No files were compared: nothing differs from main yet. Use --paths to name the files that you intend\nto change.\n'
    expect(await tree.run(['check'])).toMatchObject({ code: 0, stdout })
    const started = await tree.run(['start'])
    expect(started.code).toBe(0)
    expect(started.stdout).toMatch(
      /^Started “Fresh” on fresh\n {2}act_\w+ {2}expires in 1 d without a heartbeat\nNo files were compared: nothing differs from main yet\. Name them with deconflict update --paths\nFILE…, or run deconflict update --refresh after your first edits\.\n$/,
    )
    const compared = expect.stringMatching(/\nNo files were compared/)
    expect(await tree.run(['update', '--risk', 'medium'])).toMatchObject({ code: 0, stdout: compared })
    await tree.write({ 'src/checkout/retry.ts': 'changed' })
    const ran = await tree.run(['update', '--refresh'])
    expect(ran.code).toBe(2)
    expect(ran.stdout).toMatch(
      /^Updated “Fresh”: active, medium risk, 1 changed file \(act_\w+\)\nOverlap, medium\n.*“Tidy” by “Ben”/,
    )
  })

  test('without changes is that of the branch’s activities, and check shows that', async () => {
    await tree.git('checkout', '-q', '-b', 'declared')
    const { activity } = await json(['start', '--paths', 'src/checkout/retry.ts'])
    await startAsBen({ scope: { paths: ['src/**'] } })
    const { code, stdout } = await tree.run(['check'])
    expect(code).toBe(2)
    expect(stdout).toMatch(
      /^Compared the declared files of declared, because nothing differs from main yet\.\nOverlap, medium/,
    )
    expect(activity.title).toBe('Declared')
  })

  test('is that of the activity which start continues, under another title if it names one', async () => {
    await tree.git('checkout', '-q', '-b', 'twice')
    const { activity } = await json(['start', 'First', '--paths', 'src/checkout/retry.ts'])
    const other = await startAsBen({ branch: 'twice', scope: { paths: ['docs/**'] } })
    const again = await tree.run(['start', 'Again'])
    expect(again.stdout).toContain('Continued “Again” on twice')
    expect(again.stdout).toContain(`Already active on this branch: ${other}.`)
    const shown = await json(['start', '--json'])
    expect(shown.activity).toMatchObject({ id: activity.id, title: 'Again', summary: 'Again' })
    expect(shown.activity.scope.paths).toEqual(['src/checkout/retry.ts'])
    await tree.run(['done'])
    expect((await json(['start', 'New'])).activity.id).not.toBe(activity.id)
  })
})

describe('the repository', () => {
  // Threat: Work in another forge's repository declared for the repository of that name on GitHub
  test('is not taken from a remote on another host', async () => {
    const refusalOf = (host: string) =>
      `deconflict: the remote origin is on ${host}, but ${shop.url} serves repositories on 127.0.0.1 or github.com; use --repo OWNER/NAME or DECONFLICT_REPO to name one of those\n`
    await tree.git('remote', 'set-url', 'origin', 'https://github.com.evil.test/acme/shop.git')
    const stderrOfEvil = refusalOf('github.com.evil.test')
    expect(await tree.run(['list'])).toEqual({ code: 1, stdout: '', stderr: stderrOfEvil })
    await tree.git('remote', 'set-url', 'origin', 'git@gitlab.com:acme/shop.git')
    const stderr = refusalOf('gitlab.com')
    for (const args of [['check', '--paths', 'x'], ['start', 'x'], ['list'], ['mcp'], ['login', shop.url]])
      expect(await tree.run(args)).toEqual({ code: 1, stdout: '', stderr })
    const hook = await tree.run(['hook', 'session-start', '--agent', 'codex'])
    expect(hook).toEqual({ code: 0, stdout: '', stderr })
    expect((await json(['list', '--repo', 'acme/shop'])).items).toEqual([])
    expect((await tree.run(['list'], { env: { DECONFLICT_REPO: 'acme/shop' } })).code).toBe(0)
  })

  describe('of a remote with an SSH alias', () => {
    const withSsh = async (answer: string) => {
      await tree.git('remote', 'set-url', 'origin', 'work:acme/shop.git')
      const bin = join(tree.path, '../bin')
      await mkdir(bin)
      const ssh = `#!/bin/sh\n[ "$*" = "-G -- work" ] || exit 1\n${answer}\n`
      await writeFile(join(bin, 'ssh'), ssh, { mode: 0o755 })
      return { env: { PATH: `${bin}:${process.env.PATH}` } }
    }

    const assumed =
      'ssh cannot resolve the host alias work; assuming that origin is on 127.0.0.1 or github.com'
    test.each([
      ['is accepted', 'echo "user git"; echo "hostname github.com"; echo "port 443"', 0, ''],
      ['is accepted', 'echo "hostname ssh.github.com"', 0, ''],
      ['is rejected', 'echo "hostname gitlab.com"', 1, 'the remote origin is on gitlab.com, but'],
      ['is accepted with a warning', 'echo "hostname work"', 0, assumed],
      ['is accepted with a warning', 'exit 1', 0, assumed],
    ])('%s if ssh answers with %s', async (_, answer, code, message) => {
      const ran = await tree.run(['list'], await withSsh(answer))
      expect(ran).toMatchObject({ code: code, stderr: expect.stringContaining(message) })
      expect(ran.stderr === '').toBe(message === '')
    })

    test('gets its token from gh for the resolved host', async () => {
      const { env } = await withSsh('echo "hostname github.com"')
      const gh = '#!/bin/sh\n[ "$*" = "auth token --hostname github.com" ] && echo tok-ada\n'
      await writeFile(join(tree.path, '../bin/gh'), gh, { mode: 0o755 })
      expect((await tree.run(['list'], { env: { ...env, GITHUB_TOKEN: undefined } })).code).toBe(0)
    })
  })

  test('is only the clone if there is no remote, and the answer says so', async () => {
    await tree.git('remote', 'remove', 'origin')
    const { code, stdout } = await tree.run(['check', '--paths', 'a.ts', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).sources).toContainEqual(expect.stringMatching(/no remote on GitHub; .*--repo/))
    expect((await tree.run(['order'])).stdout).toContain('pull requests: there is no remote')
    expect((await tree.run(['list', '--repo', 'acme/shop'])).code).toBe(0)
    const outside = await tree.run(['list'], { cwd: '/' })
    expect(outside.stderr).toMatch(/not a git repository/)
  })

  // `test/processes/local.test.ts` has the other reasons.
  test('is not found where git refuses to read it, and the message says so', async () => {
    await tree.write({ '.git/config': '[core' })
    const why = `git cannot read the repository ${tree.path}; run git status to see why`
    const stderr = `deconflict: ${why}, or name the repository with --repo OWNER/NAME\n`
    expect(await tree.run(['list'])).toMatchObject({ code: 1, stderr })
  })
})

describe('one line says what to do after', () => {
  test.each([
    ['a missing server', ['why', '3'], { DECONFLICT_URL: '' }, /or run deconflict login/, 'not_found'],
    ['a missing token', ['list'], { GITHUB_TOKEN: '' }, /or run gh auth login/, 'invalid_request'],
    ['a bad token', ['list'], { GITHUB_TOKEN: 'nobody' }, /set GITHUB_TOKEN/, 'unauthorized'],
    ['a bad glob', ['check', '--paths', 'a/[b'], {}, /scope\.paths\[0\]/, 'validation_error'],
    ['an unknown id', ['show', 'act_1'], {}, /activity does not exist/, 'not_found'],
  ])('%s', async (_, args, env, message, type) => {
    const asJson = await tree.run([...args, '--json'], { env })
    expect([asJson.code, JSON.parse(asJson.stdout).error.type]).toEqual([1, type])
    const { code, stdout, stderr } = await tree.run(args, { env })
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(message)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('a misspelt command, which is answered with the nearest one', async () => {
    const stderr = expect.stringMatching(/Did you mean check\?.*see --help/s)
    expect(await tree.run(['chekc'])).toMatchObject({ code: 1, stderr })
  })
})

describe('login', () => {
  const unset = { DECONFLICT_URL: undefined }
  const config = () => join(tree.path, '../.config/deconflict/config.json')

  test('stores only the address, which other commands use, and nothing if the server rejects the token', async () => {
    const rejected = await tree.run(['login', shop.url], { env: { ...unset, GITHUB_TOKEN: 'nobody' } })
    expect(rejected.code).toBe(1)
    await expect(stat(config())).rejects.toThrow(/ENOENT/)
    const { code, stdout } = await tree.run(['login', shop.url, '--json'], { env: unset })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).notes.join()).toContain('Your token can read acme/shop')
    expect(JSON.parse(await readFile(config(), 'utf8'))).toEqual({ url: shop.url })
    expect((await tree.run(['list'], { env: unset })).code).toBe(0)
  })

  // Threat: A token in a file of the command `deconflict`
  test('stores a token only with --with-token, readable only by the user, and reports that', async () => {
    const env = { ...unset, GITHUB_TOKEN: undefined }
    await tree.write({ '../.config/deconflict/kept': '{}' })
    await symlink('kept', config())
    const { stdout } = await tree.run(['login', shop.url, '--with-token'], { env, input: 'tok-ben\n' })
    expect(stdout).toMatch(/stored unencrypted in .*, which only you can read/)
    expect((await lstat(join(config(), '../kept'))).mode & 0o777).toBe(0o600)
    expect((await tree.run(['list'], { env })).code).toBe(0)
    // The token is not sent to another server.
    const elsewhere = await tree.run(['list'], { env: { ...env, DECONFLICT_URL: 'http://127.0.0.1:9' } })
    expect(elsewhere.stderr).toMatch(/no GitHub token/)
  })
})

test('a shell completes commands and their options', async () => {
  const { stdout } = await tree.run(['completion', 'bash'])
  const reply = (words: string, at: number) =>
    execFileSync('bash', [
      '-c',
      `${stdout}COMP_WORDS=(${words}); COMP_CWORD=${at}; _deconflict; echo "\${COMPREPLY[@]}"`,
    ])
  expect([reply('deconflict che', 1), reply('deconflict why --j', 2)].map(String)).toEqual([
    'check\n',
    '--json\n',
  ])
  expect((await tree.run(['completion', 'fish'])).stdout).toContain("from why' -l json -d 'print")
  const stderr = expect.stringContaining('bash, zsh, fish')
  expect(await tree.run(['completion', 'tcsh'])).toMatchObject({ code: 1, stderr })
})
