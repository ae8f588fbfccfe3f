/** Which paths and changed files are noise in a repository, and of which class (contract §11). Pure. */
import { type Budget, comparisonCost, unbounded } from '../base/budget.ts'
import type { Glob } from '../scope/glob.ts'
import { matchesPath } from '../scope/intersect.ts'
import { type FileChange, isBinary } from './change.ts'
import type { Attributes } from './git-attributes.ts'
import { isNamed, NOISE_CLASSES, type NoiseClass } from './noise-names.ts'

export { NOISE_CLASSES, type NoiseClass }

/** Units of matching names, besides those of a comparison; and the maximum for the globs of one path. Later globs say nothing. */
const NAMES_COST = 40
const PATH_COST_MAX = 20_000

/** What a repository says of noise. Its settings go before its attributes, and these before the usual names. */
export interface NoiseRules {
  /** Globs of further files, by class. */
  paths: Partial<Record<NoiseClass, readonly Glob[]>>
  /** Classes that are switched off, or on. */
  classes: Partial<Record<NoiseClass, boolean>>
  attributes: Attributes | null
}

export const DEFAULT_NOISE: NoiseRules = { paths: {}, classes: {}, attributes: null }

/** The class that makes a change noise; null if its conflicts are real. */
export function noiseOf(change: FileChange, rules: NoiseRules): NoiseClass | null {
  const named = noiseOfPath(change.path, rules, { is_file: true })
  return named ?? (isOn('binary', rules) && isBinary(change) ? 'binary' : null)
}

/**
 * The class of a path by its name, the settings and the attributes; null if it has none. `is_file`: nothing lies beneath the
 * path. Null as well if the budget is exhausted.
 */
export function noiseOfPath(
  path: string,
  rules: NoiseRules,
  { is_file, budget = unbounded() }: { is_file: boolean; budget?: Budget },
): NoiseClass | null {
  const units = Math.min(budget.remaining, PATH_COST_MAX)
  const globs: Budget = { remaining: units }
  const isOf = (noise: NoiseClass) =>
    rules.paths[noise]?.some((glob) => matchesPath(glob, path, globs)) ||
    (rules.attributes?.says(path, noise, globs) ?? isNamed(path, noise, { is_file }))
  const found = NOISE_CLASSES.find((noise) => isOn(noise, rules) && isOf(noise)) ?? null
  budget.remaining -= NAMES_COST + comparisonCost(path.length) + units - globs.remaining
  return found
}

export function isOn(noise: NoiseClass, { classes }: Pick<NoiseRules, 'classes'>): boolean {
  return classes[noise] !== false
}
