/** One brace alternative of a glob as a list of segments, and whether two of them match a common path: exactly, in polynomial time, with an example. */
import type { Deadline } from '../clock.ts'
import { ANY_NAME, commonName, matchesSegment, type Segment, segmentsOf, segmentsOverlap } from './segment.ts'
import { matches, meet, type Pattern } from './wildcards.ts'

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

function partsOf(alternative: Alternative): Pattern<Segment> {
  alternative.parts ??= [...alternative.dir.split('/'), null]
  return alternative.parts
}

/** Builds the alternative of a glob without braces. Null if every segment is empty or `.`. */
export function alternativeOf(glob: string): Alternative | null {
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

/** Whether a path can match both by what each match starts and ends with, which is found fast. */
export function mayOverlap(a: Alternative, b: Alternative): boolean {
  return (
    (a.prefix.startsWith(b.prefix) || b.prefix.startsWith(a.prefix)) &&
    (a.suffix.endsWith(b.suffix) || b.suffix.endsWith(a.suffix))
  )
}

/** Whether some path matches both. Patterns, which may take milliseconds, match nothing when the deadline is over. */
export function alternativesOverlap(
  a: Alternative,
  b: Alternative,
  deadline: Pick<Deadline, 'isOver'>,
): boolean {
  if ((a.kind === 'pattern' || b.kind === 'pattern') && deadline.isOver) return false
  if (a.kind === 'file') return matchesAlternative(b, a.dir)
  if (b.kind === 'file') return matchesAlternative(a, b.dir)
  if (a.kind !== 'pattern' && b.kind !== 'pattern') return isWithin(a.dir, b.dir) || isWithin(b.dir, a.dir)
  const common = (one: Segment | null, other: Segment | null) =>
    one === null || other === null || segmentsOverlap(one, other) ? '' : null
  return meet(partsOf(a), partsOf(b), { common, least: 0 }) !== null
}

/** Whether an alternative matches the path `src/a.ts` itself. */
export function matchesAlternative(alternative: Alternative, path: string): boolean {
  if (!path.startsWith(alternative.prefix) || !path.endsWith(alternative.suffix)) return false
  switch (alternative.kind) {
    case 'file':
      return path.length === alternative.dir.length
    case 'subtree':
      return path !== ''
    case 'plain':
      return path.length === alternative.dir.length || path[alternative.dir.length] === '/'
    case 'pattern':
      return path.includes(alternative.core) && matches(partsOf(alternative), path.split('/'), matchesSegment)
  }
}

/** A path that matches both, with as few names as possible. They must overlap, see `alternativesOverlap`. */
export function sharedPath(a: Alternative, b: Alternative): string {
  if (a.kind === 'file') return a.dir
  if (b.kind === 'file') return b.dir
  if (a.kind === 'pattern' || b.kind === 'pattern') {
    const common = (one: Segment | null, other: Segment | null) =>
      commonName(one ?? ANY_NAME, other ?? ANY_NAME)
    return (meet(partsOf(a), partsOf(b), { common, least: 0 }) as string[]).join('/')
  }
  const deeper = a.dir.length < b.dir.length ? b.dir : a.dir
  const isExcluded = [a, b].some(({ kind, dir }) => kind === 'subtree' && dir === deeper)
  if (!isExcluded) return deeper
  return deeper === '' ? 'x' : `${deeper}/x`
}

function isWithin(path: string, dir: string): boolean {
  return dir === '' || (path.startsWith(dir) && (path.length === dir.length || path[dir.length] === '/'))
}
