/** The built service as a process that tests start, stop and restart. Every wait has a limit. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SERVICE = ['dist/main.js']
/** A process that is not ready by then is killed. A first start on the embedded database takes seconds of processor time. */
const START_MS = 120_000
/** A process that has not exited by then after a signal is killed, as container platforms do. */
const END_MS = 10_000
/** The maximum wait for the pipes of an exited process, which a child may keep open. */
const PIPES_MS = 1000
/** The interval of readiness checks. */
const ASK_MS = 20
/** The number of last characters kept of a stream. */
const KEPT = 100_000

export interface Exit {
  /** Null when a signal ended it. */
  code: number | null
  /** Lines that it wrote to its standard error. */
  errors: string[]
}

export type ServiceProcess = Awaited<ReturnType<typeof startProcess>>

type Environment = Record<string, string | undefined>

const running = new Set<ChildProcess>()

/** Kills what a failed test left running. `kill-processes.ts` calls it after each file. */
export const killAll = () => {
  for (const child of running) child.kill('SIGKILL')
}
process.once('exit', killAll)

/** Starts the service, of this build or another one, and resolves when `/readyz` is 200. Only PATH is passed on from the tests' environment. */
export async function startProcess(env: Environment, program = SERVICE) {
  const service = await launch(env, program)
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

/** Starts the service where it must refuse to start. Returns its exit. */
export async function exitOfProcess(env: Environment): Promise<Exit> {
  const { child, exit } = launch(env)
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS)
  const ended = await exit
  clearTimeout(timer)
  return ended
}

/** Runs an operator's command; `lines` is its output. */
export async function runAdmin(env: Environment, ...args: string[]): Promise<Exit & { lines: string[] }> {
  const { child, exit, output } = launch(env, ['dist/admin.js', ...args])
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS)
  const ended = await exit
  clearTimeout(timer)
  return { ...ended, lines: output().split('\n').filter(Boolean) }
}

/** Starts the service, or another program of the build, without waiting. */
export function launch(env: Environment, program = SERVICE) {
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
    pid: child.pid as number,
    /** Resolves when the process has exited. */
    exit,
    /** The end of its log. */
    output,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    /** Sends the signal without waiting. */
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Sends the signal and waits for the exit. A process that does not exit within 10 seconds is killed; its code is then null. */
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

/** Reads the stream and returns a function that returns its last characters. */
function keep(stream: Readable): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (more: string) => {
    text = (text + more).slice(-KEPT)
  })
  return () => text
}

/** Reads the address from the log: with port 0 the service chooses a free one. */
async function addressOf({ child, output }: ReturnType<typeof launch>): Promise<string> {
  const signal = AbortSignal.timeout(START_MS)
  for (;;) {
    const address = /listens at (http:\/\/[^/"\s]+)/.exec(output())?.[1]
    if (address) return address
    await once(child.stdout, 'data', { signal })
  }
}

/** Polls `/readyz` until it is 200, the process has exited, or the time is up. */
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
