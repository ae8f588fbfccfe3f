/** Processes of the benchmark beside the service: each gets its task as JSON and answers in JSON lines. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const END_MS = 5000

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Keeps account of a process, so that none is left when this one ends. */
export function watched<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Ends a process, at last by force. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), END_MS)
  await exit
  clearTimeout(impatience)
}

export interface Task<Answer> {
  child: ChildProcess
  pid: number
  /** Sends a question and waits for its answer; one at a time. */
  ask(question: object): Promise<Answer>
  close(): Promise<void>
}

/** Starts `processes/NAME.ts` with IPC. The first message that it sends says that it is ready, and is in `greeting`. */
export async function startTask<Answer, Greeting = unknown>(
  name: string,
  options: { setUp?: object; env?: Record<string, string>; cwd?: string } = {},
): Promise<Task<Answer> & { greeting: Greeting }> {
  const file = fileURLToPath(new URL(`./processes/${name}.ts`, import.meta.url))
  const tsx = import.meta.resolve('tsx')
  const child = watched(
    spawn(process.execPath, ['--import', tsx, file], {
      cwd: options.cwd ?? ROOT,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    }),
  )
  let complaints = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-4000)
  })
  const next = async <Message>(): Promise<Message> => {
    const ended = new AbortController()
    const message = once(child, 'message', { signal: ended.signal }).then(([value]) => value as Message)
    const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`${name} ended:\n${complaints}`)
    })
    try {
      return await Promise.race([message, exit])
    } finally {
      ended.abort()
      await Promise.allSettled([message, exit])
    }
  }
  child.send(options.setUp ?? {})
  const greeting = await next<Greeting>()
  return {
    child,
    pid: child.pid as number,
    greeting,
    ask(question) {
      child.send(question)
      return next<Answer>()
    },
    close: () => end(child),
  }
}

const TICKS_PER_S = 100

/** Seconds of processor time that a process has used. Linux only; NaN elsewhere. */
export function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S
  } catch {
    return Number.NaN
  }
}

/** Resident memory of a process now, and the most it had; in MB. Linux only; NaN elsewhere. */
export function memoryOf(pid: number): { now: number; most: number } {
  const read = (name: string, status: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / 1024
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return { now: read('VmRSS', status), most: read('VmHWM', status) }
  } catch {
    return { now: Number.NaN, most: Number.NaN }
  }
}
