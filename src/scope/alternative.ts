/** One brace alternative of a glob as a row of segments, with what decides most comparisons at once (contract §6). */

import type { Budget } from '../base/budget.ts'
import { ANY_NAME, type Segment, segmentOf, type Wild } from './segment.ts'
import { type CharClass, SLASH, STAR } from './tokens.ts'

/** A segment, or any number of segments, none included. */
export type Part = Segment | null

/**
 * `file`: the path `dir` and nothing else. `plain`: the path `dir` itself and everything beneath it. `subtree`: everything beneath `dir`, not `dir` itself.
 * `pattern`: anything else. Whatever the kind, every path it matches is `dir` or lies beneath it ('' is the root), so
 * two alternatives can share a path only when one `dir` is the other or an ancestor of it; when both are `plain` or
 * `subtree`, they then do.
 */
export interface Alternative {
  readonly kind: 'file' | 'plain' | 'subtree' | 'pattern'
  readonly dir: string
  /** Every path it matches begins with `prefix` and ends with `suffix`. */
  readonly prefix: string
  readonly suffix: string
  /** Every path it matches holds this text: the longest one known. */
  readonly core: string
  /** Null in a plain one or a file until needed: there are thousands. Read it by `partsOf`. */
  parts: readonly Part[] | null
}

/** The path itself or anything beneath it. `path` is normal: names joined by single slashes. */
export function plainAlternative(path: string): Alternative {
  return { kind: 'plain', dir: path, prefix: path, suffix: '', core: path, parts: null }
}

/** The path itself. */
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

/** Whether any number of names may come between the directory that all it matches lies in and the rest. */
export function isDeep({ kind, dir, parts }: Alternative): boolean {
  return kind === 'pattern' && parts?.[dir === '' ? 0 : dir.split('/').length] === null
}

/** The row of segments that a path has to match. */
export function partsOf(alternative: Alternative): readonly Part[] {
  alternative.parts ??= [...alternative.dir.split('/'), ...(alternative.kind === 'file' ? [] : [null])]
  return alternative.parts
}

/** What building costs, in units: an alternative beside one for each token, a segment, and one with wildcards on top. */
const AN_ALTERNATIVE = 40
const A_SEGMENT = 4
const WILD = 8

/**
 * The alternative of tokens that hold no braces; null when nothing is left once empty segments and `.` are dropped, or
 * when the budget ran out.
 */
export function alternativeOf(
  tokens: readonly number[],
  classes: readonly CharClass[],
  budget: Budget,
): Alternative | null {
  budget.remaining -= AN_ALTERNATIVE + tokens.length
  const parts: Part[] = []
  let coversBeneath = false
  for (let from = 0, to = 0; from <= tokens.length; from = to + 1) {
    to = tokens.indexOf(SLASH, from)
    if (to === -1) to = tokens.length
    coversBeneath = true
    if (from === to) continue
    budget.remaining -= A_SEGMENT
    if (budget.remaining < 0) return null
    const stars = countStars(tokens, from, to)
    if (stars === to - from && stars === 2) {
      if (parts.at(-1) !== null) parts.push(null)
      continue
    }
    const part = stars === to - from ? ANY_NAME : segmentOf(tokens.slice(from, to), classes)
    if (part === '.') continue
    if (typeof part !== 'string') budget.remaining -= WILD
    parts.push(part)
    coversBeneath = typeof part === 'string'
  }
  if (parts.length === 0) return null
  // At the end `**` needs at least one name.
  if (parts.at(-1) === null) parts.splice(-1, 1, ANY_NAME)
  if (coversBeneath) parts.push(null)
  return summarise(parts)
}

/** How many stars in a row begin the tokens of a range. */
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

/** The longest text that every path which matches the parts is sure to hold. */
function requiredText(parts: readonly Part[]): string {
  let longest = ''
  for (const part of parts) {
    const text = typeof part === 'string' ? part : part === null ? '' : longestRun(part.tokens)
    if (text.length > longest.length) longest = text
  }
  return longest
}

/** The longest run of plain characters. */
function longestRun(tokens: readonly number[]): string {
  let [from, to] = [0, 0]
  for (let at = 0, start = 0; at <= tokens.length; at++) {
    if (at < tokens.length && (tokens[at] as number) >= 0) continue
    if (at - start > to - from) [from, to] = [start, at]
    start = at + 1
  }
  return String.fromCodePoint(...tokens.slice(from, to))
}
