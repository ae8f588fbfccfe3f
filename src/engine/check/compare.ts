/** Compares two scopes under the settings of their repository, as pure functions. */

import type { Budget } from '../../vocabulary/budget.ts'
import { globsOfPaths, labelKey } from '../../vocabulary/contract/scope.ts'
import type { Finding } from '../../vocabulary/finding-kinds.ts'
import { fileGlob, type Glob } from '../../vocabulary/scope/glob.ts'
import {
  type GlobPair,
  type PathSet,
  pairsOf,
  pathSet,
  takePairs,
  withoutIgnored,
} from '../../vocabulary/scope/path-set.ts'
import type { StoredScope } from '../record.ts'
import type { Rules } from './rules.ts'

/** The scope that a check compares with all others, parsed once. */
export interface Proposal {
  /** The labels as written, by `labelKey`. */
  labels: Map<string, string>
  paths: PathSet
  /** `paths` without the changed files. */
  globs: PathSet
  /** The names of the changed files that the settings do not ignore. */
  files: ReadonlySet<string>
  /** Why there is nothing to compare; null if there is something. */
  emptiness: 'nothing_given' | 'all_ignored' | null
  /** False if the budget was exhausted, so that paths are missing. */
  complete: boolean
}

export interface ScopeMatch {
  areas: string[]
  paths: GlobPair[]
}

/** Joins several scopes to one proposal. */
export function proposalOf(scopes: StoredScope[], rules: Rules, budget: Budget): Proposal {
  const labels = new Map(
    scopes.flatMap(({ areas }) => areas.map((label) => [labelKey(label), label] as const)),
  )
  const globs = withoutIgnored(
    scopes.flatMap((each) => declaredGlobsOf(each, rules, budget)),
    rules.ignore,
    budget,
  )
  const names = new Set(scopes.flatMap((each) => each.files))
  const files = withoutIgnored([...names].map(fileGlob), rules.ignore, budget)
  const isEmpty = labels.size + globs.length + files.length === 0
  const wasGiven = scopes.some((each) => each.paths.length + each.files.length > 0)
  const emptiness = isEmpty ? (wasGiven ? 'all_ignored' : 'nothing_given') : null
  const paths = pathSet([...globs, ...files], budget)
  return {
    labels,
    paths,
    globs: files.length === 0 ? paths : pathSet(globs, budget),
    files: new Set(files.map(({ source }) => source)),
    emptiness,
    complete: budget.remaining >= 0,
  }
}

/** What the proposal and another scope share, with at most `max` pairs of paths; null if they share nothing. */
export function compare(
  proposal: Proposal,
  other: StoredScope,
  { max, ...options }: { rules: Rules; max: number; budget: Budget },
): ScopeMatch | null {
  const { areas, pairs } = comparisonOf(proposal, other, options)
  const paths = takePairs(pairs, max)
  return areas.length + paths.length > 0 ? { areas, paths } : null
}

/**
 * The areas that the proposal and another scope share, and the pairs of paths one by one. `by_lines` leaves out what is
 * compared by lines: the pairs of two changed files, and those with the name of a file that both change.
 */
export function comparisonOf(
  proposal: Proposal,
  other: StoredScope,
  { rules, budget, by_lines = false }: { rules: Rules; budget: Budget; by_lines?: boolean },
): { areas: string[]; pairs: Iterator<GlobPair> } {
  const areas = other.areas.flatMap((label) => proposal.labels.get(labelKey(label)) ?? [])
  const options = { budget, ignore: rules.ignore }
  const pairs = by_lines
    ? pairsWithoutFiles(proposal, other, { rules, budget })
    : pairsOf(proposal.paths, globsOf(other, rules, budget), options)
  return { areas, pairs }
}

function* pairsWithoutFiles(
  proposal: Proposal,
  other: StoredScope,
  { rules, budget }: { rules: Rules; budget: Budget },
): Generator<GlobPair> {
  const options = { budget, ignore: rules.ignore }
  const files = new Set(other.files.filter((name) => proposal.files.has(name)))
  const isByLines = ({ yours, theirs }: GlobPair) => files.has(yours) || files.has(theirs)
  for (const pair of pairsOf(proposal.paths, declaredGlobsOf(other, rules, budget), options))
    if (!isByLines(pair)) yield pair
  if (proposal.globs.globs.length === 0) return
  for (const pair of pairsOf(proposal.globs, other.files.map(fileGlob), options))
    if (!isByLines(pair)) yield pair
}

/** What the settings and the proposal say of a scope that is not compared by lines: the first pair of paths, and the areas. */
export function scopeFindings(pairs: readonly GlobPair[], areas: string[]): Finding[] {
  const declared = pairs
    .slice(0, 1)
    .map(({ yours, theirs, example }): Finding => ({ kind: 'paths', path: example, yours, theirs }))
  return areas.length === 0 ? declared : [...declared, { kind: 'areas', areas }]
}

/** The pairs of paths besides the files that both change, whose lines are compared; the first `max` of them. */
export function declaredPairs(
  proposal: Proposal,
  other: StoredScope,
  { max, ...options }: { rules: Rules; max: number; budget: Budget },
): GlobPair[] {
  if (proposal.globs.globs.length + other.paths.length + other.areas.length === 0) return []
  return takePairs(comparisonOf(proposal, other, { ...options, by_lines: true }).pairs, max)
}

/** The globs of a scope: its paths, those of its areas, and its changed files. If the budget is exhausted, some are missing. */
export function globsOf(scope: StoredScope, rules: Rules, budget: Budget): Glob[] {
  return [...declaredGlobsOf(scope, rules, budget), ...scope.files.map(fileGlob)]
}

/** The globs of a scope without its changed files. If the budget is exhausted, some are missing. */
export function declaredGlobsOf(scope: StoredScope, rules: Rules, budget: Budget): Glob[] {
  const globs = scope.areas.flatMap((label) => rules.areas.get(labelKey(label)) ?? [])
  const paths = scope.is_literal ? scope.paths.map(fileGlob) : globsOfPaths(scope.paths, budget)
  return [...paths, ...globs]
}
