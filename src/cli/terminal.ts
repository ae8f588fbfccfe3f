/** Output for a terminal: text of other people made safe, colors, relative times. */
import { styleText } from 'node:util'
import type { Output } from './runtime.ts'

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'
export type Paint = (style: Style, text: string) => string

/** The properties of the output that determine the layout of lines. */
export interface Display {
  paint: Paint
  now: Date
  /** Columns of a line. */
  width: number
}

/** Styles of risks, severities and importances. */
export const LEVEL_STYLES = { low: 'dim', medium: 'yellow', high: 'red', critical: 'red' } as const

const ESCAPE_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal control characters must be named to be removed
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u009b[0-?]*[ -/]*[@-~]/g
/** Control characters, and those that change the direction of text, which can show a line in another order. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Text of a record on one line, without escape sequences and control characters. */
export function sanitize(text: string): string {
  return text.replace(ESCAPE_SEQUENCES, '').replace(CONTROLS, ' ').replace(/ {2,}/g, ' ').trim()
}

/** The same value as JSON, with the characters escaped that a terminal would interpret. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Colors text only on a terminal, and not if `NO_COLOR` is set. */
export function painter(output: Output, env: Record<string, string | undefined>): Paint {
  const hasColor = output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  return (style, text) => (hasColor ? styleText(style, text, { validateStream: false }) : text)
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** Rounds up, so that a TTL of a day still reads `in 1 d` a moment after it was set. */
const ROUNDING = 1.01

/** `3 min ago`, `in 23 h`, `now`. */
export function relativeTime(instant: string, now: Date): string {
  const left = new Date(instant).getTime() - now.getTime()
  const ms = left > 0 ? left * ROUNDING : left
  const [unit, size] = UNITS.find(([, size]) => Math.abs(ms) >= size) ?? ['s', 1000]
  const count = Math.floor(Math.abs(ms) / size)
  if (count === 0) return 'now'
  return ms < 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`
}
