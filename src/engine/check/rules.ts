/** The settings that affect a comparison, compiled (docs/contract/overlap.md#ignored-paths). Pure. */
import { LRUCache } from 'lru-cache'
import { type Budget, Meter } from '../../vocabulary/budget.ts'
import { labelKey } from '../../vocabulary/contract/scope.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import { alternativesOf, type Glob, matchesPath, parseGlob } from '../../vocabulary/scope/glob.ts'
import type { Exclusion } from '../../vocabulary/scope/path-set.ts'
import { type AttributeRule, attributesOf } from '../lines/git-attributes.ts'
import { NOISE_CLASSES, type NoiseClass, type NoiseRules, noiseOfPath } from '../lines/noise.ts'
import type { NumberRules } from '../lines/taken.ts'

interface CompiledRules {
  /** The globs of each area, by `labelKey`. */
  areas: Map<string, Glob[]>
  /** The rules for `noiseOfPath` and `noiseOf`. */
  noise: NoiseRules
  /** Whether the path of a plain glob is ignored or noise. */
  ignore: Exclusion
  numbersWithin(budget: Budget): NumberRules
}

export interface Rules extends Omit<CompiledRules, 'numbersWithin'> {
  numbers: NumberRules
  /** Whether the budget sufficed for all questions to `numbers` so far. */
  areNumbersKnown(): boolean
}

type RuleSettings = Pick<
  Settings,
  'areas' | 'ignore_paths' | 'noise_paths' | 'noise_classes' | 'number_directories'
>

/** The maximum size of the cache, in characters of settings. Most repositories share the entry of the default settings. */
const CACHE_SIZE_MAX = 500_000
const cache = new LRUCache<string, CompiledRules>({
  maxSize: CACHE_SIZE_MAX,
  sizeCalculation: (_, key) => key.length,
})

/** More than the files of all sides that are compared cost; a tenth of a second. */
const NUMBER_UNITS_MAX = 10_000_000

/**
 * The rules that follow from settings. `attributes`: see `Repo.noise_attributes`. `meter`: of the request. All questions to
 * `numbers` share one budget, because hostile globs make each of them expensive; globs after that are ignored.
 */
export function rulesOf(
  settings: RuleSettings,
  attributes: readonly AttributeRule[],
  meter: Pick<Meter, 'budget'> = new Meter(),
): Rules {
  const { numbersWithin, ...rules } = compiledRules(settings, attributes)
  const budget = meter.budget(NUMBER_UNITS_MAX)
  return { ...rules, numbers: numbersWithin(budget), areNumbersKnown: () => budget.remaining >= 0 }
}

function compiledRules(settings: RuleSettings, attributes: readonly AttributeRule[]): CompiledRules {
  const { areas, ignore_paths, noise_paths, noise_classes, number_directories } = settings
  const given = [areas, ignore_paths, noise_paths, noise_classes, number_directories, attributes]
  const key = JSON.stringify(given)
  const known = cache.get(key)
  if (known) return known
  const compiled = Object.entries(areas).map(
    ([label, globs]) => [labelKey(label), globs.map((glob) => parseGlob(glob))] as const,
  )
  const ignore = ignore_paths.map((glob) => parseGlob(glob))
  const noise = noiseRulesOf(settings, attributes)
  const excluded = exclusionOf(ignore, noise)
  // The database does not keep the order of keys.
  const longest = Object.entries(number_directories).toSorted(([a], [b]) => b.length - a.length)
  const numbered = longest.map(([glob, is_numbered]) => ({ glob: parseGlob(glob), is_numbered }))
  const numbersWithin = (budget: Budget): NumberRules => ({
    isNumbered: (directory) => numbered.find(({ glob }) => matchesPath(glob, directory, budget))?.is_numbered,
    isIgnored: (path) => excluded(path, true, budget),
    isManifest: (path) =>
      noiseOfPath(path, noise, { is_file: true, budget }) === 'manifest' &&
      !ignore.some((glob) => matchesPath(glob, path, budget)),
  })
  const rules = { areas: new Map(compiled), noise, ignore: excluded, numbersWithin }
  cache.set(key, rules)
  return rules
}

function noiseRulesOf(
  { noise_paths, noise_classes }: RuleSettings,
  attributes: readonly AttributeRule[],
): NoiseRules {
  const paths: Partial<Record<NoiseClass, Glob[]>> = {}
  // The alternatives are built here, so that the result does not depend on which path is tested first.
  const budget = { remaining: COMPILE_UNITS_MAX }
  for (const noise of NOISE_CLASSES) {
    const globs = noise_paths[noise]?.map((glob) => parseGlob(glob)) ?? []
    paths[noise] = globs.filter((glob) => alternativesOf(glob, budget).length > 0)
  }
  return { paths, classes: noise_classes, attributes: attributesOf(attributes) }
}

function exclusionOf(ignore: readonly Glob[], noise: NoiseRules): Exclusion {
  return (path, is_file, budget) =>
    ignore.some((glob) => matchesPath(glob, path, budget)) ||
    noiseOfPath(path, noise, { is_file, budget }) !== null
}

/** The budget for compiling the globs of noise. */
const COMPILE_UNITS_MAX = 500_000
