/** A real git repository in its own directory, and the built command as a process in it. */
import { execFile, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryDirectory } from './temporary-directory.ts'

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
/** A command is killed after this time. */
const TIMEOUT_MS = 60_000

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

type Environment = Record<string, string | undefined>

interface RunOptions {
  env?: Environment
  input?: string
  cwd?: string
  /** Kills the command after this time. */
  timeout_ms?: number
}

export interface WorkingTree {
  path: string
  /** Runs git and returns its standard output. */
  git(...args: string[]): Promise<string>
  write(files: Record<string, string>): Promise<void>
  /** Runs `deconflict` here, with only PATH from the environment of the tests. */
  run(args: string[], options?: RunOptions): Promise<Ran>
  /** Starts `deconflict` here and does not wait for it. */
  start(
    args: string[],
    options?: Pick<RunOptions, 'env' | 'input'>,
  ): { output(): string; stop(signal?: 'SIGINT' | 'SIGKILL'): Promise<void> }
  remove(): Promise<void>
}

/** On `main`, which `origin` has too, with `src/checkout/retry.ts` and `README.md`. Commands run with `env`. */
export async function workingTree(
  env: Environment,
  remote = 'git@github.com:acme/shop.git',
): Promise<WorkingTree> {
  const directory = await temporaryDirectory('tree')
  const path = join(directory.path, 'shop')
  await mkdir(path)
  const base = { PATH: process.env.PATH, HOME: directory.path, GIT_CONFIG_NOSYSTEM: '1' }
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
  await git('init', '-q', '-b', 'main')
  await git('config', 'user.name', 'Ada')
  await git('config', 'user.email', 'ada@example.com')
  await write({ 'src/checkout/retry.ts': 'export {}\n', 'README.md': '# Shop\n' })
  await git('add', '-A')
  await git('commit', '-q', '-m', 'First')
  if (remote) {
    await git('remote', 'add', 'origin', remote)
    await git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  }
  return {
    path,
    git,
    write,
    run: (args, options = {}) =>
      runCommand(args, { cwd: path, input: '', ...options, env: { ...base, ...env, ...options.env } }),
    start: (args, options = {}) =>
      startCommand(args, { cwd: path, input: '', ...options, env: { ...base, ...env, ...options.env } }),
    remove: directory.remove,
  }
}

async function runCommand(
  args: string[],
  { env, input, cwd, timeout_ms = TIMEOUT_MS }: RunOptions & { env: Environment; input: string },
): Promise<Ran> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: 'pipe', timeout: timeout_ms })
  child.stdin.on('error', () => {}).end(input)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, stdout, stderr }
}

function startCommand(args: string[], { env, input, cwd }: { env: Environment; input: string; cwd: string }) {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: 'pipe', timeout: TIMEOUT_MS })
  child.stdin.on('error', () => {}).end(input)
  const ended = new Promise((resolve) => child.once('close', resolve))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    output += more
  })
  return {
    output: () => output,
    async stop(signal: 'SIGINT' | 'SIGKILL' = 'SIGINT') {
      child.kill(signal)
      await ended
    },
  }
}
