/** Sends raw bytes to the service, for requests that no HTTP client sends. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Answer } from './api.ts'

export type RawConnection = Awaited<ReturnType<typeof openRawConnection>>

export async function openRawConnection(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: false })
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  // Writes after the service has closed the connection may fail.
  socket.on('error', () => {})
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  const received = () => Buffer.concat(chunks).toString('latin1')
  return {
    socket,
    write: (bytes: string | Uint8Array) => void socket.write(bytes),
    received,
    /** Resolves when the connection is closed. */
    ended,
    /** The first complete response. */
    async answer(): Promise<Answer> {
      for (;;) {
        const answer = firstAnswer(Buffer.concat(chunks))
        if (answer) return answer.response
        if (socket.closed) throw new Error(`no answer: ${JSON.stringify(received())}`)
        await Promise.race([once(socket, 'data').catch(() => {}), ended])
      }
    },
  }
}

/** Sends the bytes on a new connection and returns the responses until it is closed. */
export async function sendBytes(url: string, bytes: string | Uint8Array): Promise<Answer[]> {
  const connection = await openRawConnection(url)
  connection.write(bytes)
  await connection.ended
  return parseResponses(connection.received())
}

/** The responses in the received bytes, all with a Content-Length. Throws for anything else. */
export function parseResponses(said: string): Answer[] {
  const answers: Answer[] = []
  let rest = Buffer.from(said, 'latin1')
  while (rest.length > 0) {
    const first = firstAnswer(rest)
    if (!first) throw new Error(`no answer: ${JSON.stringify(rest.toString('latin1').slice(0, 300))}`)
    answers.push(first.response)
    rest = rest.subarray(first.length)
  }
  return answers
}

/** The first response after any `100 Continue`, and its length in bytes; undefined if it is incomplete. */
function firstAnswer(bytes: Buffer): { response: Answer; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
  if (end === -1 || !status) return undefined
  const start = end + 4
  if (status === 100) {
    const after = firstAnswer(bytes.subarray(start))
    return after && { response: after.response, length: start + after.length }
  }
  const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]))
  const size = Number(headers.get('content-length'))
  if (bytes.length < start + size) return undefined
  const text = bytes.subarray(start, start + size).toString('utf8')
  return { response: { status, headers, body: text === '' ? null : JSON.parse(text) }, length: start + size }
}
