/** What a record claims, piece by piece, in the form in which an index finds it (contract §6). Pure. */
import { setImmediate } from 'node:timers/promises'
import { type Budget, unbounded } from '../base/budget.ts'
import { periodicYield } from '../base/event-loop.ts'
import type { Alternative } from '../scope/alternative.ts'
import {
  alternativesOf,
  countOf,
  fileGlob,
  type Glob,
  literalDir,
  parseGlob,
  subtreeGlob,
  treeGlob,
} from '../scope/glob.ts'
import { labelKey, type Scope } from '../scope/scope.ts'

/**
 * What a claim is. For kinds 1 to 4 the place says all: the path itself (`FILE`); the path and everything beneath it
 * (`PLAIN`, which the settings may ignore, and `TREE`, an alternative of braces, which they may not); everything beneath
 * it (`SUBTREE`). A `PATTERN` needs its glob, and a `TRUNCATED` the scope of its record, to be decided. An `AREA` is a label.
 * The order matters: queries ask for runs of kinds.
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
  place: string
  kind: Kind
  glob: string
}

/** The parts of a record that its claims follow from. `is_literal`: its paths are names of files. */
export interface Claimant {
  scope: Scope
  is_literal: boolean
}

/** Bytes of a place: with a glob of 512 characters behind it, a row still fits into a page of the index. */
const PLACE_MAX_BYTES = 400
/** Of more paths the reading begins with a pause: they have just been checked. */
const LARGE = 50
/** Alternatives of one glob that are claimed one by one; those of more are one pattern. */
const ALTERNATIVES_MAX = 8

/**
 * The place of a directory or file: `/src/api/`, and `/` for the root. Written so, everything at or beneath it is one
 * run of the index, from the place up to `prefixEnd(place)`.
 */
export function prefixOf(path: string): string {
  return path === '' ? '/' : `/${path}/`
}

/** The first text after all places at or beneath this one. */
export function prefixEnd(place: string): string {
  return `${place.slice(0, -1)}0`
}

/** The place of a label, given in its compared form; no path has such a one. */
export function areaPrefix(key: string): string {
  return `#${key}`
}

/** The place of what applies to the whole repository. */
export const EVERYWHERE = '*'

/** Whether a place may be stored as it is. */
export function isStorable(place: string): boolean {
  return Buffer.byteLength(place) <= PLACE_MAX_BYTES
}

/** The places of the directories above this one, the root first. */
export function ancestorPrefixes(place: string): string[] {
  const above: string[] = []
  for (let at = 0; at !== -1 && at < place.length - 1; at = place.indexOf('/', at + 1)) {
    above.push(place.slice(0, at + 1))
  }
  return above
}

/** All claims of a record, each once. Globs may take long to read, so other requests get their turn in between. */
export async function claimsOf({ scope, is_literal }: Claimant): Promise<Claim[]> {
  if (scope.paths.length > LARGE) await setImmediate()
  const pause = periodicYield()
  const distinct = new Map<string, Claim>()
  const add = (claim: Claim) => distinct.set(`${claim.kind}${claim.place}\0${claim.glob}`, claim)
  for (const label of scope.areas) add({ place: areaPrefix(labelKey(label)), kind: AREA, glob: '' })
  for (const path of scope.paths) {
    for (const claim of claimsOfGlob(is_literal ? fileGlob(path) : parseGlob(path))) add(claim)
    await pause()
  }
  return [...distinct.values()]
}

/** The one claim of a notable without any scope. */
export const REPOSITORY_CLAIM: Claim = { place: EVERYWHERE, kind: AREA, glob: '' }

function claimsOfGlob(glob: Glob): Claim[] {
  if (countOf(glob) > ALTERNATIVES_MAX) {
    return [{ place: storable(prefixOf(literalDir(glob))), kind: PATTERN, glob: glob.source }]
  }
  return alternativesOf(glob, unbounded()).map((alternative) => claimOf(alternative, glob))
}

function claimOf({ kind, dir }: Alternative, glob: Glob): Claim {
  const place = prefixOf(dir)
  if (!isStorable(place)) {
    const cut = storable(place)
    return glob.is_plain
      ? { place: cut, kind: TRUNCATED, glob: '' }
      : { place: cut, kind: PATTERN, glob: glob.source }
  }
  if (kind === 'pattern') return { place, kind: PATTERN, glob: glob.source }
  if (kind === 'plain') return { place, kind: glob.is_plain ? PLAIN : TREE, glob: '' }
  return { place, kind: kind === 'file' ? FILE : SUBTREE, glob: '' }
}

/** The deepest place above or at this one that may be stored. */
function storable(place: string): string {
  return isStorable(place) ? place : (ancestorPrefixes(place).findLast(isStorable) ?? '/')
}

/** The glob of a claim on paths; null for a `TRUNCATED` one. Spends what reading it takes. */
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
