/** The layout of the timeline: lanes by area or folder, bars on a linear time scale, and links between colliding activities. Pure. */
import type { Activity, Overlap } from './records.ts'
import { RISK_RANK, SEVERITY_RANK, type Selection } from './selection.ts'
import { duration, isBeforeScale, positionOf, type Tick, ticksOf, timeScale } from './time-scale.ts'

export type LaneBy = 'area' | 'folder'

export interface Lane {
  name: string
  bars: Bar[]
}

export interface Bar {
  activity: Activity
  /** Position of its start; every bar ends at 1, which is now. */
  start: number
  /** The work began before the left edge. */
  is_cut: boolean
  age: string
  /** `before`: the label is beside the bar, which is too short for it. */
  label: 'inside' | 'before'
  /** Shown only as the other side of a collision. */
  is_outside: boolean
  is_colliding: boolean
  /** Index among all rows of the board, from the top. */
  row: number
}

export interface Link {
  overlap: Overlap
  /** The rows that it joins, the upper one first. */
  rows: [number, number]
  /** How far its arc reaches, from 0 to 1: the more rows apart, the further. */
  reach: number
}

export interface Board {
  lanes: Lane[]
  /** The most severe first. */
  links: Link[]
  ticks: Tick[]
  row_count: number
}

const FOLDER_DEPTH = 2
/** A bar that starts in the left half contains its label; otherwise there is more room before it. */
const LABEL_INSIDE_MAX = 0.5

export function boardOf(
  { activities, overlaps, outside }: Selection,
  { now_ms, lane_by }: { now_ms: number; lane_by: LaneBy },
): Board {
  const scale = timeScale(activities.map(startOf), now_ms)
  const severity = worstSeverities(overlaps)
  let row_count = 0
  const lanes = lanesOf(activities, lane_by, severity).map(([name, members]) => ({
    name,
    bars: members.toSorted(riskiestFirst).map((activity): Bar => {
      const start = positionOf(scale, startOf(activity))
      return {
        activity,
        start,
        is_cut: isBeforeScale(scale, startOf(activity)),
        age: duration(Math.max(0, now_ms - startOf(activity))),
        label: start < LABEL_INSIDE_MAX ? 'inside' : 'before',
        is_outside: outside.has(activity.id),
        is_colliding: severity.has(activity.id),
        row: row_count++,
      }
    }),
  }))
  return { lanes, links: linksOf(lanes, overlaps), ticks: ticksOf(scale), row_count }
}

function startOf({ created_at }: Activity): number {
  return Date.parse(created_at)
}

/** Lanes with their activities: the lane with the most severe collision first, then by name. */
function lanesOf(
  activities: Activity[],
  lane_by: LaneBy,
  severity: Map<string, number>,
): [name: string, Activity[]][] {
  const lanes = new Map<string, Activity[]>()
  const worst = new Map<string, number>()
  for (const activity of activities) {
    const name = laneNameOf(activity, lane_by)
    const lane = lanes.get(name)
    if (lane) lane.push(activity)
    else lanes.set(name, [activity])
    worst.set(name, Math.max(worst.get(name) ?? -1, severity.get(activity.id) ?? -1))
  }
  return [...lanes].sort(([a], [b]) => (worst.get(b) ?? -1) - (worst.get(a) ?? -1) || a.localeCompare(b))
}

function laneNameOf({ scope }: Activity, lane_by: LaneBy): string {
  const [area] = scope.areas
  if (lane_by === 'area' && area !== undefined) return area
  const [path] = scope.paths
  if (path === undefined) return area ?? 'whole repository'
  const segments = path.split('/')
  const first_pattern = segments.slice(0, -1).findIndex((segment) => /[*?[{\\]/.test(segment))
  const depth = Math.min(FOLDER_DEPTH, first_pattern === -1 ? segments.length - 1 : first_pattern)
  return depth <= 0 ? '/' : `${segments.slice(0, depth).join('/')}/`
}

/** The rank of each colliding activity's most severe collision. */
function worstSeverities(overlaps: Overlap[]): Map<string, number> {
  const worst = new Map<string, number>()
  for (const { activity_ids, severity } of overlaps)
    for (const id of activity_ids) worst.set(id, Math.max(worst.get(id) ?? 0, SEVERITY_RANK[severity]))
  return worst
}

/** Of equals the newest first: ids are ordered by time. */
function riskiestFirst(a: Activity, b: Activity): number {
  return RISK_RANK[b.risk] - RISK_RANK[a.risk] || b.id.localeCompare(a.id)
}

function linksOf(lanes: Lane[], overlaps: Overlap[]): Link[] {
  const rows = new Map(
    lanes.flatMap(({ bars }) => bars.map(({ activity, row }) => [activity.id, row] as const)),
  )
  const joined = overlaps.map((overlap) => {
    const [one = 0, other = 0] = overlap.activity_ids.map((id) => rows.get(id))
    return { overlap, rows: [Math.min(one, other), Math.max(one, other)] as [number, number] }
  })
  const longest = joined.reduce((most, { rows: [upper, lower] }) => Math.max(most, lower - upper), 1)
  return joined.map((link) => ({ ...link, reach: (link.rows[1] - link.rows[0]) / longest }))
}
