/** Speaks to the service as bytes on a connection, for what no HTTP client would send. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Heard {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}

export interface Wire {
  socket: Socket
  write(bytes: string | Uint8Array): void
  /** The bytes that came so far. */
  said(): string
  /** Resolves when the service has ended the connection, in whatever way. */
  ended: Promise<void>
}

export async function openWire(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: false })
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  // What is sent after the service has closed is lost, and that is no fault.
  socket.on('error', () => {})
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  return {
    socket,
    write: (bytes) => socket.write(bytes),
    said: () => Buffer.concat(chunks).toString('latin1'),
    ended,
  }
}

/** Sends the bytes on a connection of their own, and answers what came until the service ended it. */
export async function sendBytes(url: string, bytes: string | Uint8Array): Promise<Heard[]> {
  const wire = await openWire(url)
  wire.write(bytes)
  await wire.ended
  return answersIn(wire.said())
}

/** The answers in what was heard, all of which say their length. Throws where something else stands between them. */
export function answersIn(said: string): Heard[] {
  const answers: Heard[] = []
  let rest = Buffer.from(said, 'latin1')
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (end === -1 || !status)
      throw new Error(`no answer: ${JSON.stringify(rest.toString('latin1').slice(0, 200))}`)
    rest = rest.subarray(end + 4)
    if (status === 100) continue
    const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]))
    const length = Number(headers.get('content-length'))
    const text = rest.subarray(0, length).toString('utf8')
    rest = rest.subarray(length)
    answers.push({ status, headers, body: text === '' ? null : JSON.parse(text) })
  }
  return answers
}
