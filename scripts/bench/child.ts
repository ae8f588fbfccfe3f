/** Child processes of the benchmark other than the service; they exchange messages over IPC. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const STOP_TIMEOUT_MS = 5000

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Registers a process to be killed when this one exits. */
export function watched<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Stops a process with SIGTERM, then with SIGKILL. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exit
  clearTimeout(timer)
}

export interface Task<Reply> {
  child: ChildProcess
  pid: number
  /** Sends a message and waits for its reply. One at a time. */
  request(message: object): Promise<Reply>
  close(): Promise<void>
}

/** Starts `processes/NAME.ts`. Its first message, when it is ready, is `greeting`. */
export async function startTask<Reply, Greeting = unknown>(
  name: string,
  options: { setUp?: object; env?: Record<string, string>; cwd?: string } = {},
): Promise<Task<Reply> & { greeting: Greeting }> {
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
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4000)
  })
  const next = async <Message>(): Promise<Message> => {
    const settled = new AbortController()
    const message = once(child, 'message', { signal: settled.signal }).then(([value]) => value as Message)
    const exit = once(child, 'exit', { signal: settled.signal }).then(() => {
      throw new Error(`${name} exited:\n${errors}`)
    })
    try {
      return await Promise.race([message, exit])
    } finally {
      settled.abort()
      await Promise.allSettled([message, exit])
    }
  }
  child.send(options.setUp ?? {})
  const greeting = await next<Greeting>()
  return {
    child,
    pid: child.pid as number,
    greeting,
    request(message) {
      child.send(message)
      return next<Reply>()
    },
    close: () => stop(child),
  }
}

const TICKS_PER_S = 100

/** Processor time that a process has used, in seconds. NaN on systems other than Linux. */
export function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S
  } catch {
    return Number.NaN
  }
}

/** Resident memory of a process and its peak, in MB. NaN on systems other than Linux. */
export function memoryOf(pid: number): { current: number; peak: number } {
  const read = (name: string, status: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / 1024
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return { current: read('VmRSS', status), peak: read('VmHWM', status) }
  } catch {
    return { current: Number.NaN, peak: Number.NaN }
  }
}
