/** Runs the team's command in a directory, without the tokens of this process, and ends everything that it started. */
import { type ChildProcess, spawn } from 'node:child_process'
import { CliError, type Output } from '../runtime.ts'
import { Stopped } from './signals.ts'

export interface CommandRun {
  cwd: string
  env: Record<string, string | undefined>
  /** What the command prints. */
  output: Output
  stopped: AbortSignal
  timeout_ms: number
}

/** How long the command may take to end after it was asked to. */
const GRACE_MS = 5000

/**
 * Variables that the command does not get: tokens, because it runs code of pull requests, and the files through which a
 * step of a workflow changes later steps. Nor those by which a git hook names another working tree.
 */
const WITHHELD =
  /^(GITHUB_TOKEN|GH_TOKEN|GITHUB_(ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)|DECONFLICT_.*|ACTIONS_.*TOKEN.*|ACTIONS_(RUNTIME|RESULTS|CACHE)_URL|INPUT_.*|GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX))$/

export function withoutTokens(env: CommandRun['env']): CommandRun['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !WITHHELD.test(name)))
}

/** Whether the command exits with 0. Throws `CliError` if it cannot be started or takes too long, and `Stopped`. */
export async function runCommand(command: readonly string[], run: CommandRun): Promise<boolean> {
  const { cwd, env, output, stopped, timeout_ms } = run
  if (stopped.aborted) throw new Stopped()
  const [program = '', ...args] = command
  // A group of its own, so that it can be ended with all that it started.
  const child = spawn(program, args, {
    cwd,
    env: withoutTokens(env),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => output.write(`${text}`))
  let isLate = false
  let isEnding = false
  const end = () => {
    isEnding = true
    endGroup(child)
  }
  const timer = setTimeout(() => {
    isLate = true
    end()
  }, timeout_ms)
  stopped.addEventListener('abort', end)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', (error) => reject(new CliError(`${program} cannot be run: ${error.message}`)))
      // What it left running keeps its output open. When it was ended, that has the same time to end as the command.
      child.on('exit', () => {
        if (!isEnding) signalGroup(child, 'SIGKILL')
      })
      child.on('close', resolve)
    })
    if (stopped.aborted) throw new Stopped()
    if (isLate)
      throw new CliError(`${program} took longer than ${timeout_ms / 60_000} min; allow more with --timeout`)
    return code === 0
  } finally {
    clearTimeout(timer)
    stopped.removeEventListener('abort', end)
  }
}

function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM')
  setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS).unref()
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // It has ended.
  }
}
