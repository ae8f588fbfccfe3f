/** One brace alternative of a glob as a list of segments, with the fields that decide most comparisons. */
import type { Budget } from '../budget.ts'
import { type CharClass, SLASH, STAR } from './glob-tokens.ts'
import { ANY_NAME, type Segment, segmentOf, type Wild } from './segment.ts'

/** A segment; null is `**`, any number of segments including none. */
export type Part = Segment | null

/**
 * `file`: only the path `dir`. `plain`: the path `dir` and everything beneath it. `subtree`: everything beneath `dir`.
 * `pattern`: anything else. For every kind, each match is `dir` or beneath it ('' is the root). Two alternatives can
 * therefore share a path only if one `dir` equals or contains the other. If both are `plain` or `subtree`, they always do
 * in that case.
 */
export interface Alternative {
  readonly kind: 'file' | 'plain' | 'subtree' | 'pattern'
  readonly dir: string
  /** Every match starts with `prefix` and ends with `suffix`. */
  readonly prefix: string
  readonly suffix: string
  /** A text that every match contains: the longest one that is cheap to find. */
  readonly core: string
  /** Null until needed for `plain` and `file`, of which a scope can have thousands. Use `partsOf`. */
  parts: readonly Part[] | null
}

/** The path and everything beneath it. `path` is normalized: names joined by single slashes. */
export function plainAlternative(path: string): Alternative {
  return { kind: 'plain', dir: path, prefix: path, suffix: '', core: path, parts: null }
}

/** Only the path. */
export function fileAlternative(path: string): Alternative {
  return { kind: 'file', dir: path, prefix: path, suffix: path, core: path, parts: null }
}

/** Everything beneath the path; '' is the root. */
export function subtreeAlternative(path: string): Alternative {
  const beneath = path === '' ? '' : `${path}/`
  const names = path === '' ? [] : path.split('/')
  const parts = [...names, ANY_NAME, null]
  return { kind: 'subtree', dir: path, prefix: beneath, suffix: '', core: beneath, parts }
}

/** The segments that a path has to match. */
export function partsOf(alternative: Alternative): readonly Part[] {
  alternative.parts ??= [...alternative.dir.split('/'), ...(alternative.kind === 'file' ? [] : [null])]
  return alternative.parts
}

/** Cost units: of each alternative (and one per token), of each segment, and in addition of each segment with wildcards. */
const ALTERNATIVE_COST = 40
const SEGMENT_COST = 4
const WILDCARD_COST = 8

/**
 * Builds the alternative of tokens without braces. Null if every segment is empty or `.`, or if the budget is exhausted.
 */
export function alternativeOf(
  tokens: readonly number[],
  classes: readonly CharClass[],
  budget: Budget,
): Alternative | null {
  budget.remaining -= ALTERNATIVE_COST + tokens.length
  const parts: Part[] = []
  let coversBeneath = false
  for (let from = 0, to = 0; from <= tokens.length; from = to + 1) {
    to = tokens.indexOf(SLASH, from)
    if (to === -1) to = tokens.length
    coversBeneath = true
    if (from === to) continue
    budget.remaining -= SEGMENT_COST
    if (budget.remaining < 0) return null
    const stars = countStars(tokens, from, to)
    if (stars === to - from && stars === 2) {
      if (parts.at(-1) !== null) parts.push(null)
      continue
    }
    const part = stars === to - from ? ANY_NAME : segmentOf(tokens.slice(from, to), classes)
    if (part === '.') continue
    if (typeof part !== 'string') budget.remaining -= WILDCARD_COST
    parts.push(part)
    coversBeneath = typeof part === 'string'
  }
  if (parts.length === 0) return null
  // `a/**` does not match `a`: a trailing `**` matches one name or more.
  if (parts.at(-1) === null) parts.splice(-1, 1, ANY_NAME)
  if (coversBeneath) parts.push(null)
  return summarise(parts)
}

/** The number of stars at the start of the tokens from `from` to `to`, exclusive. */
function countStars(tokens: readonly number[], from: number, to: number): number {
  let at = from
  while (at < to && tokens[at] === STAR) at++
  return at - from
}

function summarise(parts: readonly Part[]): Alternative {
  const names = parts.slice(
    0,
    parts.findIndex((part) => typeof part !== 'string'),
  ) as string[]
  const dir = names.join('/')
  const rest = parts.slice(names.length)
  if (rest.length === 1 && rest[0] === null) return plainAlternative(dir)
  if (rest.length === 2 && rest[0] === ANY_NAME && rest[1] === null) return subtreeAlternative(dir)
  const beneath = dir === '' ? '' : `${dir}/`
  const prefix = rest[0] ? beneath + (rest[0] as Wild).prefix : beneath
  const last = rest.at(-1)
  const suffix = last ? (last as Wild).suffix : ''
  return { kind: 'pattern', dir, prefix, suffix, core: requiredText(parts), parts }
}

/** The longest text that every match contains. */
function requiredText(parts: readonly Part[]): string {
  let longest = ''
  for (const part of parts) {
    const text = typeof part === 'string' ? part : part === null ? '' : longestRun(part.tokens)
    if (text.length > longest.length) longest = text
  }
  return longest
}

/** The longest run of literal characters. */
function longestRun(tokens: readonly number[]): string {
  let [from, to] = [0, 0]
  for (let at = 0, start = 0; at <= tokens.length; at++) {
    if (at < tokens.length && (tokens[at] as number) >= 0) continue
    if (at - start > to - from) [from, to] = [start, at]
    start = at + 1
  }
  return String.fromCodePoint(...tokens.slice(from, to))
}
