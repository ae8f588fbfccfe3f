/** The claims that a check looks up for a proposal, and what the index alone can decide about them. Pure. */
import { isDeep } from '../../vocabulary/scope/alternative.ts'
import type { PathSet } from '../../vocabulary/scope/path-set.ts'
import {
  ancestorPrefixes,
  areaPrefix,
  EVERYWHERE,
  FILE,
  isStorable,
  type Kind,
  PATTERN,
  PLAIN,
  prefixEnd,
  prefixOf,
  SUBTREE,
  TREE,
  TRUNCATED,
} from '../claims-index/claim.ts'

/**
 * Whether a claim certainly overlaps (`sure`), certainly does not (`skip`), or only its glob or the scope of its record
 * can decide.
 */
export type Answer = 'sure' | 'decide' | 'skip'

/**
 * A point probe looks up the claims at a prefix, a range probe also the claims beneath it. Range probes are for the globs of
 * the proposal that can match beneath a prefix, the widest first: `plain` matches the prefix and everything beneath it,
 * `subtree` everything beneath it, `deep` is a pattern that continues with `**` below it, and `shallow` any other pattern.
 */
export const RANGE_PROBES = ['plain', 'subtree', 'deep', 'shallow'] as const
/**
 * `file` is a file of the proposal, `ancestor` a directory above one of its files or ranges, and `both` is both. `root` is
 * for a proposal without paths: a `TRUNCATED` claim at the root can belong to a record with one of its labels.
 */
export const POINT_PROBES = ['file', 'ancestor', 'both', 'root'] as const
type RangeProbe = (typeof RANGE_PROBES)[number]
type PointProbe = (typeof POINT_PROBES)[number]

/** The columns of `TRUTH_TABLE`. */
export const CLAIM_KINDS = [FILE, PLAIN, TREE, SUBTREE, PATTERN, TRUNCATED] as const satisfies Kind[]
type Row = readonly [Answer, Answer, Answer, Answer, Answer, Answer]

/**
 * The answer by probe, claim kind, and where the claim is. A search passes it to the statement, per probe. A `sure` claim of
 * the kinds `FILE` and `PLAIN` has to be decided too if its path may be ignored or noise. The sure kinds of a point are
 * consecutive, so that one range of the index holds them.
 */
export const TRUTH_TABLE: Record<RangeProbe, { at: Row; beneath: Row }> & Record<PointProbe, { at: Row }> = {
  // FILE, PLAIN, TREE, SUBTREE, PATTERN, TRUNCATED
  plain: {
    at: ['sure', 'sure', 'sure', 'sure', 'sure', 'decide'],
    beneath: ['sure', 'sure', 'sure', 'sure', 'sure', 'decide'],
  },
  subtree: {
    at: ['skip', 'sure', 'sure', 'sure', 'sure', 'decide'],
    beneath: ['sure', 'sure', 'sure', 'sure', 'sure', 'decide'],
  },
  deep: {
    at: ['skip', 'sure', 'sure', 'sure', 'decide', 'decide'],
    beneath: ['decide', 'sure', 'sure', 'sure', 'decide', 'decide'],
  },
  shallow: {
    at: ['skip', 'sure', 'sure', 'sure', 'decide', 'decide'],
    beneath: ['decide', 'decide', 'decide', 'decide', 'decide', 'decide'],
  },
  file: { at: ['sure', 'sure', 'sure', 'skip', 'decide', 'decide'] },
  ancestor: { at: ['skip', 'sure', 'sure', 'sure', 'decide', 'decide'] },
  both: { at: ['sure', 'sure', 'sure', 'sure', 'decide', 'decide'] },
  root: { at: ['skip', 'skip', 'skip', 'skip', 'decide', 'decide'] },
}

/** All claims at or beneath a prefix: from `low` to `high`, exclusive. */
export interface Range {
  low: string
  high: string
  probe: RangeProbe
}

/** The claims at one prefix. */
export interface Point {
  place: string
  probe: PointProbe
}

/** A label, number, parent or issue to look up. `by_path`: the settings give it globs that overlap with the proposal's paths. */
export interface Label {
  place: string
  by_path: boolean
}

export interface Probes {
  ranges: Range[]
  points: Point[]
  labels: Label[]
  /** False if there are more probes than one check can look up. */
  complete: boolean
}

/** The maximum number of ranges and of points. No valid scope comes near it. */
const PROBES_MAX = 20_000

/**
 * The probes for the paths and labels of a proposal, for the numbers and parents that its files take, and for its issues.
 * `labels`: by `labelKey`, see `Label.by_path`. `taken`: see `probedPlaces` and `issuePlace`.
 */
export function probesOf(
  paths: PathSet,
  labels: ReadonlyMap<string, boolean>,
  taken: readonly string[] = [],
): Probes {
  const { ranges, files } = rangesAndFiles(paths)
  const points = pointsOf(ranges, files)
  if (points.length + ranges.length === 0 && labels.size > 0) points.push({ place: '/', probe: 'root' })
  const storable = ranges.filter(({ low }) => isStorable(low))
  return {
    ranges: storable.slice(0, PROBES_MAX),
    points: points.slice(0, PROBES_MAX),
    labels: [
      { place: EVERYWHERE, by_path: false },
      ...[...labels].map(([key, by_path]) => ({ place: areaPrefix(key), by_path })),
      ...taken.filter(isStorable).map((place) => ({ place, by_path: true })),
    ],
    complete: storable.length <= PROBES_MAX && points.length <= PROBES_MAX,
  }
}

/**
 * The ranges and files to look up: without ranges that lie in another one at least as wide, and without files that a range
 * covers.
 */
function rangesAndFiles(paths: PathSet): { ranges: Range[]; files: string[] } {
  const probes = new Map<string, RangeProbe>()
  const all_files: string[] = []
  for (const [dir, entries] of paths.entries) {
    const prefix = prefixOf(dir)
    for (const { alternative } of entries) {
      if (alternative.kind === 'file') all_files.push(prefix)
      else probes.set(prefix, wider(probes.get(prefix), rangeProbeOf(alternative)))
    }
  }
  const all = [...probes].map(([low, probe]) => ({ low, high: prefixEnd(low), probe })).sort(byPrefix)
  const covers = outermost(all.filter(coversAll))
  const patterns = outermost(all.filter((range) => !coversAll(range)))
  const isCovered = coveredBy(covers)
  // A subtree does not match its own directory, so it does not cover a file of that name.
  return {
    ranges: [...covers, ...patterns.filter(({ low }) => !isCovered(low))],
    files: all_files.filter((prefix) => !isCovered(prefix) || probes.get(prefix) === 'subtree'),
  }
}

function rangeProbeOf(alternative: Parameters<typeof isDeep>[0]): RangeProbe {
  if (alternative.kind === 'plain' || alternative.kind === 'subtree') return alternative.kind
  return isDeep(alternative) ? 'deep' : 'shallow'
}

function wider(one: RangeProbe | undefined, other: RangeProbe): RangeProbe {
  if (one === undefined) return other
  return RANGE_PROBES.indexOf(one) < RANGE_PROBES.indexOf(other) ? one : other
}

/** Whether everything beneath the prefix matches. */
function coversAll({ probe }: Range): boolean {
  return probe === 'plain' || probe === 'subtree'
}

/** Of sorted ranges, those that do not lie in an earlier one. */
function outermost(ranges: Range[]): Range[] {
  const kept: Range[] = []
  for (const range of ranges) {
    const last = kept.at(-1)
    if (last === undefined || !range.low.startsWith(last.low)) kept.push(range)
  }
  return kept
}

function coveredBy(covers: Range[]): (prefix: string) => boolean {
  const prefixes = new Set(covers.map(({ low }) => low))
  return (prefix) => prefixes.has(prefix) || ancestorPrefixes(prefix).some((above) => prefixes.has(above))
}

function pointsOf(ranges: Range[], files: string[]): Point[] {
  const points = new Map<string, Point>()
  const add = (place: string, probe: PointProbe) => {
    const existing = points.get(place)
    points.set(place, { place, probe: existing && existing.probe !== probe ? 'both' : probe })
  }
  const addAncestors = (prefix: string) => {
    // From the inside out: if a directory is already an ancestor, so are all above it.
    for (const above of ancestorPrefixes(prefix).reverse()) {
      const known = points.get(above)?.probe
      if (known === 'ancestor' || known === 'both') return
      if (isStorable(above)) add(above, 'ancestor')
    }
  }
  for (const { low } of ranges) addAncestors(low)
  for (const prefix of files) {
    addAncestors(prefix)
    if (isStorable(prefix)) add(prefix, 'file')
  }
  return [...points.values()]
}

function byPrefix(a: Range, b: Range): number {
  return a.low < b.low ? -1 : 1
}
