/** The layout of the timeline: rows in groups that collide, bars on a linear time scale, and links between rows. Pure. */
import type { View } from './address.ts'
import { type LiveWork, rankOf, touches } from './live-work.ts'
import type { Person } from './people.ts'
import type { Activity, Overlap } from './records.ts'
import { duration, isBeforeScale, positionOf, type Tick, ticksOf, timeScale } from './time-scale.ts'

export interface Row {
  activity: Activity
  person: Person
  /** Position of its start; every bar ends at 1, which is now. */
  start: number
  /** The work began before the left edge. */
  is_cut: boolean
  age: string
  /** The activity does not match the choice, and is shown as the other side of a collision. */
  is_outside: boolean
  /** Its most severe collision among the rows. */
  severity: Overlap['severity'] | null
}

export interface Link {
  collision: Overlap
  /** The rows that it joins, the upper one first. */
  rows: [number, number]
  /** The column of the link, from 0. Links that would cover each other have different columns. */
  depth: number
}

export interface TimelineLayout {
  rows: Row[]
  links: Link[]
  ticks: Tick[]
  /** The number of `depth`s. */
  depths: number
  /** Activities that match but are not shown. */
  left_out: number
}

/** Here, `person` is the key of a person, or null for all. */
export type Choice = Pick<View, 'person' | 'path' | 'area' | 'text' | 'only_collisions'>

export const ROWS_MAX = 60
/** The maximum number of links that are drawn, so that they stay readable. */
const LINKS_MAX = 120
const DEPTHS_MAX = 12

/** The timeline of the activities that match the choice and of the other sides of their collisions. Without a choice, of the newest activities. */
export function timelineOf(work: LiveWork, choice: Choice, now_ms: number): TimelineLayout {
  const matching = [...work.activities.values()]
    .filter((activity) => matches(activity, work, choice))
    .sort((a, b) => b.created_at.localeCompare(a.created_at))
  const own = new Set(matching.slice(0, ROWS_MAX).map(({ id }) => id))
  const isChosen = own.size < work.activities.size
  const shown = new Set(own)
  if (isChosen)
    for (const { activity_ids } of work.collisions) {
      if (shown.size >= ROWS_MAX) break
      if (activity_ids.some((id) => own.has(id))) for (const id of activity_ids) shown.add(id)
    }
  const collisions = work.collisions.filter(
    ({ activity_ids }) => activity_ids.every((id) => shown.has(id)) && activity_ids.some((id) => own.has(id)),
  )
  const ids = inGroups([...shown], collisions, work)
  const activities = ids.flatMap((id) => work.activities.get(id) ?? [])
  const scale = timeScale(activities.map(startOf), now_ms)
  const rows = activities.map((activity): Row => {
    const start_ms = startOf(activity)
    return {
      activity,
      person: work.people.get(activity.id) as Person,
      start: positionOf(scale, start_ms),
      is_cut: isBeforeScale(scale, start_ms),
      age: duration(Math.max(0, now_ms - start_ms)),
      is_outside: !own.has(activity.id),
      // The most severe collision comes first.
      severity: collisions.find(({ activity_ids }) => activity_ids.includes(activity.id))?.severity ?? null,
    }
  })
  const links = linksOf(ids, collisions.slice(0, LINKS_MAX))
  return {
    rows,
    links,
    ticks: ticksOf(scale),
    depths: links.reduce((most, { depth }) => Math.max(most, depth + 1), 0),
    left_out: matching.length - own.size,
  }
}

/** Whether an activity passes the whole choice. */
export function matches(activity: Activity, work: LiveWork, choice: Choice): boolean {
  const { person, path, area, text, only_collisions } = choice
  const needle = text.trim().toLowerCase()
  return (
    (person === null || work.people.get(activity.id)?.key === person) &&
    (path === null || touches(activity, path) || collidesAt(activity, work, path)) &&
    (area === null || activity.scope.areas.includes(area)) &&
    (!only_collisions || work.collisions_of.has(activity.id)) &&
    (needle === '' || searchTextOf(activity).includes(needle))
  )
}

function collidesAt({ id }: Activity, work: LiveWork, path: string): boolean {
  const isAt = (example: string) => (path.endsWith('/') ? example.startsWith(path) : example === path)
  return (work.collisions_of.get(id) ?? []).some(({ paths }) => paths.some(({ example }) => isAt(example)))
}

function searchTextOf({ title, actor, agent, branch, pr_url, scope }: Activity): string {
  const changes = scope.changes.map(({ path }) => path)
  return [title, actor, agent, branch, pr_url, ...scope.areas, ...scope.paths, ...changes]
    .join('\n')
    .toLowerCase()
}

function startOf({ created_at }: Activity): number {
  return Date.parse(created_at)
}

/**
 * Puts activities that collide next to each other: the most severe group first, and in a group the oldest activity first.
 * Activities without a collision come last, the newest first.
 */
function inGroups(ids: string[], collisions: readonly Overlap[], { activities }: LiveWork): string[] {
  const group = new Map(ids.map((id) => [id, id]))
  const rootOf = (id: string): string => {
    let root = id
    while (group.get(root) !== root) root = group.get(root) as string
    group.set(id, root)
    return root
  }
  for (const { activity_ids } of collisions) {
    const [one = '', two = ''] = activity_ids.map(rootOf)
    group.set(two, one)
  }
  const rank = new Map<string, number>()
  for (const { activity_ids, severity } of collisions) {
    const root = rootOf(activity_ids[0] ?? '')
    rank.set(root, Math.max(rank.get(root) ?? 0, rankOf(severity)))
  }
  const started = (id: string) => activities.get(id)?.created_at ?? ''
  return ids.sort((a, b) => {
    const [one, two] = [rootOf(a), rootOf(b)]
    const byRank = (rank.get(two) ?? -1) - (rank.get(one) ?? -1)
    if (!rank.has(one) && !rank.has(two)) return started(b).localeCompare(started(a))
    return byRank || one.localeCompare(two) || started(a).localeCompare(started(b))
  })
}

/** Links that share rows get different depths, the shortest ones the smallest. */
function linksOf(ids: string[], collisions: readonly Overlap[]): Link[] {
  const at = new Map(ids.map((id, index) => [id, index]))
  const links = collisions.map((collision): Link => {
    const [one = 0, two = 0] = collision.activity_ids.map((id) => at.get(id))
    return { collision, rows: [Math.min(one, two), Math.max(one, two)], depth: 0 }
  })
  const taken: [number, number][][] = []
  for (const link of links.toSorted((a, b) => a.rows[1] - a.rows[0] - (b.rows[1] - b.rows[0]))) {
    const [upper, lower] = link.rows
    const free = taken.findIndex((spans) => spans.every(([from, to]) => to < upper || from > lower))
    link.depth = Math.min(free === -1 ? taken.length : free, DEPTHS_MAX - 1)
    taken[link.depth] ??= []
    taken[link.depth]?.push([upper, lower])
  }
  return links
}
