/** Compares two scopes under the settings of their repository, and two sides by their changed files besides; and the settings that affect that, compiled (docs/contract/overlap.md#ignored-paths). Pure. */

import { LRUCache } from 'lru-cache'
import { Deadline, type Steps } from '../../vocabulary/clock.ts'
import { globsOfPaths, labelKey } from '../../vocabulary/contract/scope.ts'
import { NOISE_CLASSES, type Settings } from '../../vocabulary/contract/settings.ts'
import { byConsequence } from '../../vocabulary/finding.ts'
import type { Finding } from '../../vocabulary/finding-kinds.ts'
import { alternativesOf, fileGlob, type Glob, matchesPath, parseGlob } from '../../vocabulary/scope/glob.ts'
import {
  type Exclusion,
  type GlobPair,
  isIgnored,
  type PathSet,
  pairsOf,
  pathSet,
  takePairs,
} from '../../vocabulary/scope/path-set.ts'
import { type Comparison, compareSides, type DigestedSide, type IndexedSide } from '../kinds/kinds.ts'
import { sharedFiles } from '../lines/change.ts'
import { type AttributeRule, attributesOf, type NoiseRules, noiseOfPath } from '../lines/noise.ts'
import type { NumberRules } from '../lines/taken.ts'
import type { StoredScope } from '../record.ts'

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
  /** False if the deadline was over, so that paths are missing. */
  complete: boolean
}

export function* proposalOf(scopes: StoredScope[], rules: Rules): Steps<Proposal> {
  const labels = new Map(
    scopes.flatMap(({ areas }) => areas.map((label) => [labelKey(label), label] as const)),
  )
  const [globs, files]: [Glob[], Glob[]] = [[], []]
  for (const scope of scopes)
    for (const glob of rules.deadline.isOver ? [] : declaredGlobsOf(scope, rules)) {
      if (rules.deadline.isOver) break
      // They are built here, so that the deadline bounds it.
      alternativesOf(glob)
      if (!isIgnored(glob, rules.ignore)) globs.push(glob)
      yield
    }
  for (const name of new Set(scopes.flatMap((each) => each.files))) {
    const glob = fileGlob(name)
    if (!isIgnored(glob, rules.ignore)) files.push(glob)
    yield
  }
  // A manifest is noise, unless both sides change it in the same way.
  const hasManifest = (each: StoredScope) => each.files.some(rules.numbers.isManifest)
  const isEmpty = labels.size + globs.length + files.length === 0 && !scopes.some(hasManifest)
  const wasGiven = scopes.some((each) => each.paths.length + each.files.length > 0)
  const emptiness = isEmpty ? (wasGiven ? 'all_ignored' : 'nothing_given') : null
  const paths = pathSet([...globs, ...files])
  return {
    labels,
    paths,
    globs: files.length === 0 ? paths : pathSet(globs),
    files: new Set(files.map(({ source }) => source)),
    emptiness,
    complete: !rules.deadline.isOver,
  }
}

/** The areas that the proposal and another scope share, and the pairs of paths one by one. */
export function comparisonOf(
  proposal: Proposal,
  other: StoredScope,
  rules: Rules,
): { areas: string[]; pairs: Iterator<GlobPair | undefined> } {
  const areas = other.areas.flatMap((label) => proposal.labels.get(labelKey(label)) ?? [])
  return { areas, pairs: pairsOf(proposal.paths, globsOf(other, rules), rules) }
}

/**
 * The pairs of paths without what is compared by lines: the pairs of two changed files, and those with the name of a file that
 * both change.
 */
export function* pairsWithoutFiles(
  proposal: Proposal,
  other: StoredScope,
  rules: Rules,
): Generator<GlobPair | undefined> {
  const declared = declaredGlobsOf(other, rules)
  if (declared.length + proposal.globs.globs.length === 0) return
  const files = new Set(other.files.filter((name) => proposal.files.has(name)))
  const isByLines = (pair?: GlobPair) => pair && (files.has(pair.yours) || files.has(pair.theirs))
  for (const pair of pairsOf(proposal.paths, declared, rules)) if (!isByLines(pair)) yield pair
  if (proposal.globs.globs.length === 0) return
  for (const pair of pairsOf(proposal.globs, other.files.map(fileGlob), rules))
    if (!isByLines(pair)) yield pair
}

/** What the settings and the proposal say of a scope that is not compared by lines: the first pair of paths, and the areas. */
export function scopeFindings(pairs: readonly GlobPair[], areas: string[]): Finding[] {
  const declared = pairs
    .slice(0, 1)
    .map(({ yours, theirs, example }): Finding => ({ kind: 'paths', path: example, yours, theirs }))
  return areas.length === 0 ? declared : [...declared, { kind: 'areas', areas }]
}

/** The globs of a scope: its paths, those of its areas, and its changed files. */
export function globsOf(scope: StoredScope, rules: Pick<Rules, 'areas'>): Glob[] {
  return [...declaredGlobsOf(scope, rules), ...scope.files.map(fileGlob)]
}

/** The globs of a scope without its changed files. */
function declaredGlobsOf(scope: StoredScope, rules: Pick<Rules, 'areas'>): Glob[] {
  const globs = scope.areas.flatMap((label) => rules.areas.get(labelKey(label)) ?? [])
  const paths = scope.is_literal ? scope.paths.map(fileGlob) : globsOfPaths(scope.paths)
  return [...paths, ...globs]
}

export interface ChangedPair {
  yours: IndexedSide
  theirs: DigestedSide
  proposal: Proposal
  other: StoredScope
}

/**
 * Null if the deadline does not reach it. `paths`: the pairs of declared paths besides the files that both change. `max`: how many are found, and how many
 * files kept.
 */
export function* compareChanges(
  { yours, theirs, proposal, other }: ChangedPair,
  rules: Rules,
  max: { paths: number; files: number },
): Steps<{ comparison: Comparison; paths: GlobPair[] } | null> {
  const shared = sharedFiles(yours.index, theirs.files)
  yield
  const found = yield* compareSides(yours, theirs, { shared, ...rules })
  if (rules.deadline.isOver) return null
  const paths = yield* takePairs(pairsWithoutFiles(proposal, other, rules), max.paths)
  // Areas say less than the lines that are known.
  const findings = [...found.findings, ...scopeFindings(paths, [])].sort(byConsequence)
  return { comparison: { ...found, findings, files: found.files.slice(0, max.files) }, paths }
}

export interface Rules {
  /** The globs of each area, by `labelKey`. */
  areas: ReadonlyMap<string, readonly Glob[]>
  /** The rules for `noiseOfPath` and `noiseOf`. */
  noise: NoiseRules
  /** Whether the path of a plain glob is ignored or noise. */
  ignore: Exclusion
  numbers: NumberRules
  /** Of the comparison. When it is over, globs of the settings match nothing more. */
  deadline: Deadline
}

type RuleSettings = Pick<
  Settings,
  'areas' | 'ignore_paths' | 'noise_paths' | 'noise_classes' | 'number_directories'
>

interface CompiledGlobs extends Pick<Rules, 'areas'> {
  ignored: readonly Glob[]
  noise: Omit<NoiseRules, 'deadline'>
  /** The longest first. */
  numbered: readonly { glob: Glob; is_numbered: boolean }[]
}

/** The maximum size of the cache, in characters of settings. Most repositories share the entry of the default settings. */
const CACHE_SIZE_MAX = 500_000
const cache = new LRUCache<string, CompiledGlobs>({
  maxSize: CACHE_SIZE_MAX,
  sizeCalculation: (_, key) => key.length,
})

/** The rules that follow from settings, for one comparison. `attributes`: see `Repo.noise_attributes`. */
export function rulesOf(
  settings: RuleSettings,
  attributes: readonly AttributeRule[],
  deadline: Deadline = new Deadline(),
): Rules {
  const { areas, ignored, numbered, ...compiled } = compiledGlobs(settings, attributes)
  const noise = { ...compiled.noise, deadline }
  const isMatch = (glob: Glob, path: string) => !deadline.isOver && matchesPath(glob, path)
  const isIgnored = (path: string) => ignored.some((glob) => isMatch(glob, path))
  const ignore: Exclusion = (path, is_file) => isIgnored(path) || noiseOfPath(path, noise, is_file) !== null
  const numbers: NumberRules = {
    isNumbered: (directory) => numbered.find(({ glob }) => isMatch(glob, directory))?.is_numbered,
    isIgnored: (path) => ignore(path, true),
    isManifest: (path) => noiseOfPath(path, noise, true) === 'manifest' && !isIgnored(path),
  }
  return { areas, noise, ignore, numbers, deadline }
}

function compiledGlobs(settings: RuleSettings, attributes: readonly AttributeRule[]): CompiledGlobs {
  const { areas, ignore_paths, noise_paths, noise_classes: classes, number_directories } = settings
  const key = JSON.stringify([areas, ignore_paths, noise_paths, classes, number_directories, attributes])
  const known = cache.get(key)
  if (known) return known
  const parsed = (globs: readonly string[] = []) => globs.map((glob) => parseGlob(glob))
  const noise_globs = NOISE_CLASSES.map((noise) => [noise, parsed(noise_paths[noise])])
  // The database does not keep the order of keys.
  const longest = Object.entries(number_directories).toSorted(([a], [b]) => b.length - a.length)
  const globs: CompiledGlobs = {
    areas: new Map(Object.entries(areas).map(([label, globs]) => [labelKey(label), parsed(globs)])),
    ignored: parsed(ignore_paths),
    noise: {
      paths: Object.fromEntries(noise_globs),
      classes,
      attributes: attributes.length === 0 ? null : attributesOf(attributes),
    },
    numbered: longest.map(([glob, is_numbered]) => ({ glob: parseGlob(glob), is_numbered })),
  }
  cache.set(key, globs)
  return globs
}
