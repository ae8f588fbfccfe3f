/** Durations in words. Pure. */
import { MINUTE_MS } from '../vocabulary/clock.ts'
import { count } from '../vocabulary/text.ts'

/** `3 days`, `2 hours`, `5 minutes`: rounded to the largest unit that fits. */
export function duration(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / MINUTE_MS)
  if (minutes < 1) return 'less than a minute'
  if (minutes < 90) return count(minutes, 'minute', 'minutes')
  const hours = Math.round(minutes / 60)
  return hours < 48 ? count(hours, 'hour', 'hours') : count(Math.round(hours / 24), 'day', 'days')
}

/** `3 days ago`. */
export function timeAgo(ms: number): string {
  return ms < MINUTE_MS ? 'just now' : `${duration(ms)} ago`
}
