/** Clients that keep one connection each, and send the next request after the response. */
import { Pool } from 'undici'
import type { ServiceProcess } from '../../test/support/process.ts'
import { quantile } from './measure.ts'
import { cpuSeconds } from './processes.ts'

export const TOKEN = 'ada'

/** `########` in a body is replaced by a different number each time. */
export interface Template {
  path: string
  body: object
}

export interface Load {
  requests: Template[]
  clients: number
  status: number
  /** The run ends after `ms` or `count` requests, whichever comes first. */
  ms: number
  count?: number
  token?: string
}

/** `rate`: requests per second; `cpu`: processor time of the service per request, in microseconds; the others in milliseconds. */
export type Loaded = Record<'rate' | 'p50' | 'p99' | 'cpu', number>

let number = 0

/** Throws when a response has another status. */
export async function load({ url, pid }: ServiceProcess, load: Load): Promise<Loaded> {
  const { requests, clients, status, ms, count = Number.POSITIVE_INFINITY, token = TOKEN } = load
  const pool = new Pool(url, { connections: clients, pipelining: 1 })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const bodies = requests.map(({ body }) => JSON.stringify(body))
  const times: number[] = []
  const cpu = cpuSeconds(pid)
  const started = performance.now()
  let begun = 0
  const client = async () => {
    while (begun < count && performance.now() < started + ms) {
      const at = begun++ % requests.length
      const { path } = requests[at] as Template
      const body = (bodies[at] as string).replaceAll('########', () => String(++number).padStart(8, '0'))
      const sent = performance.now()
      const response = await pool.request({ method: 'POST', path, headers, body })
      const text = await response.body.text()
      times.push(performance.now() - sent)
      if (response.statusCode !== status) throw new Error(`${path}: ${response.statusCode} ${text}`)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const seconds = (performance.now() - started) / 1000
  const cpu_us = ((cpuSeconds(pid) - cpu) / times.length) * 1e6
  await pool.close()
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
  return { rate: times.length / seconds, p50, p99, cpu: cpu_us }
}
