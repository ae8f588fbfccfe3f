/** Hot spots: the files and folders in which several people work now. Pure. */

import { SEVERITIES } from '../vocabulary/severity.ts'
import type { LineRange } from '../vocabulary/verdict.ts'
import { type LiveWork, literalPartOf, pathsOf, rankOf } from './live-work.ts'
import type { Person } from './people.ts'
import type { Activity, Overlap } from './records.ts'

export interface HotFile {
  path: string
  people: Person[]
  activities: Presence[]
  /** The most severe collision at this path; null if there is none. */
  severity: Overlap['severity'] | null
}

/** An activity in a file, and the lines that it changes there, as far as they are known from collisions. */
export interface Presence {
  activity: Activity
  person: Person
  lines: LineRange[]
}

export interface HotFolder {
  /** Ends with `/`; `/` is the root. */
  path: string
  people: Person[]
  activity_ids: ReadonlySet<string>
  severity: Overlap['severity'] | null
  /** Hot files directly in it, the hottest first. */
  files: HotFile[]
}

const FOLDERS_MAX = 40
/** The maximum number of paths of one activity that are counted. */
const PATHS_MAX = 300

interface Spot {
  members: Map<string, Presence>
  rank: number
}

/** Folders with at least two people, the hottest first: by people, then by severity. */
export function hotFolders(work: LiveWork): HotFolder[] {
  const files = new Map<string, Spot>()
  const folders = new Map<string, Map<string, Activity>>()
  for (const activity of work.activities.values())
    for (const path of pathsOf(activity).slice(0, PATHS_MAX)) {
      const literal = literalPartOf(path)
      if (literal === path) enter(files, path, activity, work)
      enterFolder(folders, folderOf(literal), activity)
    }
  for (const collision of work.collisions) addCollision(files, collision, work)
  const filesByFolder = new Map<string, [string, Spot][]>()
  for (const file of files)
    if (file[1].members.size > 1) {
      const folder = folderOf(file[0])
      filesByFolder.set(folder, [...(filesByFolder.get(folder) ?? []), file])
    }
  for (const [path, spots] of filesByFolder)
    for (const [, { members }] of spots)
      for (const { activity } of members.values()) enterFolder(folders, path, activity)
  return [...folders]
    .map(([path, members]) => folderWith(path, members, { spots: filesByFolder.get(path) ?? [], work }))
    .filter(({ people }) => people.length > 1)
    .sort((a, b) => hotter(a, b))
    .slice(0, FOLDERS_MAX)
}

/** `src/checkout/` of `src/checkout/cart.ts`. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1) || '/'
}

function enter(
  files: Map<string, Spot>,
  path: string,
  activity: Activity,
  { people }: LiveWork,
): Presence | undefined {
  const spot = files.get(path) ?? { members: new Map(), rank: -1 }
  files.set(path, spot)
  const known = spot.members.get(activity.id)
  if (known) return known
  const person = people.get(activity.id)
  if (!person) return undefined
  const presence: Presence = { activity, person, lines: [] }
  spot.members.set(activity.id, presence)
  return presence
}

function enterFolder(folders: Map<string, Map<string, Activity>>, path: string, activity: Activity): void {
  const members = folders.get(path) ?? new Map<string, Activity>()
  folders.set(path, members.set(activity.id, activity))
}

function addCollision(files: Map<string, Spot>, collision: Overlap, work: LiveWork): void {
  for (const { example, line_ranges } of collision.paths)
    for (const [index, id] of collision.activity_ids.entries()) {
      const activity = work.activities.get(id)
      const presence = activity && enter(files, example, activity, work)
      const lines = line_ranges?.[index]
      if (
        presence &&
        lines &&
        !presence.lines.some(([first, last]) => first === lines[0] && last === lines[1])
      )
        presence.lines.push(lines)
      const spot = files.get(example)
      if (spot) spot.rank = Math.max(spot.rank, rankOf(collision.severity))
    }
}

function folderWith(
  path: string,
  members: ReadonlyMap<string, Activity>,
  { spots, work }: { spots: [string, Spot][]; work: LiveWork },
): HotFolder {
  const files = spots
    .map(([name, { members: inside, rank }]): HotFile => {
      const activities = [...inside.values()].sort((a, b) =>
        a.activity.created_at.localeCompare(b.activity.created_at),
      )
      return {
        path: name,
        activities,
        people: distinct(activities.map(({ person }) => person)),
        severity: SEVERITIES[rank] ?? null,
      }
    })
    .filter(({ people }) => people.length > 1)
    .sort((a, b) => hotter(a, b))
  const rank = files.reduce((most, { severity }) => Math.max(most, rankOf(severity)), -1)
  return {
    path,
    people: distinct([...members.keys()].flatMap((id) => work.people.get(id) ?? [])),
    activity_ids: new Set(members.keys()),
    severity: SEVERITIES[rank] ?? null,
    files,
  }
}

function distinct(people: Person[]): Person[] {
  return [...new Map(people.map((person) => [person.key, person])).values()]
}

type Hot = Pick<HotFolder, 'path' | 'people' | 'severity'>

function hotter(a: Hot, b: Hot): number {
  return (
    b.people.length - a.people.length ||
    rankOf(b.severity) - rankOf(a.severity) ||
    a.path.localeCompare(b.path)
  )
}

/** A section of a file: its first and last line, and ranges of lines as positions from 0 to 1 on it. */
export interface Strip {
  first: number
  last: number
  /** The ranges of each member, in the given order. */
  ranges: { start: number; end: number; lines: LineRange }[][]
}

/** The strip that contains all ranges, with some lines around them; null if there is no range. The length of the file is unknown. */
export function stripOf(members: readonly (readonly LineRange[])[]): Strip | null {
  const all = members.flat()
  if (all.length === 0) return null
  const low = Math.min(...all.map(([first]) => first))
  const high = Math.max(...all.map(([, last]) => last))
  const around = Math.max(3, Math.round((high - low + 1) * 0.08))
  const [first, last] = [Math.max(1, low - around), high + around]
  const at = (line: number) => (line - first) / (last - first + 1)
  return {
    first,
    last,
    ranges: members.map((ranges) =>
      ranges.map((lines) => ({ start: at(lines[0]), end: at(lines[1] + 1), lines })),
    ),
  }
}
