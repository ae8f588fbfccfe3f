/** The load generator: persistent sockets with one request in flight each. It uses less processor time than the server. */
import { connect, type Socket } from 'node:net'
import type { LoadResult, LoadTask, Template } from '../load.ts'

const NUMBER = '########'
const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')

/** A request as bytes, with the offsets of its numbers. */
interface Prepared {
  bytes: Buffer
  numbers: number[]
}

let number = 0

process.once('message', () => {
  process.on('message', (task: LoadTask) => {
    run(task).then(
      (result) => process.send?.(result),
      (error: Error) => {
        process.stderr.write(`${error.stack}\n`)
        process.exit(1)
      },
    )
  })
  process.send?.('ready')
})

async function run(task: LoadTask): Promise<LoadResult> {
  const urls = task.urls.map((url) => new URL(url))
  const prepared = urls.map((url) => task.requests.map((request) => prepare(url, task, request)))
  const times: number[] = []
  const statuses: Record<string, number> = {}
  const started = performance.now()
  const until = started + task.ms
  const most = task.count ?? Number.POSITIVE_INFINITY
  let begun = 0
  const client = async (which: number) => {
    const at = which % urls.length
    const connection = await openConnection(urls[at] as URL)
    const requests = prepared[at] as Prepared[]
    while (begun < most && performance.now() < until) {
      const request = requests[begun++ % requests.length] as Prepared
      const sent = performance.now()
      const status = await connection.exchange(numbered(request))
      times.push(performance.now() - sent)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: task.clients }, (_, which) => client(which)))
  const seconds = (performance.now() - started) / 1000
  times.sort((a, b) => a - b)
  const at = (part: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN
  const count = times.length
  return { count, per_second: count / seconds, p50: at(0.5), p99: at(0.99), max: at(1), statuses }
}

function prepare(url: URL, { token, headers = {} }: LoadTask, { method, path, body }: Template): Prepared {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${url.host}`,
    `Authorization: Bearer ${token}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined
      ? ['Content-Length: 0']
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ]
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
  const numbers: number[] = []
  for (let at = bytes.indexOf(NUMBER); at !== -1; at = bytes.indexOf(NUMBER, at + NUMBER.length))
    numbers.push(at)
  return { bytes, numbers }
}

function numbered({ bytes, numbers }: Prepared): Buffer {
  if (numbers.length === 0) return bytes
  const text = String(++number).padStart(NUMBER.length, '0')
  const copy = Buffer.from(bytes)
  for (const at of numbers) copy.write(text, at, 'latin1')
  return copy
}

interface Connection {
  /** Sends a request, and returns the status when the response is complete. */
  exchange(request: Buffer): Promise<number>
  close(): void
}

function openConnection(url: URL): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(url.port), url.hostname)
    socket.setNoDelay(true)
    let onStatus: ((status: number) => void) | undefined
    let failed: (error: Error) => void = reject
    let received: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const size = responseSize(received)
      if (size === undefined || received.length < size) return
      const status = Number(received.toString('latin1', 9, 12))
      received = Buffer.alloc(0)
      onStatus?.(status)
    })
    socket.on('error', (error) => failed(error))
    socket.on('close', () => failed(new Error('the connection was closed before the response')))
    socket.once('connect', () =>
      resolve({
        exchange: (request) =>
          new Promise((done, fail) => {
            onStatus = done
            failed = fail
            socket.write(request)
          }),
        close() {
          failed = () => {}
          socket.destroy()
        },
      }),
    )
  })
}

/** The size of the complete response in bytes; undefined while it is unknown. */
function responseSize(received: Buffer): number | undefined {
  const end = received.indexOf(HEAD_END)
  if (end === -1) return undefined
  const length = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, end))?.[1]
  if (length !== undefined) return end + HEAD_END.length + Number(length)
  // Chunked encoding ends with an empty chunk.
  const last = received.indexOf(LAST_CHUNK, end)
  return last === -1 ? undefined : last + LAST_CHUNK.length
}
