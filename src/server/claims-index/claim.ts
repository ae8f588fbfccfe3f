/** The claims of a record: its scope as rows of the claims index. Pure. */
import { type Budget, unbounded } from '../../vocabulary/budget.ts'
import { globsOfPaths, labelKey, type Scope } from '../../vocabulary/contract/scope.ts'
import type { Alternative } from '../../vocabulary/scope/alternative.ts'
import {
  alternativesOf,
  countOf,
  fileGlob,
  type Glob,
  literalDir,
  parseGlob,
  subtreeGlob,
  treeGlob,
} from '../../vocabulary/scope/glob.ts'
import { nextTurn, periodicYield } from '../base/event-loop.ts'

/**
 * The kind of a claim, and what it matches. `FILE`: the path. `PLAIN`: the path and everything beneath it, unless the
 * settings ignore the path or call it noise. `TREE`: the same without that exception; it comes from a brace alternative.
 * `SUBTREE`: everything beneath the path. `PATTERN`: the glob. `TRUNCATED`: the prefix was too long to store, so the scope
 * of the record decides. `AREA`: a label, or another text that only the same one matches, such as a number or an issue. The order
 * matters, because queries select ranges of kinds.
 */
export const AREA = 0
export const FILE = 1
export const PLAIN = 2
export const TREE = 3
export const SUBTREE = 4
export const PATTERN = 5
export const TRUNCATED = 6
export type Kind = 0 | 1 | 2 | 3 | 4 | 5 | 6

export interface Claim {
  /** The prefix: the directory that contains every match, see `prefixOf`; for a label, see `areaPrefix`; for a number, see `claimedPlaces`; for an issue, see `issuePlace`. */
  place: string
  kind: Kind
  glob: string
}

/** The scope of a record. */
export interface StoredScope extends Scope {
  /** The paths are file names without wildcards. */
  is_literal: boolean
  /** Names of changed files. */
  files: readonly string[]
  /** See `claimedPlaces` and `issuePlace`. */
  taken: readonly string[]
}

/** With this limit, a row with a glob of 512 characters fits into an index page. */
const PREFIX_MAX_BYTES = 400
/** A larger scope yields to the event loop first, because validating it has just taken a while. */
const LARGE_SCOPE = 50
/** A glob with more brace alternatives is a single `PATTERN` claim. */
const ALTERNATIVES_MAX = 8

/**
 * The prefix of a directory or file: `/src/api/`, and `/` for the root. The prefixes at or beneath it are one range of the
 * index, from the prefix to `prefixEnd(prefix)`.
 */
export function prefixOf(path: string): string {
  return path === '' ? '/' : `/${path}/`
}

/** The exclusive end of the range of prefixes at or beneath this one. */
export function prefixEnd(prefix: string): string {
  return `${prefix.slice(0, -1)}0`
}

/** The prefix of a label, given as `labelKey`. It differs from the prefix of every path. */
export function areaPrefix(key: string): string {
  return `#${key}`
}

/** The place of an issue, which all activities on it share. */
export function issuePlace(number: number): string {
  return `${ISSUE_MARK}${number}`
}

/** The first character of the place of an issue, and of no other. */
export const ISSUE_MARK = '!'

/** The prefix of a notable without a scope. */
export const EVERYWHERE = '*'

/** Whether a prefix is short enough to be stored. */
export function isStorable(prefix: string): boolean {
  return Buffer.byteLength(prefix) <= PREFIX_MAX_BYTES
}

/** The prefixes of the parent directories, the root first. */
export function ancestorPrefixes(prefix: string): string[] {
  const ancestors: string[] = []
  for (let at = 0; at !== -1 && at < prefix.length - 1; at = prefix.indexOf('/', at + 1)) {
    ancestors.push(prefix.slice(0, at + 1))
  }
  return ancestors
}

/** All claims of a record, without duplicates. Parsing globs can take long, so it yields to the event loop. */
export async function claimsOf(scope: StoredScope): Promise<Claim[]> {
  const { areas, paths, is_literal, files, taken } = scope
  if (paths.length + files.length > LARGE_SCOPE) await nextTurn()
  const yieldPeriodically = periodicYield()
  const distinct = new Map<string, Claim>()
  const add = (claim: Claim) => distinct.set(`${claim.kind}${claim.place}\0${claim.glob}`, claim)
  for (const label of areas) add({ place: areaPrefix(labelKey(label)), kind: AREA, glob: '' })
  for (const place of taken.filter(isStorable)) add({ place, kind: AREA, glob: '' })
  const globs = is_literal ? paths.map(fileGlob) : globsOfPaths(paths)
  for (const glob of [...globs, ...files.map(fileGlob)]) {
    for (const claim of claimsOfGlob(glob)) add(claim)
    await yieldPeriodically()
  }
  return [...distinct.values()]
}

/** The only claim of a notable without a scope. */
export const REPOSITORY_CLAIM: Claim = { place: EVERYWHERE, kind: AREA, glob: '' }

function claimsOfGlob(glob: Glob): Claim[] {
  if (countOf(glob) > ALTERNATIVES_MAX) {
    return [{ place: storable(prefixOf(literalDir(glob))), kind: PATTERN, glob: glob.source }]
  }
  return alternativesOf(glob, unbounded()).map((alternative) => claimOf(alternative, glob))
}

function claimOf({ kind, dir }: Alternative, glob: Glob): Claim {
  const prefix = prefixOf(dir)
  if (!isStorable(prefix)) {
    const place = storable(prefix)
    return glob.is_plain ? { place, kind: TRUNCATED, glob: '' } : { place, kind: PATTERN, glob: glob.source }
  }
  if (kind === 'pattern') return { place: prefix, kind: PATTERN, glob: glob.source }
  if (kind === 'plain') return { place: prefix, kind: glob.is_plain ? PLAIN : TREE, glob: '' }
  return { place: prefix, kind: kind === 'file' ? FILE : SUBTREE, glob: '' }
}

/** The longest prefix at or above this one that can be stored. */
function storable(prefix: string): string {
  return isStorable(prefix) ? prefix : (ancestorPrefixes(prefix).findLast(isStorable) ?? '/')
}

/** The glob of a claim on paths; null for a `TRUNCATED` claim. Uses `budget` for parsing. */
export function globOf({ place, kind, glob }: Claim, budget: Budget): Glob | null {
  const path = place.slice(1, -1)
  switch (kind) {
    case FILE:
      return fileGlob(path)
    case PLAIN:
    case TREE:
      return treeGlob(path, kind === PLAIN)
    case SUBTREE:
      return subtreeGlob(path)
    case PATTERN:
      return parseGlob(glob, budget)
    default:
      return null
  }
}
