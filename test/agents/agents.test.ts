/**
 * Sessions of real coding agents with the hooks of `deconflict init`. The model is a stub: it reads a file, edits it
 * twice and ends. Ada runs the agent; Ben works on the same file.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { type BuiltService, startBuiltService } from '../support/built-service.ts'
import { startSilentServer } from '../support/silent-server.ts'
import type { WorkingTree } from '../support/working-tree.ts'
import { PROGRAMS, type Program } from './programs.ts'
import { EDITED, FILE, HOOK_MS, runSession, type Session, type SessionOptions } from './session.ts'

const AT = { owner: 'acme', repo: 'shop' }
const TITLE = 'Tidy the retries'
/** The prompt names no file. */
const PROMPT = 'Make the number of attempts configurable.'
const executables = inject('executables')
const report: string[] = []

let service: BuiltService
let session: Session | undefined

beforeAll(async () => {
  service = await startBuiltService()
})
afterAll(async () => {
  await service.close()
  process.stdout.write(`\n${report.join('\n')}\n`)
})
afterEach(async () => {
  await session?.remove()
  session = undefined
  const ben = clientOf('ben')
  const { items } = await ben.listActivities({ ...AT, input: { limit: 100 } })
  for (const { id } of items) await ben.archiveActivity({ ...AT, id })
})

const clientOf = (login: string) => createClient({ base_url: service.url, token: `tok-${login}` })

async function startAsBen(path: string): Promise<void> {
  const scope = { areas: [], paths: [path] }
  const input = { title: TITLE, summary: 'One for all.', actor: 'Ben', branch: 'tidy', scope }
  await clientOf('ben').createActivity({ ...AT, input })
}

/** Ids of Ada's activities, those that ended included. */
async function idsOfAda(): Promise<string[]> {
  const ada = clientOf('ada')
  const list = async (status?: 'archived') =>
    (await ada.listActivities({ ...AT, input: { actor: 'Ada', limit: 100, status } })).items
  return [...(await list()), ...(await list('archived'))].map(({ id }) => id)
}

/** Runs a session at the service. */
async function run(program: Program, options: Partial<SessionOptions> & { sentence?: string } = {}) {
  const known = await idsOfAda()
  const ownIds = async () => (await idsOfAda()).filter((id) => !known.includes(id))
  let announced: string[] = []
  session = await runSession(program, {
    executables,
    url: service.url,
    prompt: PROMPT,
    onTurn: async (turn) => {
      if (turn === 1) announced = await ownIds()
    },
    ...options,
  })
  const { turns, code, output, content, duration_ms, hooks, problems } = session
  const { sentence = TITLE } = options
  const warned_in = turns.findIndex((turn) => turn.includes(sentence)) + 1
  const name = expect.getState().currentTestName?.split(' > ').at(-1)
  const what = warned_in
    ? `warned in request ${warned_in} of ${turns.length}`
    : `not warned in ${turns.length} requests`
  report.push(`  ${duration_ms} ms, ${what}: ${name}`)
  expect(code, output).toBe(0)
  expect(content, output).toEqual(EDITED)
  const times_shown = (turns.at(-1)?.split(sentence).length ?? 0) - 1
  return { warned_in, times_shown, announced, ended: await ownIds(), hooks, problems }
}

describe.each(PROGRAMS)('$name', (program) => {
  beforeAll(async () => {
    const options = { env: { PATH: process.env.PATH, HOME: '/nonexistent' } }
    const { stdout } = await promisify(execFile)(join(executables, program.command), ['--version'], options)
    report.push(`${program.name}, version ${/\d[\d.]+\d/.exec(stdout)?.[0]}`)
  })

  test('creates one activity before the first request, is warned with the file that it reads, and pauses the activity', async () => {
    await startAsBen(FILE)
    const { warned_in, times_shown, announced, ended, hooks, problems } = await run(program)
    expect(announced, hooks).toHaveLength(1)
    expect(warned_in, hooks).toBe(2)
    expect(times_shown).toBe(1)
    expect(ended).toEqual(announced)
    // Of Codex, also that the hooks that it ran count as trusted.
    expect(await problems()).toEqual([])
    const id = announced[0] as string
    const activity = () => clientOf('ada').getActivity({ ...AT, id })
    const status = program.has_no_end ? 'active' : 'paused'
    await expect.poll(activity).toMatchObject({ agent: program.agent, branch: 'work', status })
  })

  test.each([
    ['the changes of its branch', 'src/checkout/pay.ts', PROMPT],
    ['a file that the prompt names', FILE, `${PROMPT} It is in ${FILE}.`],
  ])('is warned in the first request about overlap with %s', async (_, path, prompt) => {
    await startAsBen(path)
    const prepare = (tree: WorkingTree) => tree.write({ 'src/checkout/pay.ts': 'export {}\n' })
    const { warned_in, times_shown, hooks } = await run(program, { prompt, prepare })
    expect({ warned_in, times_shown }, hooks).toEqual({ warned_in: 1, times_shown: 1 })
  })

  test('is warned without a service, before its edit, of what another working tree has changed', async () => {
    const { warned_in, hooks } = await run(program, {
      ...{ url: undefined, sentence: 'in ../other on “other”' },
      prepare: async (tree) => {
        await tree.git('worktree', 'add', '-q', '../other', '-b', 'other')
        await tree.write({ [`../other/${FILE}`]: 'export const attempts = 4\n' })
      },
    })
    expect(warned_in, hooks).toBe(2)
  })

  test('hears in its next request that another session has switched its directory', async () => {
    let directory: WorkingTree | undefined
    const { warned_in, hooks } = await run(program, {
      ...{ url: undefined, sentence: 'This directory was switched from “work” to “other”.' },
      prepare: async (tree) => {
        directory = tree
        const input = JSON.stringify({ session_id: 'other', cwd: tree.path, source: 'startup' })
        const env = { DECONFLICT_HOOK_TIMEOUT_MS: String(HOOK_MS) }
        await tree.runProcess(['hook', 'session-start', '--agent', 'codex'], { input, env })
      },
      onTurn: async (turn) => {
        if (turn === 1) await directory?.git('checkout', '-q', '-b', 'other')
      },
    })
    expect(warned_in, hooks).toBe(2)
  })

  test('completes its session while the service is down', async () => {
    const closed = await startSilentServer()
    await closed.close()
    const { warned_in } = await run(program, { url: closed.url })
    expect(warned_in).toBe(0)
  })

  test('completes its session while the service does not respond, and sends it one request', async () => {
    const silent = await startSilentServer()
    const { warned_in } = await run(program, { url: silent.url, is_timed: true })
    expect(warned_in).toBe(0)
    expect(silent.requests).toHaveLength(1)
  })
})
