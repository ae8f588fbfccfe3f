/** Brace alternatives of a glob, counted before any is built, so that hostile nesting costs nothing (contract §6). */

import { CLOSE, COMMA, OPEN, tooManyAlternatives } from './tokens.ts'

/** Runs of tokens with an alternation between each two; `count` is the number of ways to read it. */
export interface Sequence {
  readonly runs: (readonly number[])[]
  readonly alternations: Alternation[]
  count: number
}

interface Alternation {
  readonly branches: Sequence[]
  count: number
}

/** The alternatives of a glob, 0 to `whole.count - 1`, in the order a shell would list them. */
export interface Expansion {
  readonly whole: Sequence
  /** Tokens without `OPEN`, `COMMA` and `CLOSE`. */
  readonly read: (which: number) => readonly number[]
}

/**
 * Expands the braces of `tokens`; those that form no alternation are plain characters. Throws GlobError for more than
 * `most` alternatives.
 */
export function expandBraces(tokens: readonly number[], most: number): Expansion {
  if (!tokens.some(isStructure)) {
    return { whole: { runs: [tokens], alternations: [], count: 1 }, read: () => tokens }
  }
  const settled = withoutStrayBraces(tokens)
  const whole = sequenceAt(settled, { at: 0 })
  if (whole.count > most) throw tooManyAlternatives(most)
  if (whole.count === 1) return { whole, read: () => settled }
  return { whole, read: (which) => readingOf(whole, which, []) }
}

/** The tokens with every brace and comma that is no part of an alternation turned into its character. */
function withoutStrayBraces(tokens: readonly number[]): readonly number[] {
  const settled: number[] = []
  const open: { at: number; commas: number[] }[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as number
    settled.push(characterOf(token))
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
function sequenceAt(tokens: readonly number[], cursor: { at: number }): Sequence {
  const sequence: Sequence = { runs: [], alternations: [], count: 1 }
  while (true) {
    const from = cursor.at
    while (cursor.at < tokens.length && !isStructure(tokens[cursor.at] as number)) cursor.at++
    sequence.runs.push(tokens.slice(from, cursor.at))
    if (tokens[cursor.at] !== OPEN) return sequence
    const alternation: Alternation = { branches: [], count: 0 }
    do {
      cursor.at++
      const branch = sequenceAt(tokens, cursor)
      alternation.branches.push(branch)
      alternation.count += branch.count
    } while (tokens[cursor.at] === COMMA)
    cursor.at++
    sequence.alternations.push(alternation)
    sequence.count *= alternation.count
  }
}

function isStructure(token: number): boolean {
  return token === OPEN || token === COMMA || token === CLOSE
}

/** Adds reading number `which` (0-based, below `sequence.count`) to `out`. */
function readingOf(sequence: Sequence, which: number, out: number[]): readonly number[] {
  let rest = sequence.count
  let left = which
  for (const [at, run] of sequence.runs.entries()) {
    for (const token of run) out.push(token)
    const alternation = sequence.alternations[at]
    if (alternation === undefined) break
    rest /= alternation.count
    let choice = Math.floor(left / rest)
    left %= rest
    for (const branch of alternation.branches) {
      if (choice < branch.count) {
        readingOf(branch, choice, out)
        break
      }
      choice -= branch.count
    }
  }
  return out
}
