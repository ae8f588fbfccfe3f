/** Hot folders, in which several people work now, and strips of files. Pure. */
import { SEVERITIES } from '../vocabulary/severity.ts'
import type { LineRange } from '../vocabulary/verdict.ts'
import { type LiveWork, pathsOf } from './live-work.ts'
import type { Person } from './people.ts'
import type { Overlap } from './records.ts'

export interface HotFolder {
  /** Ends with `/`; `/` is the root. */
  path: string
  people: Person[]
  /** The most severe overlap in it; null if there is none. */
  severity: Overlap['severity'] | null
}

/** Folders with at least two people, the hottest first: by people, then by severity. */
export function hotFolders({ activities, people, collisions }: LiveWork): HotFolder[] {
  const folders = new Map<string, { people: Map<string, Person>; rank: number }>()
  const enter = (path: string, id: string, rank = -1) => {
    const folder = folders.get(folderOf(path)) ?? { people: new Map(), rank: -1 }
    folders.set(folderOf(path), folder)
    const person = people.get(id)
    if (person) folder.people.set(person.key, person)
    folder.rank = Math.max(folder.rank, rank)
  }
  for (const activity of activities.values()) {
    const { files, globs } = pathsOf(activity)
    for (const path of files) enter(path, activity.id)
    for (const path of globs) enter(path.replace(/[*?[{\\].*/, ''), activity.id)
  }
  for (const { paths, activity_ids, severity } of collisions)
    for (const { example } of paths)
      for (const id of activity_ids) enter(example, id, SEVERITIES.indexOf(severity))
  return [...folders]
    .filter(([, folder]) => folder.people.size > 1)
    .sort(
      ([a, one], [b, two]) => two.people.size - one.people.size || two.rank - one.rank || a.localeCompare(b),
    )
    .map(([path, folder]) => ({
      path,
      people: [...folder.people.values()],
      severity: SEVERITIES[folder.rank] ?? null,
    }))
}

/** `src/checkout/` of `src/checkout/cart.ts`. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1) || '/'
}

/** A section of a file: the lines of each side as positions from 0 to 1 on it. */
export type Strip = ({ start: number; end: number; lines: LineRange } | null)[]

/** The section that contains the lines of both sides, with some lines around them. The length of the file is unknown. */
export function stripOf(sides: readonly (LineRange | null)[]): Strip {
  const all = sides.filter((lines) => lines !== null)
  const low = Math.min(...all.map(([first]) => first))
  const high = Math.max(...all.map(([, last]) => last))
  const around = Math.max(3, Math.round((high - low + 1) * 0.08))
  const [first, last] = [Math.max(1, low - around), high + around]
  const at = (line: number) => (line - first) / (last - first + 1)
  return sides.map((lines) => lines && { start: at(lines[0]), end: at(lines[1] + 1), lines })
}
