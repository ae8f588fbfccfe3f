/** Compares two scopes under the settings of their repository, as pure functions (contract §6). */

import { type ComparedFields, comparedScopeOf, distinctNames } from '../activities/compared-scope.ts'
import type { Budget } from '../base/budget.ts'
import { fileGlob, type Glob, parseGlob } from '../scope/glob.ts'
import {
  type PathPair,
  type PathSet,
  pairsOf,
  pathSet,
  takePairs,
  withoutIgnored,
} from '../scope/path-set.ts'
import { labelKey, type Scope } from '../scope/scope.ts'
import type { Rules } from './rules.ts'

/** A stored scope. `is_literal`: its paths are file names without wildcards. */
export interface StoredScope extends Scope {
  is_literal: boolean
  /** Names of changed files. */
  files: readonly string[]
}

/** The scope that a check compares with all others, parsed once. */
export interface Proposal {
  /** Compared form of a label → the label as written. */
  labels: Map<string, string>
  paths: PathSet
  /** Why there is nothing to compare; null if there is something. */
  emptiness: 'nothing_given' | 'all_ignored' | null
  /** False if the budget was exhausted, so that paths are missing. */
  complete: boolean
}

export interface ScopeMatch {
  areas: string[]
  paths: PathPair[]
}

export function storedScopeOf(record: ComparedFields | { scope: Scope }): StoredScope {
  if (!('changed_files' in record)) return { ...record.scope, is_literal: false, files: [] }
  const { files, ...scope } = comparedScopeOf(record)
  return { ...scope, files: distinctNames(files) }
}

/** Joins several scopes to one proposal. */
export function proposalOf(scopes: StoredScope[], rules: Rules, budget: Budget): Proposal {
  const labels = new Map(
    scopes.flatMap(({ areas }) => areas.map((label) => [labelKey(label), label] as const)),
  )
  const all = scopes.flatMap((each) => globsOf(each, rules, budget))
  const globs = withoutIgnored(all, rules.ignore, budget)
  const isEmpty = labels.size + globs.length === 0
  const wasGiven = scopes.some((each) => each.paths.length + each.files.length > 0)
  const emptiness = isEmpty ? (wasGiven ? 'all_ignored' : 'nothing_given') : null
  const paths = pathSet(globs, budget)
  return { labels, paths, emptiness, complete: budget.remaining >= 0 }
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

/** The areas that the proposal and another scope share, and the pairs of paths one by one. */
export function comparisonOf(
  proposal: Proposal,
  other: StoredScope,
  { rules, budget }: { rules: Rules; budget: Budget },
): { areas: string[]; pairs: Iterator<PathPair> } {
  const areas = other.areas.flatMap((label) => proposal.labels.get(labelKey(label)) ?? [])
  const pairs = pairsOf(proposal.paths, globsOf(other, rules, budget), { budget, ignore: rules.ignore })
  return { areas, pairs }
}

/** The globs of a scope: its paths, its changed files, and those of its areas. If the budget is exhausted, some are missing. */
export function globsOf(scope: StoredScope, rules: Rules, budget: Budget): Glob[] {
  const globs = scope.areas.flatMap((label) => rules.areas.get(labelKey(label)) ?? [])
  const paths: Glob[] = []
  for (const path of scope.paths) {
    if (budget.remaining < 0) break
    paths.push(scope.is_literal ? fileGlob(path) : parseGlob(path, budget))
  }
  return [...paths, ...scope.files.map(fileGlob), ...globs]
}
