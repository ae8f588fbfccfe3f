/**
 * Hooks of coding agents as processes, next to `node -e 0`: with nothing to ask, and asking the service.
 * The command is that of the package: packed, and installed in a directory of its own.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts'
import { TOKEN } from '../load.ts'
import { interleaved, timeOf } from '../measure.ts'
import { type Rig, ROOT } from '../rig.ts'

const FILES = 200
/** So that a busy machine does not decide what is measured. */
const PATIENCE = { DECONFLICT_HOOK_TIMEOUT_MS: '30000' }
const LABELS = {
  bare: 'node -e 0',
  version: 'deconflict --version',
  quiet: 'hook with nothing to ask: a file read again',
  asking: 'hook that asks: another file read, by a stub that answers at once',
  read: 'hook that asks: another file read, by the service',
  prompt: 'hook of a prompt that changes nothing: git, a conditional request',
  start: 'hook of a start: git, a create',
  edit: 'hook of a first edit: git, an update',
}

export async function hooksPart({ sizes, results, scratch, ...rig }: Rig): Promise<void> {
  const command = await installCommand(scratch)
  const service = await rig.startService(await rig.emptyDatabase())
  const stub = await startStub()
  // One each: a working tree remembers the service whose host it has checked.
  const [tree, stubTree] = [await workingTree(), await workingTree()]
  const session = { GITHUB_TOKEN: TOKEN, ...PATIENCE, DECONFLICT_URL: service.url }
  const stubbed = { ...session, DECONFLICT_URL: stub.url }
  const hook = (event: string, fields: object, env: Record<string, string> = session, from = tree.path) =>
    processTime([command, 'hook', event, '--agent', 'claude-code'], env, {
      ...{ session_id: 's', transcript_path: '/t', cwd: from, hook_event_name: 'PostToolUse' },
      ...fields,
    })
  const read = (file: string) => ({ tool_name: 'Read', tool_input: { file_path: file } })
  const edit = (file: string) => ({ tool_name: 'Edit', tool_input: { file_path: file } })
  await hook('session-start', { source: 'startup' })
  await hook('session-start', { source: 'startup' }, stubbed, stubTree.path)
  await hook('after-read', read('0.ts'))
  const { last } = JSON.parse(await readFile(join(tree.path, '.git/deconflict/hooks.json'), 'utf8'))
  if (last.outcome !== 'ok') throw new Error(`a hook failed: ${last.outcome}`)

  const all = await interleaved(sizes.hooks, {
    bare: () => processTime(['-e', '0'], {}, {}),
    version: () => processTime([command, '--version'], {}, {}),
    quiet: () => hook('after-read', read('0.ts')),
    asking: (round) => hook('after-read', read(`${1 + round}.ts`), stubbed, stubTree.path),
    read: (round) => hook('after-read', read(`${1 + round}.ts`)),
    prompt: () => hook('prompt', { prompt: 'Go on.' }),
    start: (round) => hook('session-start', { source: 'startup', session_id: `start-${round}` }),
    // Other files than those that are read.
    edit: (round) => hook('before-edit', edit(`${FILES - 1 - round}.ts`)),
  })
  for (const name of Object.keys(LABELS) as (keyof typeof LABELS)[])
    results.add(`hooks.${name}`, LABELS[name], 'ms', all[name])

  stub.close()
  await Promise.all([tree.remove(), stubTree.remove(), service.kill('SIGTERM')])
}

/** Packs the command and installs the package in `directory`. Returns the path of the program. */
async function installCommand(directory: string): Promise<string> {
  const run = promisify(execFile)
  const pack = ['--import', 'tsx', 'scripts/pack/main.ts', 'cli', '--out', directory]
  await run(process.execPath, pack, { cwd: ROOT })
  const packed = (await readdir(directory)).find((name) => name.endsWith('.tgz')) as string
  const flags = ['--offline', '--no-audit', '--no-fund', '--prefix', directory]
  await run('npm', ['install', ...flags, join(directory, packed)], { cwd: directory })
  return realpath(join(directory, 'node_modules/.bin/deconflict'))
}

/** Milliseconds from the start of a process to its end. */
export function processTime(
  args: string[],
  env: Record<string, string>,
  input: object,
  cwd = ROOT,
): Promise<number> {
  return timeOf(() => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.stdin.on('error', () => {}).end(JSON.stringify(input))
    return once(child, 'close')
  })
}

const EMPTY = {
  ...{ matches: [], relationships: {}, related_activity_ids: [] },
  checked_against: { activities: 0, notables: 0, complete: true },
}

/** Answers every request at once as if nothing overlapped. */
async function startStub() {
  const server = createServer((request, response) => {
    request.resume()
    const isCheck = request.url?.endsWith('/check') === true
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(isCheck ? EMPTY : { activity: { id: 'act_1' }, overlap: EMPTY }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

/** A repository with `FILES` committed files on a branch of its own. */
export async function workingTree() {
  const directory = await temporaryDirectory('bench-tree')
  const files = Array.from({ length: FILES }, (_, at) => `${at}.ts`).join(' ')
  const script = `git init -q -b main && git config user.name Ada && git config user.email a@example.com
    for file in ${files}; do echo "export {}" > $file; done
    git add -A && git commit -q -m First && git remote add origin git@github.com:acme/plain.git
    git update-ref refs/remotes/origin/main HEAD && git checkout -q -b work`
  await promisify(execFile)('sh', ['-c', script], { cwd: directory.path })
  return directory
}
