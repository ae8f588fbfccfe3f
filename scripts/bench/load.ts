/** Loads an HTTP service from a process of its own, with so many clients that each wait for their answer. */
import { cpuSeconds, startTask, type Task } from './child.ts'

/** `########` in a path or a body stands for a number that is different each time. */
export interface Template {
  method: string
  path: string
  body?: string
}

export interface LoadTask {
  /** Taken in turns, client by client. */
  urls: string[]
  token: string
  clients: number
  requests: Template[]
  /** Whichever comes first. */
  ms: number
  count?: number
  /** Further headers, for all. */
  headers?: Record<string, string>
}

export interface LoadResult {
  count: number
  per_second: number
  /** Milliseconds. */
  p50: number
  p99: number
  max: number
  /** How many answers had which status. */
  statuses: Record<string, number>
}

export interface Loaded extends LoadResult {
  /** Processor time of the watched process for each request, in microseconds. */
  cpu_us: number
}

export interface Loader {
  /** Throws when an answer had another status than `status`. `pid`: whose processor time is counted. */
  run(task: LoadTask, expected: { status: number; pid?: number }): Promise<Loaded>
  close(): Promise<void>
}

export async function startLoader(): Promise<Loader> {
  let task: Task<LoadResult> = await startTask<LoadResult>('load')
  return {
    async run(load, { status, pid }) {
      // A load that failed took its process with it.
      if (task.child.exitCode !== null) task = await startTask<LoadResult>('load')
      const before = pid === undefined ? Number.NaN : cpuSeconds(pid)
      const result = await task.ask(load)
      const after = pid === undefined ? Number.NaN : cpuSeconds(pid)
      const wrong = Object.entries(result.statuses).find(([name]) => Number(name) !== status)
      if (wrong) {
        const { method, path } = load.requests[0] as Template
        throw new Error(`${method} ${path}: ${wrong[1]} answers with ${wrong[0]} in place of ${status}`)
      }
      return { ...result, cpu_us: ((after - before) / result.count) * 1e6 }
    },
    close: () => task.close(),
  }
}
