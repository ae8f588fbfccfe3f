/** Overlaps that belong together: those of one activity, or at one file, are one card. Pure. */
import type { LiveWork } from './live-work.ts'
import type { Overlap } from './records.ts'

export interface Group {
  key: string
  /** The activity that all overlaps have in common; null in a group of one file. */
  hub: string | null
  /** The file at which all overlaps are; null in a group of one activity, and for a single overlap. */
  path: string | null
  overlaps: readonly Overlap[]
}

/** Two overlaps at one file have three sides, so they also have one activity in common. */
const FILE_MIN = 3

/**
 * The largest group is taken out first, then the largest of the rest. `reader`: the key of the reader, whose groups come first. The
 * others stay in the order of their first overlap, the most severe first.
 */
export function groupsOf(overlaps: readonly Overlap[], work: LiveWork, reader: string | null): Group[] {
  const members = new Map<string, Set<Overlap>>()
  for (const overlap of overlaps)
    for (const key of keysOf(overlap)) members.set(key, (members.get(key) ?? new Set()).add(overlap))
  const isReaders = (id: string) => reader !== null && work.people.get(id)?.key === reader
  const order = new Map(overlaps.map((overlap, at) => [overlap, at]))
  const groups: Group[] = []
  for (let left = overlaps.length; left > 0; ) {
    const [key, taken] = largest(members, isReaders)
    for (const overlap of taken)
      for (const each of keysOf(overlap)) if (each !== key) members.get(each)?.delete(overlap)
    members.delete(key)
    left -= taken.size
    const isFile = key.startsWith('file ')
    const sorted = [...taken].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    groups.push({ key, overlaps: sorted, hub: isFile ? null : key, path: isFile ? key.slice(5) : null })
  }
  const rank = ({ overlaps: [first] }: Group) =>
    (first?.activity_ids.some(isReaders) ? 0 : overlaps.length) + (first ? (order.get(first) ?? 0) : 0)
  return groups.sort((a, b) => rank(a) - rank(b))
}

function keysOf({ activity_ids, paths }: Overlap): string[] {
  const [place] = paths
  return [...activity_ids, ...(place && paths.length === 1 ? [`file ${place.example}`] : [])]
}

function largest(
  members: Map<string, Set<Overlap>>,
  isReaders: (id: string) => boolean,
): [string, Set<Overlap>] {
  let found: [string, Set<Overlap>] = ['', new Set()]
  let most = -1
  for (const [key, overlaps] of members) {
    const isFile = key.startsWith('file ')
    if (overlaps.size === 0 || (isFile && overlaps.size < FILE_MIN)) continue
    // Of equal groups, that of the reader, and then that of an activity.
    const size = overlaps.size + (isReaders(key) ? 0.5 : isFile ? -0.5 : 0)
    if (size > most) [found, most] = [[key, overlaps], size]
  }
  return found
}
