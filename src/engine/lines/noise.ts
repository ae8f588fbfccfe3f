/** Classifies paths and changed files as noise (docs/contract/lines.md#noise). Pure. */
import { type Budget, comparisonCost, unbounded } from '../../vocabulary/budget.ts'
import { isNamed, mayBeNamed, NOISE_CLASSES, type NoiseClass } from '../../vocabulary/noise-names.ts'
import { type Glob, matchesPath } from '../../vocabulary/scope/glob.ts'
import { type FileChange, isBinary } from './change.ts'

export { NOISE_CLASSES, type NoiseClass }

/** Cost units of looking for a default name in one path, and again of finding which, in addition to those of a comparison. */
const NAMES_COST = 20
/** The maximum cost of matching one path with globs. The remaining globs are ignored. */
const PATH_COST_MAX = 20_000

/** What a repository's `.gitattributes` says. */
export interface Attributes {
  /** The globs of the rules that make files noise. */
  globs: readonly Glob[]
  /** Whether the rules put a path into a class; null if no rule applies or the budget is exhausted. */
  says(path: string, noise: NoiseClass, budget: Budget): boolean | null
}

/** The noise rules of a repository. Its settings take precedence over its `.gitattributes`, and these over the default names. */
export interface NoiseRules {
  /** Globs of additional files, by class. */
  paths: Partial<Record<NoiseClass, readonly Glob[]>>
  /** False for a disabled class. A class that is missing is enabled. */
  classes: Partial<Record<NoiseClass, boolean>>
  attributes: Attributes | null
}

export const DEFAULT_NOISE: NoiseRules = { paths: {}, classes: {}, attributes: null }

/** The noise class of a change; null if it is not noise. */
export function noiseOf(change: FileChange, rules: NoiseRules): NoiseClass | null {
  const named = noiseOfPath(change.path, rules, { is_file: true })
  return named ?? (isOn('binary', rules) && isBinary(change) ? 'binary' : null)
}

/**
 * The noise class of a path by its name, the settings and the attributes; null if it has none or the budget is exhausted.
 * `is_file`: nothing lies beneath the path.
 */
export function noiseOfPath(
  path: string,
  rules: NoiseRules,
  { is_file, budget = unbounded() }: { is_file: boolean; budget?: Budget },
): NoiseClass | null {
  const units = Math.min(budget.remaining, PATH_COST_MAX)
  const globs: Budget = { remaining: units }
  const hasName = mayBeNamed(path)
  const isOf = (noise: NoiseClass) =>
    rules.paths[noise]?.some((glob) => matchesPath(glob, path, globs)) ||
    (rules.attributes?.says(path, noise, globs) ?? (hasName && isNamed(path, noise, { is_file })))
  const found = NOISE_CLASSES.find((noise) => isOn(noise, rules) && isOf(noise)) ?? null
  budget.remaining -= (hasName ? 2 : 1) * NAMES_COST + comparisonCost(path.length) + units - globs.remaining
  return found
}

export function isOn(noise: NoiseClass, { classes }: Pick<NoiseRules, 'classes'>): boolean {
  return classes[noise] !== false
}
