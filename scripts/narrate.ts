/** Prints the requests and responses of the demo for people to read. */

import { styleText } from 'node:util'
import { wrap } from '../src/cli/text-layout.ts'

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
type Body = any

let step = 0

/** Shows requests and responses, and the comments in full. Otherwise each step is one line. */
const IS_VERBOSE = process.argv.includes('--verbose')
const FRAME_WIDTH = 96

export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Says it with `--verbose` only. */
export function detail(text: string): void {
  if (IS_VERBOSE) say(text)
}

export function heading(text: string): void {
  step += 1
  detail(`\n${paint('bold', `${step}. ${text}`)}`)
}

/** Ends a step: `line` sums it up, and `text` explains it with `--verbose`. */
export function conclude(
  line: string,
  { text, isWarning = false }: { text: string; isWarning?: boolean },
): void {
  if (IS_VERBOSE) say(paint('green', `   ⇒ ${text}`))
  else say(isWarning ? `${paint('yellow', '⚠')} ${line}` : `${paint('green', '✓')} ${line}`)
}

export function quote(text: string): void {
  detail(text.replaceAll(/^/gm, '   │ '))
}

/** Draws a frame around lines, which are wrapped at its width. */
export function frame(lines: string[]): void {
  if (IS_VERBOSE) return
  const cut = lines.flatMap((line) => wrap(line, { width: FRAME_WIDTH, indent: '  ' }))
  const width = Math.max(...cut.map((line) => line.length))
  say(`  ┌${'─'.repeat(width + 2)}┐`)
  for (const line of cut) say(`  │ ${line.padEnd(width)} │`)
  say(`  └${'─'.repeat(width + 2)}┘`)
}

export interface Narrator {
  /** Sends a request and prints it with the fields of the response in `show`, such as `activity.id`. Throws when it fails. */
  (method: string, path: string, options: NarratedRequest): Promise<Body>
  /** Sends a request without printing it. */
  quietly(method: string, path: string): Promise<{ response: Response; body: Body }>
}

interface NarratedRequest {
  body?: object
  headers?: Record<string, string>
  show: string[]
}

/** A client for one agent. `api` is the URL of the repository in the API. */
export function narrator(who: string, api: string, token: string): Narrator {
  const send = async (method: string, path: string, options: Omit<NarratedRequest, 'show'> = {}) => {
    const response = await fetch(`${api}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...options.headers },
      body: options.body && JSON.stringify(options.body),
    })
    return { response, body: (await response.json()) as Body }
  }
  const narrate = async (method: string, path: string, options: NarratedRequest): Promise<Body> => {
    const { response, body } = await send(method, path, options)
    detail(`   ${who}: ${paint('cyan', `${method} ${new URL(api).pathname}${path}`)}`)
    for (const [name, value] of Object.entries(options.headers ?? {})) detail(`     ${name}: ${value}`)
    if (options.body) detail(indent(JSON.stringify(options.body, null, 1), 5))
    const replayed = response.headers.has('idempotent-replayed') ? '  Idempotent-Replayed: true' : ''
    detail(`   → ${paint(response.ok ? 'green' : 'red', String(response.status))}${replayed}`)
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(body)}`)
    for (const name of options.show)
      detail(indent(`${name}: ${JSON.stringify(fieldOf(body, name), null, 1)}`, 5))
    return body
  }
  return Object.assign(narrate, { quietly: send })
}

function fieldOf(body: Body, name: string): unknown {
  return name.split('.').reduce((part, key) => part?.[key], body)
}

/** Puts arrays and objects that are short enough on one line. */
function indent(json: string, by: number): string {
  const compact = json.replaceAll(/[[{]\n\s+[^[\]{}]{0,90}?\n\s*[\]}]/g, (part) =>
    part.replaceAll(/\n\s*/g, ' '),
  )
  return compact.replaceAll(/^/gm, ' '.repeat(by))
}

function paint(style: 'bold' | 'cyan' | 'green' | 'red' | 'yellow', text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text
}
