/** One brace alternative of a glob as a list of segments, with the fields that decide most comparisons. */
import type { Budget } from '../budget.ts'
import { ANY_NAME, type Segment, segmentsOf } from './segment.ts'
import type { Pattern } from './wildcards.ts'

/**
 * `file`: only the path `dir`. `plain`: the path `dir` and everything beneath it. `subtree`: everything beneath `dir`.
 * `pattern`: anything else. For every kind, each match is `dir` or beneath it ('' is the root). Two alternatives can
 * therefore share a path only if one `dir` equals or contains the other. If both are `plain` or `subtree`, they always do
 * in that case.
 */
export interface Alternative {
  readonly kind: 'file' | 'plain' | 'subtree' | 'pattern'
  readonly dir: string
  /** Every match starts with `prefix`, ends with `suffix` and contains `core`. */
  readonly prefix: string
  readonly suffix: string
  readonly core: string
  /** What a path has to match; null is `**`. Null until needed for `plain`, of which a scope can have thousands. Use `partsOf`. */
  parts: Pattern<Segment> | null
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
  return {
    kind: 'subtree',
    dir: path,
    prefix: beneath,
    suffix: '',
    core: beneath,
    parts: [...names, ANY_NAME, null],
  }
}

export function partsOf(alternative: Alternative): Pattern<Segment> {
  alternative.parts ??= [...alternative.dir.split('/'), null]
  return alternative.parts
}

/** Cost units of each alternative, besides one per character. */
const ALTERNATIVE_COST = 40

/** Builds the alternative of a glob without braces. Null if every segment is empty or `.`, or if the budget is exhausted. */
export function alternativeOf(glob: string, budget: Budget): Alternative | null {
  budget.remaining -= ALTERNATIVE_COST + glob.length
  if (budget.remaining < 0) return null
  const segments = segmentsOf(glob)
  const named = segments.filter((segment) => segment !== '' && segment !== '.')
  const parts = named.filter((segment, at) => segment !== null || named[at - 1] !== null)
  if (parts.length === 0) return null
  // `a/**` does not match `a`: a trailing `**` matches one name or more.
  if (parts.at(-1) === null) parts.splice(-1, 1, ANY_NAME, null)
  else if (typeof segments.at(-1) === 'string') parts.push(null)
  return summarise(parts)
}

function summarise(parts: Pattern<Segment>): Alternative {
  const names = parts.slice(
    0,
    parts.findIndex((part) => typeof part !== 'string'),
  )
  const dir = names.join('/')
  const [first, second, ...others] = parts.slice(names.length)
  if (first === null && second === undefined) return plainAlternative(dir)
  if (first === ANY_NAME && second === null && others.length === 0) return subtreeAlternative(dir)
  const beneath = dir === '' ? '' : `${dir}/`
  const [wild, last] = [first, parts.at(-1)].map((part) => (typeof part === 'object' ? part : null))
  const texts = parts.map((part) => (typeof part === 'string' ? part : ''))
  return {
    kind: 'pattern',
    dir,
    prefix: beneath + (wild?.prefix ?? ''),
    suffix: last?.suffix ?? '',
    core: texts.reduce((longest, text) => (text.length > longest.length ? text : longest)),
    parts,
  }
}
