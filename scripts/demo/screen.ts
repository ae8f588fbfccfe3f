/** What the demo prints, and the requests of its agents. */
import { setTimeout as wait } from 'node:timers/promises'
import { styleText } from 'node:util'
import { wrap } from '../../src/cli/text-layout.ts'

const FRAME_WIDTH = 96
/** Pull requests are rechecked by a background worker, which may take this long on a slow machine. */
const TIMEOUT_MS = 30_000
const POLL_MS = 100

export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** What went well in a step. */
export function tell(line: string): void {
  say(`${paint('green', '✓')} ${line}`)
}

/** What the step warned of. */
export function warn(line: string): void {
  say(`${paint('yellow', '⚠')} ${line}`)
}

/** Draws a frame around lines, which are wrapped at its width. */
export function frame(lines: string[]): void {
  const cut = lines.flatMap((line) => wrap(line, { width: FRAME_WIDTH, indent: '  ' }))
  const width = Math.max(...cut.map((line) => line.length))
  say(`  ┌${'─'.repeat(width + 2)}┐`)
  for (const line of cut) say(`  │ ${line.padEnd(width)} │`)
  say(`  └${'─'.repeat(width + 2)}┘`)
}

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
export type Agent = (method: string, path: string, body?: object, headers?: object) => Promise<any>

/** Sends requests below `api`, the URL of the repository in the API. Throws when one fails. */
export function agentAt(api: string, token: string): Agent {
  return async (method, path, body, headers) => {
    const response = await fetch(`${api}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }
}

/** Polls until `find` returns a value. */
export async function until<Found>(what: string, find: () => Promise<Found | undefined>): Promise<Found> {
  for (let waited = 0; waited < TIMEOUT_MS; waited += POLL_MS) {
    const found = await find()
    if (found !== undefined) return found
    await wait(POLL_MS)
  }
  throw new Error(`the demo timed out waiting for ${what}`)
}

function paint(style: 'green' | 'yellow', text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text
}
