/** The built service as a process that tests start, stop and restart. Every wait has a limit. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SERVICE = ['dist/main.js']
/** For NODE_OPTIONS: see `shifted-clock.cjs`. */
export const SHIFTED_CLOCK = `--require ${fileURLToPath(new URL('shifted-clock.cjs', import.meta.url))}`
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
  errors: string[]
}

export type ServiceProcess = Awaited<ReturnType<typeof startProcess>>
type Launched = ReturnType<typeof launch>

type Environment = Record<string, string | undefined>

const running = new Set<ChildProcess>()

/** Kills what a failed test left running. `kill-processes.ts` calls it after each file. */
export const killAll = () => {
  for (const child of running) child.kill('SIGKILL')
}
process.once('exit', killAll)

/** Starts the service, of this build or another one, and resolves when `/readyz` is 200. Only PATH is passed on from the tests' environment. */
export async function startProcess(env: Environment, program = SERVICE) {
  const service = launch(env, program)
  const url = await addressOf(service)
  await untilReady(service, `${url}/readyz`)
  return { ...service, url }
}

/** Starts the service where it must refuse to start. Returns its exit. */
export const exitOfProcess = (env: Environment) => endWithin(START_MS, launch(env))

/** Runs an operator's command; `lines` is its output. */
export async function runAdmin(env: Environment, ...args: string[]) {
  const command = launch(env, ['dist/admin.js', ...args])
  return { ...(await endWithin(START_MS, command)), lines: linesOf(command.output()) }
}

/** The exit of a process, which is killed if it takes longer. */
async function endWithin(
  limit_ms: number,
  started: { child: ChildProcess; exit: Promise<Exit> },
): Promise<Exit> {
  const timer = setTimeout(() => started.child.kill('SIGKILL'), limit_ms)
  const ended = await started.exit
  clearTimeout(timer)
  return ended
}

const linesOf = (text: string) => text.split('\n').filter(Boolean)

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
    return { code, errors: linesOf(complained()) }
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
      return endWithin(END_MS, { child, exit })
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
async function addressOf(service: Launched): Promise<string> {
  const { child, output, exit, isRunning } = service
  const signal = AbortSignal.timeout(START_MS)
  while (isRunning()) {
    const address = /listens at (http:\/\/[^/"\s]+)/.exec(output())?.[1]
    if (address) return address
    await Promise.race([once(child.stdout, 'data', { signal }), exit])
  }
  return neverReady(service)
}

/** Polls an address until it is 200. Rejects if the process exits before, or the time is up. */
export async function untilReady(service: Launched, address: string): Promise<void> {
  const until = Date.now() + START_MS
  while (service.isRunning()) {
    if (Date.now() > until) throw new Error(`${address} did not answer 200 in ${START_MS} ms`)
    const response = await fetch(address, { signal: AbortSignal.timeout(START_MS) }).catch(() => null)
    await response?.arrayBuffer().catch(() => {})
    if (response?.ok) return
    await wait(ASK_MS)
  }
  return neverReady(service)
}

async function neverReady({ exit }: Launched): Promise<never> {
  const { code, errors } = await exit
  throw new Error(`the process ended with ${code} before it was ready:\n${errors.join('\n')}`)
}

/** Resolves with what a process writes to its standard error once it is ready. Kills it if it takes longer. */
export function untilWritten(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => child.kill('SIGKILL'), START_MS)
    const written = keep(child.stderr as Readable)
    const look = () => {
      const found = pattern.exec(written())
      if (!found) return
      clearTimeout(late)
      child.stderr?.off('data', look)
      resolve(found)
    }
    child.stderr?.on('data', look)
    child.once('error', reject)
    child.once('exit', () => {
      clearTimeout(late)
      reject(new Error(`${child.spawnfile} did not start:\n${written()}`))
    })
  })
}
