/** Reads a JSON request body of limited size and shape (docs/contract/requests.md#bodies). */
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import type { Meter } from '../../../vocabulary/clock.ts'
import { formatPath } from '../../../vocabulary/contract/parse.ts'
import { Failure } from '../../../vocabulary/failure.ts'

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
  checkShape(text)
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

/** Valid bodies have three levels. V8 takes 0.1 s to parse a megabyte of brackets. */
const DEPTH_MAX = 32
/** The schemas have fewer than 20 names per object, and each unknown name is compared with all of them. */
const NAMES_MAX = 100

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * Throws `invalid_request` for nesting that is too deep, and for an object with too many names or a duplicate name, before the
 * text is parsed: `JSON.parse` accepts duplicate names and is slow on deep nesting. Scans the text once, without recursion,
 * and does not check the rest of the syntax.
 */
export function checkShape(json: string): void {
  /** The names in each open object; null for a list. */
  const open: (Set<string> | null)[] = []
  const path: (string | number)[] = []
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charCodeAt(at)
    if (char === QUOTE) {
      const end = endOfString(json, at)
      const names = open.at(-1)
      if (names && isName(json, end)) addName(names, path, decoded(json.slice(at + 1, end)))
      at = end
    } else if (char === OPEN_OBJECT || char === OPEN_ARRAY) {
      if (open.push(char === OPEN_OBJECT ? new Set() : null) > DEPTH_MAX)
        throw new Failure('invalid_request', `body: must not be nested more than ${DEPTH_MAX} levels deep`)
      path.push(0)
    } else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) {
      open.pop()
      path.pop()
    } else if (char === COMMA && open.at(-1) === null) {
      path[path.length - 1] = Number(path.at(-1)) + 1
    }
  }
}

function addName(names: Set<string>, path: (string | number)[], name: string): void {
  path[path.length - 1] = name
  if (names.has(name)) {
    const param = formatPath(path)
    throw new Failure('invalid_request', `${param}: appears twice in the same object; send it once`, {
      param,
    })
  }
  names.add(name)
  if (names.size > NAMES_MAX)
    throw new Failure('invalid_request', `body: an object must have at most ${NAMES_MAX} fields`)
}

/** The index of the quote that closes the string at `start`, or the length of the text. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end === -1 ? json.length : end
}

function isEscaped(json: string, at: number): boolean {
  let count = 0
  while (json.charCodeAt(at - 1 - count) === BACKSLASH) count += 1
  return count % 2 === 1
}

/** Whether the string that ends at `end` is followed by a colon. */
function isName(json: string, end: number): boolean {
  let next = end + 1
  while (json.charCodeAt(next) <= 0x20) next += 1
  return json.charCodeAt(next) === COLON
}

/** Decodes escapes: `"p\u0061ths"` is the same name as `"paths"`. */
function decoded(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(`"${raw}"`)
  } catch {
    return raw
  }
}
