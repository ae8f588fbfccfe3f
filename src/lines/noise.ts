/** Which changed files are noise in a repository, and of which class (contract §11). Pure. */
import type { Budget } from '../base/budget.ts'
import type { Glob } from '../scope/glob.ts'
import { matchesPath } from '../scope/intersect.ts'
import { type FileChange, isBinary } from './change.ts'
import type { Attributes } from './git-attributes.ts'
import { isNamed, NOISE_CLASSES, type NoiseClass } from './noise-names.ts'

export type { NoiseClass }

/** Units of the glob engine for the globs of one class and one path; what it does not reach is no noise. */
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
  return NOISE_CLASSES.find((noise) => rules.classes[noise] !== false && isOf(noise, change, rules)) ?? null
}

function isOf(noise: NoiseClass, change: FileChange, { paths, attributes }: NoiseRules): boolean {
  const { path } = change
  const budget: Budget = { remaining: PATH_COST_MAX }
  if (paths[noise]?.some((glob) => matchesPath(glob, path, budget))) return true
  return attributes?.(path, noise) ?? (isNamed(path, noise) || (noise === 'binary' && isBinary(change)))
}
