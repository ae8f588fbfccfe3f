/** One session of a coding agent's program, in a working tree of its own with the hooks of `deconflict init`. */
import { spawn } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { DEFAULT_PARTS } from '../../src/cli/init/targets.ts'
import { stopwatch } from '../../src/vocabulary/clock.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { type WorkingTree, workingTree } from '../support/working-tree.ts'
import { trustCodexHooks } from './codex-trust.ts'
import { startModel } from './model.ts'
import type { Program } from './programs.ts'

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url))
/** A session is killed after this time. OpenCode installs a package in each new working tree. */
const SESSION_MS = 280_000
/** For hooks, which have one second by default: too little on a busy machine. */
export const HOOK_MS = 9000

export const FILE = 'src/checkout/retry.ts'
const TEXTS = ['one', 'two', 'three'].map((each) => `export const attempts = '${each}'\n`) as [
  string,
  string,
  string,
]

export interface SessionOptions {
  /** Directory of the programs. */
  executables: string
  /** Address of the service; without one, everything is compared within the clone. */
  url?: string | undefined
  prompt: string
  /** Whether hooks have only the time that they have for users. */
  is_timed?: boolean
  /** Runs in the working tree, on the branch `work`, before the session. */
  prepare?: (tree: WorkingTree) => Promise<void>
  /** Runs before the reply to each request to the model, counted from 1. */
  onTurn?: (turn: number) => Promise<void>
}

export interface Session {
  code: number | null
  /** The requests to the model, as JSON. */
  turns: string[]
  /** What the program printed. */
  output: string
  /** The file that the agent edited. */
  content: string
  duration_ms: number
  hooks: string
  /** The problems that `deconflict doctor` finds now. */
  problems(): Promise<string[]>
  remove(): Promise<void>
}

export const EDITED = TEXTS[2]

/** Installs all hooks, and runs the program until it ends by itself. */
export async function runSession(program: Program, options: SessionOptions): Promise<Session> {
  const { executables, url, prompt, is_timed = false, prepare, onTurn } = options
  const tree = await workingTree({})
  const directory = await temporaryDirectory('agent')
  const home = join(directory.path, 'home')
  const bin = join(directory.path, 'bin')
  const write = async (file: string, content: string, mode = 0o600) => {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
    await chmod(file, mode)
  }
  const variable = is_timed ? '' : `DECONFLICT_HOOK_TIMEOUT_MS=${HOOK_MS} `
  const command_line = `${variable}exec '${process.execPath}' '${CLI}' "$@"`
  await write(join(bin, 'deconflict'), `#!/bin/sh\n${command_line}\n`, 0o755)
  // The token comes from this file: some programs keep GITHUB_TOKEN from their hooks.
  if (url)
    await write(join(home, '.config/deconflict/config.json'), JSON.stringify({ url, token: 'tok-ada' }))
  await tree.write({ [FILE]: TEXTS[0] })
  // As in a shared repository, for all agents.
  await tree.runProcess(['init', '--yes', '--only', ...DEFAULT_PARTS])
  await tree.commitUpstream('Install hooks')
  await tree.git('checkout', '-q', '-b', 'work')
  await prepare?.(tree)

  const file = join(tree.path, FILE)
  const replacing = (from: number) => ({
    from: TEXTS[from]?.trim() as string,
    to: TEXTS[from + 1]?.trim() as string,
  })
  const script = [program.read(file), program.edit(file, replacing(0)), program.edit(file, replacing(1))]
  const model = await startModel(program.dialect, async (results, turn) => {
    await onTurn?.(turn)
    return script[results]
  })
  const place = { home, tree: tree.path, model: model.url }
  for (const [name, content] of Object.entries(program.files?.(place) ?? {}))
    await write(join(home, name), content)
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    ...(url && { DECONFLICT_URL: url }),
    ...program.env(place),
  }
  const command = join(executables, program.command)
  if (program.name === 'Codex') await trustCodexHooks(command, { env, cwd: tree.path, home })
  const elapsed = stopwatch()
  const ran = await run(command, { args: program.args(prompt, place), env, cwd: tree.path })
  const duration_ms = Math.round(elapsed())
  await model.close()
  return {
    ...ran,
    turns: model.turns.map((turn) => JSON.stringify(turn)),
    content: await readFile(file, 'utf8'),
    duration_ms,
    hooks: await readFile(join(tree.path, '.git/deconflict/hooks.json'), 'utf8').catch(() => 'no hook ran'),
    async problems() {
      const { stdout } = await tree.runProcess(['doctor', '--json'], { env })
      const checks: { name: string; is_ok: boolean; message: string }[] = JSON.parse(stdout).checks
      return checks.filter(({ is_ok }) => !is_ok).map(({ name, message }) => `${name}: ${message}`)
    },
    async remove() {
      await tree.remove()
      await directory.remove()
    },
  }
}

async function run(
  command: string,
  { args, env, cwd }: { args: string[]; env: Record<string, string>; cwd: string },
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: SESSION_MS })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, output: `${stdout}${stderr}` }
}
