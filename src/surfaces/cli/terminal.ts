/** What is shown on a terminal: text of others made harmless, colour where it is wanted, relative times. */
import { styleText } from 'node:util'
import type { Output } from './world.ts'

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'
export type Paint = (style: Style, text: string) => string

/** How lines are laid out. */
export interface Look {
  paint: Paint
  now: Date
  /** Columns of a line. */
  width: number
}

/** Of risks, severities and importances. */
export const LEVEL_STYLES = { low: 'dim', medium: 'yellow', high: 'red', critical: 'red' } as const

/** Whole escape sequences, as far as they can be told apart from text. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what controls a terminal has to be named to be taken out
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u009b[0-?]*[ -/]*[@-~]/g
/** Control characters, and those that turn the direction of writing, which make a line read as another one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Text of a record on one line, in which nothing is left that a terminal would act on. */
export function plain(text: string): string {
  return text.replace(SEQUENCES, '').replace(CONTROLS, ' ').replace(/ {2,}/g, ' ').trim()
}

/** JSON for programs; on a terminal too it is nothing but text. */
export function printable(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Colours for an output: only on a terminal, and not where `NO_COLOR` is set. */
export function painter(output: Output, env: Record<string, string | undefined>): Paint {
  const isColoured = output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  return (style, text) => (isColoured ? styleText(style, text, { validateStream: false }) : text)
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** What was set for a day reads as a day, also a moment later. */
const SLACK = 1.01

/** `3 min ago`, `in 23 h`, `now`. */
export function relative(instant: string, now: Date): string {
  const left = new Date(instant).getTime() - now.getTime()
  const ms = left > 0 ? left * SLACK : left
  const [unit, size] = UNITS.find(([, size]) => Math.abs(ms) >= size) ?? ['s', 1000]
  const count = Math.floor(Math.abs(ms) / size)
  if (count === 0) return 'now'
  return ms < 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`
}
