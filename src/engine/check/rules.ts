/** The settings that affect a comparison, compiled (docs/contract/overlap.md#ignored-paths). Pure. */
import { LRUCache } from 'lru-cache'
import { labelKey } from '../../vocabulary/contract/scope.ts'
import type { Settings } from '../../vocabulary/contract/settings.ts'
import { Deadline } from '../../vocabulary/deadline.ts'
import { type Glob, matchesPath, parseGlob } from '../../vocabulary/scope/glob.ts'
import type { Exclusion } from '../../vocabulary/scope/path-set.ts'
import {
  type AttributeRule,
  attributesOf,
  NOISE_CLASSES,
  type NoiseRules,
  noiseOfPath,
} from '../lines/noise.ts'
import type { NumberRules } from '../lines/taken.ts'

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
  const parsed = (globs: readonly string[] = []) => globs.map((glob) => parseGlob(glob))
  const noise_globs = NOISE_CLASSES.map((noise) => [noise, parsed(noise_paths[noise])])
  // The database does not keep the order of keys.
  const longest = Object.entries(number_directories).toSorted(([a], [b]) => b.length - a.length)
  const globs: CompiledGlobs = {
    areas: new Map(Object.entries(areas).map(([label, globs]) => [labelKey(label), parsed(globs)])),
    ignored: parsed(ignore_paths),
    noise: {
      paths: Object.fromEntries(noise_globs),
      classes: noise_classes,
      attributes: attributes.length === 0 ? null : attributesOf(attributes),
    },
    numbered: longest.map(([glob, is_numbered]) => ({ glob: parseGlob(glob), is_numbered })),
  }
  cache.set(key, globs)
  return globs
}
