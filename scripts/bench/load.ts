/** Starts the load generator in a separate process. Each client sends its next request after the response (closed loop). */
import { cpuSeconds, startTask, type Task } from './child.ts'

/** `########` in a body or path is replaced by a different number each time. */
export interface Template {
  method: string
  path: string
  body?: string
}

export interface LoadTask {
  /** Assigned to clients round robin. */
  urls: string[]
  token: string
  clients: number
  requests: Template[]
  /** The run ends after `ms` or `count` requests, whichever comes first. */
  ms: number
  count?: number
  /** Additional headers of all requests. */
  headers?: Record<string, string>
}

export interface LoadResult {
  count: number
  per_second: number
  /** Milliseconds. */
  p50: number
  p99: number
  max: number
  /** Number of responses by status. */
  statuses: Record<string, number>
}

export interface Loaded extends LoadResult {
  /** Processor time of the server per request, in microseconds. */
  cpu_us: number
}

export interface Loader {
  /** Throws when a response has a status other than `status`. `pid`: the process whose processor time is measured. */
  run(task: LoadTask, expected: { status: number; pid?: number }): Promise<Loaded>
  close(): Promise<void>
}

export async function startLoader(): Promise<Loader> {
  let task: Task<LoadResult> = await startTask<LoadResult>('load')
  return {
    async run(load, { status, pid }) {
      // A failed run ends the process.
      if (task.child.exitCode !== null) task = await startTask<LoadResult>('load')
      const before = pid === undefined ? Number.NaN : cpuSeconds(pid)
      const result = await task.request(load)
      const after = pid === undefined ? Number.NaN : cpuSeconds(pid)
      const wrong = Object.entries(result.statuses).find(([name]) => Number(name) !== status)
      if (wrong) {
        const { method, path } = load.requests[0] as Template
        throw new Error(`${method} ${path}: ${wrong[1]} responses with ${wrong[0]} instead of ${status}`)
      }
      return { ...result, cpu_us: ((after - before) / result.count) * 1e6 }
    },
    close: () => task.close(),
  }
}
