/** The built service as a process of its own, as an operator starts it, to be ended and started again. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** A process that is not ready by then is ended. */
const START_MS = 40_000
/** A process that was told to end and has not by then is killed, as container platforms do. */
const END_MS = 10_000
/** Characters that are kept of what a process says. */
const KEPT = 100_000

export interface Exit {
  /** Null when a signal ended it. */
  code: number | null
  /** Lines that it wrote to its standard error. */
  errors: string[]
}

export interface ServiceProcess {
  /** Where it answers. */
  url: string
  /** Resolves when the process has ended, for whatever reason. */
  exit: Promise<Exit>
  isRunning(): boolean
  /** Sends the signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<Exit>
}

type Environment = Record<string, string | undefined>

let built: Promise<unknown> | undefined
const running = new Set<ChildProcess>()

// What a test that failed has left running: a worker that ends gives no other occasion.
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts the service and answers once `/readyz` says 200. Of the tests' own environment it gets PATH alone. */
export async function startProcess(env: Environment): Promise<ServiceProcess> {
  const { child, exit, said } = await launch(env)
  const failed = exit.then(({ code, errors }): never => {
    throw new Error(`the service ended with ${code} before it was ready:\n${errors.join('\n')}`)
  })
  const url = await Promise.race([addressSaidTo(child.stdout, said), failed])
  await Promise.race([untilReady(url), failed])
  failed.catch(() => {})
  return {
    url,
    exit,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async kill(signal) {
      child.kill(signal)
      const impatience = setTimeout(() => child.kill('SIGKILL'), END_MS)
      const ended = await exit
      clearTimeout(impatience)
      return ended
    },
  }
}

/** Starts the service where it is to refuse, and answers how it ended. */
export async function exitOfProcess(env: Environment): Promise<Exit> {
  const { child, exit } = await launch(env)
  const impatience = setTimeout(() => child.kill('SIGKILL'), START_MS)
  const ended = await exit
  clearTimeout(impatience)
  return ended
}

async function launch(env: Environment) {
  built ??= promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: ROOT })
  await built
  const child = spawn(process.execPath, ['dist/main.js'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const said = keep(child.stdout)
  const complained = keep(child.stderr)
  const exit = once(child, 'close').then(([code]): Exit => {
    running.delete(child)
    return { code, errors: complained().split('\n').filter(Boolean) }
  })
  return { child: child as ChildProcess & { stdout: Readable }, exit, said }
}

/** Reads on for as long as there is something, and answers the function that gives the end of it. */
function keep(stream: Readable): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (more: string) => {
    text = (text + more).slice(-KEPT)
  })
  return () => text
}

/** The address is in the first lines of the log: with port 0 the service takes a free one. */
async function addressSaidTo(stdout: Readable, said: () => string): Promise<string> {
  const signal = AbortSignal.timeout(START_MS)
  for (;;) {
    const address = /answers at (http:\/\/[^/"\s]+)/.exec(said())?.[1]
    if (address) return address
    await once(stdout, 'data', { signal })
  }
}

async function untilReady(url: string): Promise<void> {
  const signal = AbortSignal.timeout(START_MS)
  for (;;) {
    const response = await fetch(`${url}/readyz`, { signal })
    await response.arrayBuffer()
    if (response.ok) return
  }
}
