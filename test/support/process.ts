/** The built service as a process of its own, as an operator starts it, to be ended and started again. Nothing here waits without an end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** A process that is not ready by then is ended. */
const START_MS = 40_000
/** A process that was told to end and has not by then is killed, as container platforms do. */
const END_MS = 10_000
/** A process that is gone may have left its pipes to another one; they are not waited for. */
const PIPES_MS = 1000
/** How often a process is asked whether it is ready. */
const ASK_MS = 20
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
  /** Sends the signal and waits for the end; a process that does not end within 10 seconds is killed, which its code shows. */
  kill(signal: NodeJS.Signals): Promise<Exit>
  /** Sends the signal, and nothing else. */
  signal(signal: NodeJS.Signals): void
  /** The last that it wrote to its log. */
  output(): string
}

type Environment = Record<string, string | undefined>

const running = new Set<ChildProcess>()

// What a test that failed has left running: a worker that ends gives no other occasion.
const killAll = () => {
  for (const child of running) child.kill('SIGKILL')
}
afterAll(killAll)
process.once('exit', killAll)

/** Starts the service and answers once `/readyz` says 200. Of the tests' own environment it gets PATH alone. */
export async function startProcess(env: Environment): Promise<ServiceProcess> {
  const service = await launch(env)
  const ended = new AbortController()
  const failed = service.exit.then(({ code, errors }): never => {
    ended.abort()
    throw new Error(`the service ended with ${code} before it was ready:\n${errors.join('\n')}`)
  })
  failed.catch(() => {})
  const url = await Promise.race([addressOf(service), failed])
  await Promise.race([untilReady(url, ended.signal), failed])
  return { ...service, url }
}

/** Starts the service where it is to refuse, and answers how it ended. */
export async function exitOfProcess(env: Environment): Promise<Exit> {
  const { child, exit } = launch(env)
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS)
  const ended = await exit
  clearTimeout(timer)
  return ended
}

/** Runs an operator's command to its end; `lines` is what it says. */
export async function runAdmin(env: Environment, ...args: string[]): Promise<Exit & { lines: string[] }> {
  const { child, exit, output } = launch(env, ['dist/admin.js', ...args])
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS)
  const ended = await exit
  clearTimeout(timer)
  return { ...ended, lines: output().split('\n').filter(Boolean) }
}

/** Starts the service, or another program of the build, and waits for nothing. */
export function launch(env: Environment, program = ['dist/main.js']) {
  const child = spawn(process.execPath, program, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const output = keep(child.stdout)
  const complained = keep(child.stderr)
  const exit = exitOf(child).then((code): Exit => {
    running.delete(child)
    return { code, errors: complained().split('\n').filter(Boolean) }
  })
  return {
    child,
    exit,
    output,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    async kill(signal: NodeJS.Signals): Promise<Exit> {
      child.kill(signal)
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
      const ended = await exit
      clearTimeout(timer)
      return ended
    },
  }
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  const closed = once(child, 'close')
  const [code] = await once(child, 'exit')
  await Promise.race([closed, wait(PIPES_MS)])
  return code
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
async function addressOf({ child, output }: ReturnType<typeof launch>): Promise<string> {
  const signal = AbortSignal.timeout(START_MS)
  for (;;) {
    const address = /listens at (http:\/\/[^/"\s]+)/.exec(output())?.[1]
    if (address) return address
    await once(child.stdout, 'data', { signal })
  }
}

/** Asks until the answer is yes, the process has ended, or the time is up. */
async function untilReady(url: string, ended: AbortSignal): Promise<void> {
  const until = Date.now() + START_MS
  while (!ended.aborted) {
    if (Date.now() > until) throw new Error(`${url}/readyz did not answer 200 in ${START_MS} ms`)
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(START_MS) }).catch(() => null)
    await response?.arrayBuffer().catch(() => {})
    if (response?.ok) return
    await wait(ASK_MS)
  }
}
