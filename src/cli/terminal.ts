/** Output for a terminal: colors and relative times. */
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
