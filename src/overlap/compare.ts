/** Compares two scopes under the settings of their repository, as pure functions (contract §6). */

import { type ComparedFields, comparedScopeOf, distinctNames } from '../activities/compared-scope.ts'
import type { Budget } from '../base/budget.ts'
import { fileGlob, type Glob, parseGlob } from '../scope/glob.ts'
import { type PathPair, type PathSet, pairsBetween, pathSet, withoutIgnored } from '../scope/path-set.ts'
import { labelKey, type Scope } from '../scope/scope.ts'
import type { Rules } from './rules.ts'

/** A scope as it was stored. `is_literal`: its paths are names of files, in which no character is a wildcard. */
export interface StoredScope extends Scope {
  is_literal: boolean
  /** Names of changed files. */
  files: readonly string[]
}

/** The proposal's side, prepared once and compared with many. */
export interface Proposal {
  /** Compared form of a label → the label as it was written. */
  labels: Map<string, string>
  paths: PathSet
  /** Why there is nothing to compare; null when there is something. */
  emptiness: 'nothing_given' | 'all_ignored' | null
  /** False when reading it took more than the budget: of its paths some are missing. */
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

/** Joins several scopes to the one side that a check compares with all others. */
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

/** What the proposal and another scope share, with at most `max` pairs of paths; null when they share nothing. */
export function compare(
  proposal: Proposal,
  other: StoredScope,
  { rules, max, budget }: { rules: Rules; max: number; budget: Budget },
): ScopeMatch | null {
  const areas = other.areas.flatMap((label) => proposal.labels.get(labelKey(label)) ?? [])
  const paths = pairsBetween(proposal.paths, globsOf(other, rules, budget), {
    max,
    budget,
    ignore: rules.ignore,
  })
  return areas.length + paths.length > 0 ? { areas, paths } : null
}

/** The globs of a scope: its paths, its changed files, and what its areas stand for. With `budget.remaining` below 0 some are missing. */
export function globsOf(scope: StoredScope, rules: Rules, budget: Budget): Glob[] {
  const globs = scope.areas.flatMap((label) => rules.areas.get(labelKey(label)) ?? [])
  const paths: Glob[] = []
  for (const path of scope.paths) {
    if (budget.remaining < 0) break
    paths.push(scope.is_literal ? fileGlob(path) : parseGlob(path, budget))
  }
  return [...paths, ...scope.files.map(fileGlob), ...globs]
}
