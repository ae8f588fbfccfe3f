/** The time scale: positions on the timeline run from 0, its left edge, to 1, which is now. Pure. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../vocabulary/clock.ts'

export interface TimeScale {
  now_ms: number
  /** The time from the left edge to now. */
  span_ms: number
}

export interface Tick {
  position: number
  label: string
}

const SPAN_MAX_MS = 7 * DAY_MS
const SPAN_MIN_MS = 2 * HOUR_MS
const TICK_STEPS_MS = [HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, DAY_MS]
const TICKS_MAX = 7
/** Half hours are marked only while there are few of them. */
const HALF_HOURS_MAX = 4
/** A label at the left edge would be clipped. */
const TICK_POSITION_MIN = 0.04

/** A scale that contains all of `starts_ms`, within limits that keep it readable. */
export function timeScale(starts_ms: number[], now_ms: number): TimeScale {
  const oldest_ms = starts_ms.reduce((oldest, each) => Math.min(oldest, each), now_ms)
  return { now_ms, span_ms: Math.min(SPAN_MAX_MS, Math.max(SPAN_MIN_MS, now_ms - oldest_ms)) }
}

/** Times before the left edge are placed on it, and times after now are placed on now. */
export function positionOf({ now_ms, span_ms }: TimeScale, at_ms: number): number {
  return Math.min(1, Math.max(0, 1 - (now_ms - at_ms) / span_ms))
}

export function isBeforeScale({ now_ms, span_ms }: TimeScale, at_ms: number): boolean {
  return now_ms - at_ms > span_ms
}

/** Ticks at round distances from now, oldest first. */
export function ticksOf({ span_ms }: TimeScale): Tick[] {
  const step_ms =
    span_ms / (HOUR_MS / 2) <= HALF_HOURS_MAX
      ? HOUR_MS / 2
      : (TICK_STEPS_MS.find((step) => span_ms / step <= TICKS_MAX) ?? DAY_MS)
  const ticks: Tick[] = [{ position: 1, label: 'now' }]
  for (let ago_ms = step_ms; 1 - ago_ms / span_ms > TICK_POSITION_MIN; ago_ms += step_ms)
    ticks.unshift({ position: 1 - ago_ms / span_ms, label: `${exactDuration(ago_ms)} ago` })
  return ticks
}

/** `3 d`, `36 h`, `90 min`: never rounded. */
function exactDuration(ms: number): string {
  if (ms % DAY_MS === 0) return `${ms / DAY_MS} d`
  return ms % HOUR_MS === 0 ? `${ms / HOUR_MS} h` : `${ms / MINUTE_MS} min`
}

/** `3 d`, `2 h`, `5 min`: rounded to the largest unit that fits. */
export function duration(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / MINUTE_MS)
  if (minutes < 1) return 'less than a minute'
  if (minutes < 90) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`
}
