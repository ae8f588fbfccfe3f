/** Where an index has to look for what a proposal may overlap with (contract §6). Pure. */
import {
  AREA,
  ancestorPrefixes,
  areaPrefix,
  EVERYWHERE,
  FILE,
  isStorable,
  PLAIN,
  prefixEnd,
  prefixOf,
  SUBTREE,
  TREE,
  TRUNCATED,
} from '../claims/claim.ts'
import { isDeep } from '../scope/alternative.ts'
import type { PathSet } from '../scope/path-set.ts'

/**
 * What a range says of the claims in it. `COVER`: all of them meet. `BENEATH`: all but the file at its very place.
 * `DEEP`: those on whole directories do. `SHALLOW`: those on the very directory do. The rest has to be decided.
 */
const COVER = 0
export const BENEATH = 1
export const DEEP = 2
const SHALLOW = 3
type Mode = 0 | 1 | 2 | 3

/** All claims at or beneath a place. */
export interface Range {
  low: string
  high: string
  mode: Mode
}

/** The claims at one place: of the kinds `first` to `last` all meet, patterns have to be decided, the rest does not meet. */
export interface Point {
  place: string
  first: number
  last: number
}

/** The records with a label. `by_path`: the settings give it globs that meet the proposal's. */
export interface Label {
  place: string
  by_path: boolean
}

export interface Probes {
  ranges: Range[]
  points: Point[]
  labels: Label[]
  /** False when the proposal is so large that not everything is looked for. */
  complete: boolean
}

/** Ranges and points of one check at most; a scope that was sent comes nowhere near. */
const PROBES_MAX = 20_000

/**
 * `labels`: compared form → whether the settings give it globs that meet. The root is always looked at: a `TRUNCATED` claim
 * there may be one on labels.
 */
export function probesOf(paths: PathSet, labels: ReadonlyMap<string, boolean>): Probes {
  const { ranges, files } = rangesAndFiles(paths)
  const points = pointsOf(ranges, files)
  if (points.length + ranges.length === 0 && labels.size > 0)
    points.push({ place: '/', first: TRUNCATED, last: AREA })
  const storable = ranges.filter(({ low }) => isStorable(low))
  return {
    ranges: storable.slice(0, PROBES_MAX),
    points: points.slice(0, PROBES_MAX),
    labels: [
      { place: EVERYWHERE, by_path: false },
      ...[...labels].map(([key, by_path]) => ({ place: areaPrefix(key), by_path })),
    ],
    complete: storable.length <= PROBES_MAX && points.length <= PROBES_MAX,
  }
}

/** The outermost ranges, none inside another that says as much, and the files outside of those that cover them. */
function rangesAndFiles(paths: PathSet): { ranges: Range[]; files: string[] } {
  const modes = new Map<string, Mode>()
  const named: string[] = []
  for (const [dir, entries] of paths.entries) {
    const place = prefixOf(dir)
    for (const { alternative } of entries) {
      if (alternative.kind === 'file') named.push(place)
      else modes.set(place, Math.min(modes.get(place) ?? SHALLOW, modeOf(alternative)) as Mode)
    }
  }
  const all = [...modes].map(([low, mode]) => ({ low, high: prefixEnd(low), mode })).sort(byPlace)
  const covers = outermost(all.filter(({ mode }) => mode <= BENEATH))
  const patterns = outermost(all.filter(({ mode }) => mode > BENEATH))
  const isCovered = coveredBy(covers)
  return {
    ranges: [...covers, ...patterns.filter(({ low }) => !isCovered(low))],
    files: named.filter((place) => !isCovered(place) || modes.get(place) === BENEATH),
  }
}

function modeOf(alternative: Parameters<typeof isDeep>[0]): Mode {
  if (alternative.kind === 'plain') return COVER
  if (alternative.kind === 'subtree') return BENEATH
  return isDeep(alternative) ? DEEP : SHALLOW
}

/** Of ranges in order, those that lie in no earlier one. */
function outermost(ranges: Range[]): Range[] {
  const kept: Range[] = []
  for (const range of ranges) {
    const last = kept.at(-1)
    if (last === undefined || !range.low.startsWith(last.low)) kept.push(range)
  }
  return kept
}

function coveredBy(covers: Range[]): (place: string) => boolean {
  const places = new Set(covers.map(({ low }) => low))
  return (place) => places.has(place) || ancestorPrefixes(place).some((above) => places.has(above))
}

function pointsOf(ranges: Range[], files: string[]): Point[] {
  const points = new Map<string, Point>()
  const add = (place: string, first: number, last: number) => {
    const there = points.get(place)
    if (there === undefined) points.set(place, { place, first, last })
    else {
      there.first = Math.min(there.first, first)
      there.last = Math.max(there.last, last)
    }
  }
  const addAbove = (place: string) => {
    // From the inside out: once one was there before, so were all above it.
    for (const above of ancestorPrefixes(place).reverse()) {
      if ((points.get(above)?.last ?? 0) === SUBTREE) return
      if (isStorable(above)) add(above, PLAIN, SUBTREE)
    }
  }
  for (const { low } of ranges) addAbove(low)
  for (const place of files) {
    addAbove(place)
    if (isStorable(place)) add(place, FILE, TREE)
  }
  return [...points.values()]
}

function byPlace(a: Range, b: Range): number {
  return a.low < b.low ? -1 : 1
}
