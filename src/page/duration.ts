/** Durations in words. Pure. */
import { MINUTE_MS } from '../vocabulary/clock.ts'
import { count } from '../vocabulary/text.ts'

/** `3 d`, `2 h`, `5 min`: rounded to the largest unit that fits. */
export function duration(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / MINUTE_MS)
  if (minutes < 1) return 'less than a minute'
  if (minutes < 90) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`
}

/** `3 days ago`. */
export function timeAgo(ms: number): string {
  if (ms < MINUTE_MS) return 'just now'
  const [, number, unit] = /^(\d+) (min|h|d)$/.exec(duration(ms)) ?? []
  return `${count(Number(number), ...(UNITS[unit ?? ''] ?? ['minute', 'minutes']))} ago`
}

const UNITS: Record<string, [one: string, many: string]> = {
  min: ['minute', 'minutes'],
  h: ['hour', 'hours'],
  d: ['day', 'days'],
}
