/** What the demo prints, and the requests of its agents. */
import { styleText } from 'node:util'
import { wrap } from '../../src/cli/terminal.ts'
import { apiAt } from '../../test/support/api.ts'

const FRAME_WIDTH = 96

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
export type Agent = (method: string, path: string, body?: object) => Promise<any>

/** Sends requests to acme/shop. Throws when one fails. */
export function agentAt(url: string, token: string): Agent {
  const api = apiAt(url, token)
  return async (method, path, given) => {
    const { status, body } = await api(method, path, { body: given })
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }
}

function paint(style: 'green' | 'yellow', text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text
}
