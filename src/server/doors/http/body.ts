/** Reads a JSON request body of limited size. */
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import type { Meter } from '../../../vocabulary/budget.ts'
import { Failure } from '../../../vocabulary/failure.ts'
import { shapeProblem } from './json-shape.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true })
const BODY_MAX = 1_048_576
/** The rest of an oversized body is discarded up to this size, so that the client can read the response; then the connection is closed. */
const DISCARDED_MAX = 16 * BODY_MAX

/**
 * Returns the JSON object, whose bytes count on `meter`; the empty body of a POST counts as `{}`. Throws `invalid_request` and
 * `body_too_large`.
 */
export async function readJson(req: IncomingMessage, meter: Meter): Promise<object> {
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Failure('invalid_request', 'body: must not be compressed; send it without Content-Encoding')
  }
  const bytes = await readBytes(req)
  meter.received += bytes.length
  if (bytes.length === 0 && req.method === 'POST') return {}
  const text = decode(bytes)
  const problem = shapeProblem(text)
  if (problem) throw new Failure('invalid_request', problem.message, { param: problem.param })
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new Failure('invalid_request', 'body: must be a JSON object, such as {}')
}

/** Reads the whole body. `finished` also reports a request that was closed before this call, for example while the token was looked up. */
function readBytes(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= BODY_MAX) {
        chunks.push(chunk)
        return
      }
      chunks.length = 0
      reject(new Failure('body_too_large', `body: must have at most ${BODY_MAX} bytes`))
      if (size > DISCARDED_MAX) req.destroy()
    })
    finished(req, { writable: false }, (error) => {
      if (error)
        reject(new Failure('invalid_request', 'body: the connection was closed before the body was complete'))
      else resolve(Buffer.concat(chunks))
    })
  })
}

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw new Failure('invalid_request', 'body: must be valid UTF-8')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const position = /at position \d+/.exec((error as Error).message)?.[0]
    throw new Failure('invalid_request', `body: must be valid JSON${position ? `, ${position}` : ''}`)
  }
}
