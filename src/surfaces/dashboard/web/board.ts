/** Where each piece of work lies in the picture, as pure functions: lanes by area or folder, bars over time, links between what collides; the gravest first. */
import type { Activity, Overlap } from './records.ts'

export type LaneBy = 'area' | 'folder'

export interface Lane {
  name: string
  bars: Bar[]
}

export interface Bar {
  activity: Activity
  /** How long it has been going on: a part of the time that the picture shows, from 0 to 1. */
  length: number
  age: string
  /** It began before the picture does. */
  is_cut: boolean
  /** Counted over all lanes, from the top. */
  row: number
}

export interface Link {
  overlap: Overlap
  /** Rows that it joins, the upper one first. */
  rows: [number, number]
  /** How far it bulges, from 0 (least) to 1. */
  reach: number
}

export interface Board {
  lanes: Lane[]
  links: Link[]
  /** `at`: parts of the time that the picture shows; 1 is now. */
  ticks: { at: number; label: string }[]
  /** Rows of bars. */
  rows: number
}

export interface Filter {
  text: string
  risk: string
  only_collisions: boolean
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The picture begins with the oldest work, but no earlier than this. */
const PAST_MAX_MS = 7 * DAY_MS
const PAST_MIN_MS = 2 * HOUR_MS
/** A tick at the very edge would be cut off. */
const TICK_MIN = 0.04
const FOLDER_DEPTH = 2
const RANK = { low: 0, medium: 1, high: 2, critical: 3 }

export function boardOf(
  activities: Activity[],
  overlaps: Overlap[],
  { now_ms, lane_by }: { now_ms: number; lane_by: LaneBy },
): Board {
  const oldest = Math.min(...activities.map(({ created_at }) => Date.parse(created_at)), now_ms)
  const past_ms = Math.min(PAST_MAX_MS, Math.max(PAST_MIN_MS, now_ms - oldest))
  const groups = new Map<string, Activity[]>()
  for (const activity of activities) {
    const name = laneOf(activity, lane_by)
    groups.set(name, [...(groups.get(name) ?? []), activity])
  }
  const weight = weightOf(overlaps)
  const heaviest = (name: string) =>
    Math.max(...(groups.get(name) ?? []).map(({ id }) => weight.get(id) ?? 0))
  const names = [...groups.keys()].sort((a, b) => heaviest(b) - heaviest(a) || a.localeCompare(b))
  let row = 0
  const lanes = names.map((name) => ({
    name,
    bars: (groups.get(name) ?? []).toSorted(byUrgency).map((activity) => {
      const age_ms = Math.max(0, now_ms - Date.parse(activity.created_at))
      const length = Math.min(1, age_ms / past_ms)
      return { activity, length, age: duration(age_ms), is_cut: age_ms > past_ms, row: row++ }
    }),
  }))
  return { lanes, links: linksOf(lanes, overlaps), ticks: ticksOf(past_ms), rows: row }
}

/** What the filters let through; a collision is shown when both its sides are. */
export function filtered(activities: Activity[], overlaps: Overlap[], filter: Filter): Activity[] {
  const text = filter.text.trim().toLowerCase()
  const colliding = new Set(overlaps.flatMap(({ activity_ids }) => activity_ids))
  return activities.filter(
    (each) =>
      (text === '' || textOf(each).includes(text)) &&
      (filter.risk === '' || RANK[each.risk] >= RANK[filter.risk as keyof typeof RANK]) &&
      (!filter.only_collisions || colliding.has(each.id)),
  )
}

function textOf({ title, actor, agent, branch, scope }: Activity): string {
  return [title, actor, agent ?? '', branch ?? '', ...scope.areas, ...scope.paths].join('\n').toLowerCase()
}

function laneOf({ scope }: Activity, lane_by: LaneBy): string {
  const [area] = scope.areas
  if (lane_by === 'area' && area !== undefined) return area
  const [path] = scope.paths
  if (path === undefined) return area ?? 'the whole repository'
  const segments = path.split('/')
  const plain = segments.slice(0, -1).findIndex((segment) => /[*?[{\\]/.test(segment))
  const depth = Math.min(FOLDER_DEPTH, plain === -1 ? segments.length - 1 : plain)
  return depth <= 0 ? '/' : `${segments.slice(0, depth).join('/')}/`
}

/** How grave the gravest collision of each activity is. */
function weightOf(overlaps: Overlap[]): Map<string, number> {
  const weight = new Map<string, number>()
  for (const { activity_ids, severity } of overlaps)
    for (const id of activity_ids) weight.set(id, Math.max(weight.get(id) ?? 0, RANK[severity] + 1))
  return weight
}

/** The risky first, then the newest. */
function byUrgency(a: Activity, b: Activity): number {
  return RANK[b.risk] - RANK[a.risk] || b.id.localeCompare(a.id)
}

function linksOf(lanes: Lane[], overlaps: Overlap[]): Link[] {
  const rows = new Map(
    lanes.flatMap(({ bars }) => bars.map(({ activity, row }) => [activity.id, row] as const)),
  )
  const links = overlaps.flatMap((overlap) => {
    const [one, other] = overlap.activity_ids.map((id) => rows.get(id ?? ''))
    if (one === undefined || other === undefined) return []
    return [{ overlap, rows: [Math.min(one, other), Math.max(one, other)] as [number, number] }]
  })
  const longest = Math.max(1, ...links.map(({ rows: [upper, lower] }) => lower - upper))
  return links
    .map((link) => ({ ...link, reach: (link.rows[1] - link.rows[0]) / longest }))
    .sort((a, b) => RANK[b.overlap.severity] - RANK[a.overlap.severity])
}

function ticksOf(past_ms: number): Board['ticks'] {
  const steps = [HOUR_MS / 2, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, DAY_MS, 2 * DAY_MS]
  // Half hours are for the shortest past alone: beyond, full ones read better.
  const step = steps.find((each, at) => past_ms / each <= (at === 0 ? 4 : 7)) ?? DAY_MS
  const ticks = []
  for (let ago = step; 1 - ago / past_ms > TICK_MIN; ago += step)
    ticks.push({ at: 1 - ago / past_ms, label: `${exactly(ago)} ago` })
  return [...ticks.reverse(), { at: 1, label: 'now' }]
}

/** `3 d`, `36 h`, `90 min`: nothing rounded. */
function exactly(ms: number): string {
  if (ms % DAY_MS === 0) return `${ms / DAY_MS} d`
  return ms % HOUR_MS === 0 ? `${ms / HOUR_MS} h` : `${ms / 60_000} min`
}

/** `3 d`, `2 h`, `5 min`: the largest unit that fits. */
export function duration(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000)
  if (minutes < 1) return 'moments'
  if (minutes < 90) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`
}
