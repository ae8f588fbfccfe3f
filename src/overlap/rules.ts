/** The settings that affect a comparison, compiled (contract §6 and §8). Pure. */
import { LRUCache } from 'lru-cache'
import type { Settings } from '../context/settings.ts'
import { alternativesOf, type Glob, parseGlob } from '../scope/glob.ts'
import { labelKey } from '../scope/scope.ts'

export interface Rules {
  /** Compared form of a label → its globs. */
  areas: Map<string, Glob[]>
  ignore: Glob[]
  /** See `ignoredText`. */
  ignored: string | null
}

/** The size of the cache in characters of settings. Most repositories have the defaults, the others few globs. */
const KEPT_MAX = 500_000
const kept = new LRUCache<string, Rules>({ maxSize: KEPT_MAX, sizeCalculation: (_, key) => key.length })

export function rulesOf({ areas, ignore_paths }: Pick<Settings, 'areas' | 'ignore_paths'>): Rules {
  const key = JSON.stringify([areas, ignore_paths])
  const known = kept.get(key)
  if (known) return known
  const compiled = Object.entries(areas).map(
    ([label, globs]) => [labelKey(label), globs.map((glob) => parseGlob(glob))] as const,
  )
  const ignore = ignore_paths.map((glob) => parseGlob(glob))
  const rules = { areas: new Map(compiled), ignore, ignored: ignoredText(ignore) }
  kept.set(key, rules)
  return rules
}

/** The maximum of characters of a text, and of texts: a longer expression costs more than it saves. */
const TEXT_MAX = 32
const TEXTS_MAX = 200
/** The budget for finding the texts. */
const READING_UNITS_MAX = 500_000

/**
 * A regular expression of PostgreSQL that matches every path ignored by one of the globs, and few others: each such path
 * contains a certain text. Null if nothing is ignored.
 */
function ignoredText(ignore: readonly Glob[]): string | null {
  if (ignore.length === 0) return null
  const budget = { remaining: READING_UNITS_MAX }
  const texts = ignore.flatMap((glob) =>
    alternativesOf(glob, budget).map(({ core }) => [...core].slice(0, TEXT_MAX).join('')),
  )
  const distinct = [...new Set(texts)]
  if (budget.remaining < 0 || distinct.length > TEXTS_MAX || distinct.includes('')) return ''
  return distinct.map((text) => text.replaceAll(/[!-/:-@[-^`{-~]/g, '\\$&')).join('|')
}
