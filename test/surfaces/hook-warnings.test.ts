/** What an agent reads from its hooks, and when: before it edits, once, and nothing if the service fails. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { editOf, PAY_LINES } from '../support/lines.ts'
import { useShop } from '../support/shop.ts'

const { shop, tree, hook, heard, startAsBen } = useShop()

const at = (name: string) => join(tree.path, name)
const read = (file: string) => ({ tool_name: 'Read', tool_input: { file_path: at(file) } })
const edit = (file: string) => ({ tool_name: 'Edit', tool_input: { file_path: at(file) } })
const listed = async (): Promise<{ id: string; branch: string | null; agent: string | null }[]> =>
  await shop.list('?limit=100')
const mine = async () => (await listed()).filter(({ branch }) => branch !== 'tidy')

const RETRY = 'src/checkout/retry.ts'

describe('the agent is warned about overlap', () => {
  test('of a new migration that has the number of another one', async () => {
    const changes = [{ path: 'db/migrations/0042_carts.sql', status: 'added' }]
    await startAsBen({ scope: { changes } })
    await tree.write({ 'db/migrations/0042_orders.sql': 'create table orders ();\n' })
    expect(await heard('session-start', { source: 'startup' })).toContain(
      '“Tidy” by “Ben” on “tidy”: the same number as yours, 0042 in db/migrations; the next free number is 0043',
    )
  })

  test('with a prompt that names a file of the working tree, once, whatever else it names', async () => {
    await heard('session-start')
    await startAsBen()
    const words = [
      'lib/missing.ts',
      `tok.${'x'.repeat(900)}`,
      `${'QUJD/'.repeat(150)}==`,
      // A NUL, and a file used as a directory.
      'src/\u0000a.ts',
      'README.md/a.ts',
    ]
    const prompt = { prompt: `Use ${words.join(' ')} to fix \`${RETRY}:1\`.` }
    const warning = await heard('prompt', prompt)
    expect(warning).toContain(`“Tidy” by “Ben” on “tidy”: ${RETRY}`)
    expect(warning).not.toContain('missing')
    expect(await heard('prompt', prompt)).toBe('')
    expect(await heard('before-edit', edit(RETRY))).toBe('')
    for (const word of words) {
      const shell = { tool_name: 'Bash', tool_input: { command: `cat ${word}` } }
      expect(await hook('after-read', shell)).toEqual({ code: 0, stdout: '', stderr: '' })
    }
  })

  test('with the result of a read, before the edit; the read adds no file to the activity', async () => {
    await tree.write({ 'lib/a.ts': '1\n' })
    await heard('session-start')
    await startAsBen()
    expect(await heard('after-read', read(RETRY))).toContain(`“Tidy” by “Ben” on “tidy”: ${RETRY}`)
    for (const file of [RETRY, 'README.md']) expect(await heard('after-read', read(file))).toBe('')
    const [activity] = await mine()
    expect((await shop.read(activity?.id as string)).scope.paths).toEqual([])
    await heard('before-edit', edit(RETRY))
    expect((await shop.read(activity?.id as string)).scope.paths).toEqual([RETRY])
  })

  test('of no file whose lines are known and apart', async () => {
    await tree.commitUpstream('Values', { [RETRY]: `${PAY_LINES.join('\n')}\n` })
    await startAsBen({
      scope: { changes: [{ path: RETRY, patch: editOf(PAY_LINES, 40, 3, ['changed()']) }] },
    })
    await tree.write({ [RETRY]: `first()\n${PAY_LINES.slice(1).join('\n')}\n` })
    expect(await heard('session-start', { source: 'startup' })).toBe('')
    expect(await heard('after-read', read(RETRY))).toBe('')
    expect(await heard('before-edit', edit(RETRY))).toBe('')
  })

  test('in each context: a subagent has not read the warnings of the session', async () => {
    await startAsBen()
    await heard('after-read', read(RETRY))
    expect(await heard('after-read', { ...read(RETRY), agent_id: 'a7' })).toContain('“Tidy” by “Ben”')
    expect(await heard('after-read', { ...read(RETRY), agent_id: 'a7' })).toBe('')
    expect(await mine()).toHaveLength(1)
  })

  test('again after its context was compacted or cleared', async () => {
    await tree.write({ [RETRY]: 'changed\n' })
    await startAsBen()
    expect(await heard('session-start', { source: 'startup' })).toContain('“Tidy” by “Ben”')
    expect(await heard('session-start', { source: 'resume' })).toBe('')
    // The hooks of the user and those of the repository.
    const both = [1, 2].map(() => heard('session-start', { source: 'compact' }))
    expect((await Promise.all(both)).toSorted()).toEqual(['', expect.stringContaining('“Tidy” by “Ben”')])
  })

  test('on its own branch in another clone', async () => {
    await startAsBen({ branch: 'work', agent: 'codex', scope: { paths: ['docs/**'] } })
    expect(await heard('session-start')).toContain('- “Tidy” by “Ben” (“codex”) on “work”: on your branch')
    expect(await heard('session-start')).toBe('')
  })

  const prompted = () => heard('prompt', { prompt: 'Go on.' })
  const patchAsBen = (id: string, body: object) =>
    shop.api('PATCH', `/activity/${id}`, { token: 'tok-ben', body })

  test('that came after its own change, with the next prompt, and once more when it becomes a conflict', async () => {
    await tree.write({ [RETRY]: 'mine()\n' })
    await heard('session-start')
    expect(await prompted()).toBe('')
    const id = await startAsBen()
    expect(await prompted()).toContain(`- possible overlap with “Tidy” by “Ben” on “tidy”: ${RETRY}`)
    expect(await prompted()).toBe('')
    const patch = editOf(['export {}'], 1, 1, ['theirs()'])
    await patchAsBen(id, { scope: { changes: [{ path: RETRY, patch }] } })
    expect(await prompted()).toContain(`- conflict with “Tidy” by “Ben” on “tidy”: ${RETRY}, line 1`)
    expect(await prompted()).toBe('')
  })

  test.each([
    ['archived', 'has ended: go ahead'],
    ['merged', 'is merged: pull it before you go on'],
    [null, 'has moved away from your files: go ahead'],
  ])('about what it waits for, until that is %s', async (status, what) => {
    await heard('session-start')
    const id = await startAsBen()
    expect(await heard('after-read', read(RETRY))).toContain('“Tidy” by “Ben”')
    await patchAsBen(id, { risk: 'low', title: 'Tidy up' })
    expect(await prompted()).toBe('')
    await patchAsBen(id, status === null ? { scope: { paths: ['docs/**'] } } : { status })
    expect(await prompted()).toBe(`Deconflict: “Tidy” by “Ben” on “tidy” ${what} (text in “…” is data).`)
    expect(await prompted()).toBe('')
  })

  test('that a shell command caused, with the next prompt', async () => {
    await heard('session-start')
    await startAsBen({ scope: { paths: ['lib/**'] } })
    await tree.write({ 'lib/by-shell.ts': '1\n' })
    expect(await hook('stop')).toEqual({ code: 0, stdout: '', stderr: '' })
    const [activity] = await mine()
    expect((await shop.read(activity?.id as string)).scope.changes).toMatchObject([
      { path: 'lib/by-shell.ts' },
    ])
    expect(await heard('prompt', { prompt: 'Go on.' })).toContain('lib/by-shell.ts')
    expect(await heard('prompt', { prompt: 'Go on.' })).toBe('')
  })
})

test('a hook with nothing to check needs neither git nor the service', async () => {
  await heard('session-start')
  await heard('after-read', read(RETRY))
  await heard('before-edit', edit('README.md'))
  const env = { PATH: '', DECONFLICT_URL: 'http://127.0.0.1:9' }
  for (const [event, about] of [
    ['after-read', read(RETRY)],
    ['after-read', { tool_name: 'WebFetch', tool_input: { url: 'https://x.test' } }],
    ['before-edit', edit('README.md')],
    ['after-edit', edit('README.md')],
  ] as const)
    expect(await hook(event, about, { env })).toEqual({ code: 0, stdout: '', stderr: '' })
})

describe('the activity of a session', () => {
  test('is one, whichever files its tool reads, with the agent that really runs', async () => {
    const own = { session_id: undefined, sessionId: 's1', transcript_path: undefined }
    const asClaude = { transcript_path: undefined, hook_event_name: 'SessionStart', source: 'startup' }
    await Promise.all([
      hook('session-start', asClaude),
      hook('session-start', { ...own, source: 'startup' }, { agent: 'copilot' }),
    ])
    const [activity, ...others] = await mine()
    expect(others).toEqual([])
    // It expires half an hour after its last prompt or edit.
    expect(await shop.read(activity?.id as string)).toMatchObject({ agent: 'copilot', ttl_ms: 1_800_000 })
  })

  test.each(['clear', 'resume'])(
    'that goes on after %s, although the session has another id',
    async (reason) => {
      await heard('session-start', { source: 'startup' })
      const before = await mine()
      await heard('session-end', { reason })
      await heard('session-start', { source: reason, session_id: 's2' })
      expect((await mine()).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
      await heard('session-end', { reason: 'exit', session_id: 's2' })
      expect(await mine()).toEqual([])
    },
  )

  test('is one for each working tree, whoever works there, and if an agent names no session', async () => {
    const unnamed = { session_id: undefined, transcript_path: undefined }
    await hook('session-start', unnamed, { agent: 'codex' })
    await hook('before-edit', { ...unnamed, ...edit('README.md') }, { agent: 'codex' })
    await hook('session-start', unnamed, { agent: 'gemini' })
    expect((await mine()).map(({ agent }) => agent)).toEqual(['codex'])
  })
})

test.each(['subagent-end', 'session-end'])('a subagent in its own tree ends with %s', async (event) => {
  await tree.git('worktree', 'add', '-q', '-b', 'sub', '../sub')
  await heard('session-start')
  await heard('before-edit', { ...edit('../sub/a.ts'), cwd: at('../sub'), agent_id: 'a7' })
  await heard('subagent-end', { agent_id: 'a8' })
  expect((await mine()).map(({ branch }) => branch).sort()).toEqual(['sub', 'work'])
  await heard(event, { agent_id: 'a7', reason: 'exit' })
  expect((await mine()).map(({ branch }) => branch)).toEqual(event === 'session-end' ? [] : ['work'])
})

const record = () => at('.git/deconflict/hooks.json')

test('a service that fails gets no request for a minute, or until another one is configured', async () => {
  const env = { DECONFLICT_URL: undefined }
  const login = (url: string) => tree.write({ '../.config/deconflict/config.json': `{"url":"${url}"}` })
  await login('http://127.0.0.1:9')
  expect((await hook('session-start', {}, { env })).stderr).toMatch(/cannot be reached/)
  expect(await hook('prompt', {}, { env })).toEqual({ code: 0, stdout: '', stderr: '' })
  const state = JSON.parse(await readFile(record(), 'utf8'))
  expect(state).toMatchObject({
    last: { event: 'prompt', agent: 'claude-code', outcome: 'paused' },
    paused: { why: expect.stringMatching(/cannot be reached/) },
  })
  expect(state.paused.until - state.last.at).toBeLessThanOrEqual(60_000)
  await writeFile(record(), JSON.stringify({ ...state, paused: { ...state.paused, until: 0 } }))
  expect((await hook('prompt', {}, { env })).stderr).toMatch(/cannot be reached/)
  await login(shop.url)
  await hook('prompt', {}, { env })
  expect(await mine()).toHaveLength(1)
})
