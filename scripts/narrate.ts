/** Prints the requests and responses of the demo for people to read. */
import { styleText } from 'node:util'

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
type Body = any

let step = 0

export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

export function heading(text: string): void {
  step += 1
  say(`\n${paint('bold', `${step}. ${text}`)}`)
}

export function explain(text: string): void {
  say(paint('green', `   ⇒ ${text}`))
}

export function quote(text: string): void {
  say(text.replaceAll(/^/gm, '   │ '))
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
    say(`   ${who}: ${paint('cyan', `${method} ${new URL(api).pathname}${path}`)}`)
    for (const [name, value] of Object.entries(options.headers ?? {})) say(`     ${name}: ${value}`)
    if (options.body) say(indent(JSON.stringify(options.body, null, 1), 5))
    const replayed = response.headers.has('idempotent-replayed') ? '  Idempotent-Replayed: true' : ''
    say(`   → ${paint(response.ok ? 'green' : 'red', String(response.status))}${replayed}`)
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(body)}`)
    for (const name of options.show)
      say(indent(`${name}: ${JSON.stringify(fieldOf(body, name), null, 1)}`, 5))
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

function paint(style: 'bold' | 'cyan' | 'green' | 'red', text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text
}
