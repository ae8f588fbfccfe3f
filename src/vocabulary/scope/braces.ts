/** Brace expansion. Alternatives are counted before any is built, so that deep nesting cannot exhaust memory. */
import { CLOSE, COMMA, OPEN, tooManyAlternatives } from './glob-tokens.ts'

/** `a{b,c}d` has the runs `a` and `d`, with one alternation between them. `count`: the number of expansions. */
export interface Sequence {
  readonly runs: (readonly number[])[]
  readonly alternations: Alternation[]
  count: number
}

interface Alternation {
  readonly branches: Sequence[]
  count: number
}

/** The alternatives of a glob, 0 to `whole.count - 1`, in the order in which a shell expands them. */
export interface Expansion {
  readonly whole: Sequence
  /** The tokens of an alternative, without `OPEN`, `COMMA` and `CLOSE`. */
  readonly read: (which: number) => readonly number[]
}

/**
 * Expands the braces of `tokens`. Braces that form no alternation are literal. Throws GlobError for more than `max`
 * alternatives.
 */
export function expandBraces(tokens: readonly number[], max: number): Expansion {
  if (!tokens.some(isStructure)) {
    return { whole: { runs: [tokens], alternations: [], count: 1 }, read: () => tokens }
  }
  const resolved = withLiteralBraces(tokens)
  const whole = sequenceAt(resolved, { at: 0 })
  if (whole.count > max) throw tooManyAlternatives(max)
  if (whole.count === 1) return { whole, read: () => resolved }
  return { whole, read: (which) => expansionOf(whole, which, []) }
}

/** Replaces each brace and comma outside an alternation by its character. */
function withLiteralBraces(tokens: readonly number[]): readonly number[] {
  const resolved: number[] = []
  const open: { at: number; commas: number[] }[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as number
    resolved.push(characterOf(token))
    if (token === OPEN) open.push({ at, commas: [] })
    if (token === COMMA) open.at(-1)?.commas.push(at)
    const group = token === CLOSE ? open.pop() : undefined
    if (group === undefined || group.commas.length === 0) continue
    resolved[group.at] = OPEN
    resolved[at] = CLOSE
    for (const comma of group.commas) resolved[comma] = COMMA
  }
  return resolved
}

/** The character of a literal brace or comma; other tokens are unchanged. */
function characterOf(token: number): number {
  if (token === OPEN) return 0x7b
  if (token === COMMA) return 0x2c
  return token === CLOSE ? 0x7d : token
}

/** Parses from `cursor.at` to the comma or brace that ends this branch, or to the last token, and moves the cursor there. */
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

/** Appends expansion number `which` (0-based, below `sequence.count`) to `out`. */
function expansionOf(sequence: Sequence, which: number, out: number[]): readonly number[] {
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
        expansionOf(branch, choice, out)
        break
      }
      choice -= branch.count
    }
  }
  return out
}
