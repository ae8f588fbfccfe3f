/** The settings that affect a comparison, compiled (docs/contract/overlap.md#ignored-paths). Pure. */
import { LRUCache } from 'lru-cache'
import { labelKey } from '../../vocabulary/contract/scope.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import { alternativesOf, type Glob, parseGlob } from '../../vocabulary/scope/glob.ts'
import { matchesPath } from '../../vocabulary/scope/intersect.ts'
import type { Exclusion } from '../../vocabulary/scope/path-set.ts'
import { type AttributeRule, attributesOf } from '../lines/git-attributes.ts'
import { NOISE_CLASSES, type NoiseClass, type NoiseRules, noiseOfPath } from '../lines/noise.ts'
import type { NumberRules } from '../lines/taken.ts'

export interface Rules {
  /** The globs of each area, by `labelKey`. */
  areas: Map<string, Glob[]>
  /** The rules for `noiseOfPath` and `noiseOf`. */
  noise: NoiseRules
  /** Whether the path of a plain glob is ignored or noise. */
  ignore: Exclusion
  numbers: NumberRules
}

type RuleSettings = Pick<
  Settings,
  'areas' | 'ignore_paths' | 'noise_paths' | 'noise_classes' | 'number_directories'
>

/** The maximum size of the cache, in characters of settings. Most repositories share the entry of the default settings. */
const CACHE_SIZE_MAX = 500_000
const cache = new LRUCache<string, Rules>({
  maxSize: CACHE_SIZE_MAX,
  sizeCalculation: (_, key) => key.length,
})

/** The rules that follow from settings, cached. `attributes`: see `Repo.noise_attributes`. */
export function rulesOf(settings: RuleSettings, attributes: readonly AttributeRule[]): Rules {
  const { areas, ignore_paths, noise_paths, noise_classes, number_directories } = settings
  const key = JSON.stringify([
    areas,
    ignore_paths,
    noise_paths,
    noise_classes,
    number_directories,
    attributes,
  ])
  const known = cache.get(key)
  if (known) return known
  const compiled = Object.entries(areas).map(
    ([label, globs]) => [labelKey(label), globs.map(parsed)] as const,
  )
  const ignore = ignore_paths.map(parsed)
  const noise = noiseRulesOf(settings, attributes)
  const excluded = exclusionOf(ignore, noise)
  const isManifest = (path: string) =>
    noiseOfPath(path, noise, { is_file: true }) === 'manifest' &&
    !ignore.some((glob) => matchesPath(glob, path, { remaining: PATH_UNITS_MAX }))
  const numbers = { ...numberRulesOf(number_directories, excluded), isManifest }
  const rules = { areas: new Map(compiled), noise, ignore: excluded, numbers }
  cache.set(key, rules)
  return rules
}

function numberRulesOf(
  globs: Settings['number_directories'],
  ignore: Exclusion,
): Omit<NumberRules, 'isManifest'> {
  // The database does not keep the order of keys.
  const longest = Object.entries(globs).toSorted(([a], [b]) => b.length - a.length)
  const compiled = longest.map(([glob, is_numbered]) => ({ glob: parsed(glob), is_numbered }))
  return {
    isNumbered: (directory) =>
      compiled.find(({ glob }) => matchesPath(glob, directory, { remaining: PATH_UNITS_MAX }))?.is_numbered,
    isIgnored: (path) => ignore(path, true, { remaining: PATH_UNITS_MAX }),
  }
}

function noiseRulesOf(
  { noise_paths, noise_classes }: RuleSettings,
  attributes: readonly AttributeRule[],
): NoiseRules {
  const paths: Partial<Record<NoiseClass, Glob[]>> = {}
  // The alternatives are built here, so that the result does not depend on which path is tested first.
  const budget = { remaining: COMPILE_UNITS_MAX }
  for (const noise of NOISE_CLASSES) {
    const globs = noise_paths[noise]?.map(parsed) ?? []
    paths[noise] = globs.filter((glob) => alternativesOf(glob, budget).length > 0)
  }
  return { paths, classes: noise_classes, attributes: attributesOf(attributes) }
}

function exclusionOf(ignore: readonly Glob[], noise: NoiseRules): Exclusion {
  return (path, is_file, budget) =>
    ignore.some((glob) => matchesPath(glob, path, budget)) ||
    noiseOfPath(path, noise, { is_file, budget }) !== null
}

function parsed(glob: string): Glob {
  return parseGlob(glob)
}

/** The budget for matching the path or the directory of one new file. */
const PATH_UNITS_MAX = 20_000
/** The budget for compiling the globs of noise. */
const COMPILE_UNITS_MAX = 500_000
