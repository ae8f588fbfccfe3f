/** Durations in words. Pure. */
import { MINUTE_MS } from '../vocabulary/clock.ts'

/** `3 d`, `2 h`, `5 min`: rounded to the largest unit that fits. */
export function duration(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / MINUTE_MS)
  if (minutes < 1) return 'less than a minute'
  if (minutes < 90) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`
}
