/** Classifies paths and changed files as noise (docs/contract/lines.md#noise). Pure. */
import { Deadline } from '../../vocabulary/deadline.ts'
import { isNamed, mayBeNamed, NOISE_CLASSES, type NoiseClass } from '../../vocabulary/noise-names.ts'
import { type Glob, matchesPath } from '../../vocabulary/scope/glob.ts'
import { type FileChange, isBinary } from './change.ts'

export { NOISE_CLASSES, type NoiseClass }

/** Whether a repository's `.gitattributes` puts a path into a class; null if no rule applies. */
export type Attributes = (path: string, noise: NoiseClass) => boolean | null

/** The noise rules of a repository. Its settings take precedence over its `.gitattributes`, and these over the default names. */
export interface NoiseRules {
  /** Globs of additional files, by class. */
  paths: Partial<Record<NoiseClass, readonly Glob[]>>
  /** False for a disabled class. A class that is missing is enabled. */
  classes: Partial<Record<NoiseClass, boolean>>
  attributes: Attributes | null
  /** When it is over, globs are ignored: anybody who changes the settings may make them expensive. */
  deadline: Deadline
}

export const DEFAULT_NOISE: NoiseRules = {
  paths: {},
  classes: {},
  attributes: null,
  deadline: new Deadline(),
}

/** The noise class of a change; null if it is not noise. */
export function noiseOf(change: FileChange, rules: NoiseRules): NoiseClass | null {
  const named = noiseOfPath(change.path, rules, true)
  return named ?? (isOn('binary', rules) && isBinary(change) ? 'binary' : null)
}

/**
 * The noise class of a path by its name, the settings and the attributes; null if it has none. `is_file`: nothing lies
 * beneath the path.
 */
export function noiseOfPath(path: string, rules: NoiseRules, is_file: boolean): NoiseClass | null {
  const { paths, attributes, deadline } = rules
  const hasName = mayBeNamed(path)
  const isOf = (noise: NoiseClass) => {
    if (paths[noise]?.some((glob) => !deadline.isOver && matchesPath(glob, path))) return true
    const said = attributes && !deadline.isOver ? attributes(path, noise) : null
    return said ?? (hasName && isNamed(path, noise, { is_file }))
  }
  return NOISE_CLASSES.find((noise) => isOn(noise, rules) && isOf(noise)) ?? null
}

export function isOn(noise: NoiseClass, { classes }: Pick<NoiseRules, 'classes'>): boolean {
  return classes[noise] !== false
}
