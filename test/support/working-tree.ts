/** A real git repository in its own directory, and the command `deconflict` in it: in the test's process, or built and as a process. */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { HOOKED_AGENTS } from '../../src/cli/init/agent-hooks.ts'
import { runCli } from '../../src/cli/program.ts'
import { stopwatch, systemClock } from '../../src/vocabulary/clock.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url))
/** A command is killed after this time. */
const TIMEOUT_MS = 60_000

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

type Environment = Record<string, string | undefined>

export interface RunOptions {
  env?: Environment
  input?: string
  cwd?: string
}
type ProcessOptions = RunOptions & { timeout_ms?: number }

export type WorkingTree = Awaited<ReturnType<typeof workingTree>>

/** On `main`, which `origin` has too, with `src/checkout/retry.ts` and `README.md`. Commands run with `env`. */
export async function workingTree(env: Environment) {
  const directory = await temporaryDirectory('tree')
  const path = join(directory.path, 'shop')
  const base = { PATH, HOME: directory.path, GIT_CONFIG_NOSYSTEM: '1' }
  const git = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('git', args, { cwd: path, env: base })
    return stdout.trim()
  }
  const write = async (files: Record<string, string>) => {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(path, name)), { recursive: true })
      await writeFile(join(path, name), content)
    }
  }
  /** Commits everything, and these files. */
  const commit = async (message: string, files: Record<string, string> = {}) => {
    await write(files)
    await git('add', '-A')
    await git('commit', '-q', '-m', message)
  }
  /** The same, and `origin` has the commit on `main`. */
  const commitUpstream = async (message: string, files: Record<string, string> = {}) => {
    await commit(message, files)
    await git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  }
  const fill = async () => {
    // Without the samples of hooks, which take longer to copy than all the rest.
    await git('init', '-q', '-b', 'main', '--template=')
    await mkdir(join(path, '.git/hooks'))
    await git('config', 'user.name', 'Ada')
    await git('config', 'user.email', 'ada@example.com')
    await git('remote', 'add', 'origin', 'git@github.com:acme/shop.git')
    await commitUpstream('First', { 'src/checkout/retry.ts': 'export {}\n', 'README.md': '# Shop\n' })
  }
  if (template) await copy(template, path)
  else {
    await mkdir(path)
    await fill()
    template = join((await temporaryDirectory('tree-template')).path, 'shop')
    await copy(path, template)
  }
  const inTree = <Options extends RunOptions>(options: Options) => ({
    cwd: path,
    input: '',
    ...options,
    env: { ...base, ...env, ...options.env },
  })
  return {
    path,
    git,
    write,
    commit,
    commitUpstream,
    /**
     * Runs `deconflict` in the test's process, with only PATH from its environment. `uptime_ms`: how long ago the command
     * started, by its own clock; default: now.
     */
    run: (args: string[], options: InProcess = {}) => runInProcess(args, inTree(options)),
    /** Runs the built `deconflict` as a process. It is killed after `timeout_ms`. */
    async runProcess(args: string[], options: ProcessOptions = {}): Promise<Ran> {
      const { ended, written } = startProcess(args, inTree(options))
      return { code: await ended, ...written }
    },
    /** As `runProcess`, and does not wait for it. Its input stays open if `input` is undefined. */
    start: (args: string[], options: ProcessOptions = {}) => startProcess(args, inTree(options)),
    remove: directory.remove,
  }
}

/** Without directories in which an agent is, because `init` looks for those that are used on this machine. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter(
    (directory) =>
      !HOOKED_AGENTS.some(({ hooks }) => hooks.programs.some((name) => existsSync(join(directory, name)))),
  )
  .join(delimiter)

/** A copy of the first working tree of this process: copying it is faster than eight calls of git. */
let template: string | undefined

/** A process does it in a fifth of the time that Node takes. */
const copy = (from: string, to: string) => promisify(execFile)('cp', ['-R', from, to])

type InProcess = RunOptions & { uptime_ms?: number; isTTY?: boolean }

async function runInProcess(
  args: string[],
  { env, input, cwd, uptime_ms = 0, isTTY = false }: Required<RunOptions> & InProcess,
): Promise<Ran> {
  const elapsed = stopwatch()
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => ({
    write: (more: string) => {
      written[name] += more
    },
  })
  const code = await runCli(args, {
    env,
    cwd,
    stdin: Object.assign(Readable.from([input]), { isTTY }),
    stdout: output('stdout'),
    stderr: output('stderr'),
    clock: systemClock,
    startFast: () => {},
    uptime_ms: () => uptime_ms + elapsed(),
    // Not what is tested here: a busy machine takes longer than a second.
    hook_limit_ms: TIMEOUT_MS,
  })
  return { code, ...written }
}

function startProcess(args: string[], { env, input, cwd, timeout_ms = TIMEOUT_MS }: ProcessOptions) {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: 'pipe', timeout: timeout_ms })
  child.stdin.on('error', () => {})
  if (input !== undefined) child.stdin.end(input)
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (more: string) => {
      written[name] += more
    })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    written,
    errors: () => written.stderr,
    write: (input: string) => void child.stdin.write(input),
    /** The exit code. */
    ended,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
