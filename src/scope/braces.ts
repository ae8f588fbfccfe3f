/** Brace alternatives of a glob, counted before any is built, so that hostile nesting costs nothing (contract §6). */

import { CLOSE, COMMA, OPEN, tooManyAlternatives } from './tokens.ts'

/** Runs of tokens and alternations in a row; `count` is the number of ways to read it. */
interface Sequence {
  readonly items: (Int32Array | Alternation)[]
  count: number
}

interface Alternation {
  readonly branches: Sequence[]
  count: number
}

/** The alternatives of a glob, 0 to `count - 1`, in the order a shell would list them. */
export interface Expansion {
  readonly count: number
  /** The most tokens an alternative can have. */
  readonly length: number
  /** Tokens without `OPEN`, `COMMA` and `CLOSE`, in memory that the next call writes over. */
  readonly read: (which: number) => Int32Array
}

/**
 * Expands the braces of `tokens`; those that form no alternation are plain characters. Throws GlobError for more than
 * `most` alternatives.
 */
export function expandBraces(tokens: readonly number[], most: number): Expansion {
  const settled = withoutStrayBraces(tokens)
  const whole = sequenceAt(settled, { at: 0 })
  if (whole.count > most) throw tooManyAlternatives(most)
  const out = new Int32Array(settled.length)
  const read = (which: number) => out.subarray(0, write(whole, which, { out, at: 0 }))
  return { count: whole.count, length: settled.length, read }
}

/** The tokens with every brace and comma that is no part of an alternation turned into its character. */
function withoutStrayBraces(tokens: readonly number[]): Int32Array {
  const settled = new Int32Array(tokens.length)
  const open: { at: number; commas: number[] }[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as number
    settled[at] = characterOf(token)
    if (token === OPEN) open.push({ at, commas: [] })
    if (token === COMMA) open.at(-1)?.commas.push(at)
    const group = token === CLOSE ? open.pop() : undefined
    if (group === undefined || group.commas.length === 0) continue
    settled[group.at] = OPEN
    settled[at] = CLOSE
    for (const comma of group.commas) settled[comma] = COMMA
  }
  return settled
}

/** What a brace or comma is where it has no meaning; any other token is itself. */
function characterOf(token: number): number {
  if (token === OPEN) return 0x7b
  if (token === COMMA) return 0x2c
  return token === CLOSE ? 0x7d : token
}

/** Reads from `cursor` to the end of the branch it is in, or of the tokens. */
function sequenceAt(tokens: Int32Array, cursor: { at: number }): Sequence {
  const sequence: Sequence = { items: [], count: 1 }
  while (true) {
    const from = cursor.at
    while (cursor.at < tokens.length && !isStructure(tokens[cursor.at] as number)) cursor.at++
    sequence.items.push(tokens.subarray(from, cursor.at))
    if (tokens[cursor.at] !== OPEN) return sequence
    const alternation: Alternation = { branches: [], count: 0 }
    do {
      cursor.at++
      const branch = sequenceAt(tokens, cursor)
      alternation.branches.push(branch)
      alternation.count += branch.count
    } while (tokens[cursor.at] === COMMA)
    cursor.at++
    sequence.items.push(alternation)
    sequence.count *= alternation.count
  }
}

function isStructure(token: number): boolean {
  return token === OPEN || token === COMMA || token === CLOSE
}

/** Writes reading number `which` (0-based, below `sequence.count`) and says where it ends. */
function write(sequence: Sequence, which: number, to: { out: Int32Array; at: number }): number {
  let rest = sequence.count
  let left = which
  for (const item of sequence.items) {
    if (item instanceof Int32Array) {
      to.out.set(item, to.at)
      to.at += item.length
      continue
    }
    rest /= item.count
    let choice = Math.floor(left / rest)
    left %= rest
    for (const branch of item.branches) {
      if (choice < branch.count) {
        write(branch, choice, to)
        break
      }
      choice -= branch.count
    }
  }
  return to.at
}
