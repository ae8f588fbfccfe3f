/** Gauges of GitHub's API rate limits. Each token and each installation has its own limit; the gauges show the one with the fewest requests left. */
import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../../vocabulary/clock.ts'

/** Whose token a request to GitHub carries: the caller's, an installation's, or the one that watches repositories. */
export type CallKind = 'caller' | 'installation' | 'watch'

interface Reading {
  remaining: number
  limit: number
  /** Milliseconds since 1970. */
  reset_at: number
}

/** Registers the two gauges. After the rate limit is reset, they are absent until the next response. */
export function githubQuota(registers: Registry[], clock: Clock) {
  const lowest = new Map<CallKind, Reading>()
  const gaugeOf = (field: 'remaining' | 'limit', help: string) =>
    new Gauge({
      name: `deconflict_github_quota_${field}`,
      help,
      labelNames: ['kind'],
      registers,
      collect() {
        this.reset()
        const now = clock().getTime()
        for (const [kind, reading] of lowest) if (reading.reset_at > now) this.set({ kind }, reading[field])
      },
    })
  gaugeOf('remaining', 'Requests left in the GitHub rate limit that has the fewest left, over all tokens.')
  gaugeOf('limit', 'The size of that rate limit.')
  return {
    /** Reads the rate limit headers of a response, if there are any. */
    observe(kind: CallKind, headers: Record<string, unknown>): void {
      const reading = {
        remaining: numberIn(headers, 'remaining'),
        limit: numberIn(headers, 'limit'),
        reset_at: numberIn(headers, 'reset') * 1000,
      }
      if (Object.values(reading).some(Number.isNaN)) return
      const known = lowest.get(kind)
      if (!known || known.reset_at <= clock().getTime() || reading.remaining <= known.remaining)
        lowest.set(kind, reading)
    },
  }
}

function numberIn(headers: Record<string, unknown>, name: string): number {
  return Number(headers[`x-ratelimit-${name}`] ?? Number.NaN)
}
