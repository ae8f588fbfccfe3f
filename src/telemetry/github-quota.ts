/** What is left of GitHub's quotas. There is one for each token and installation, and the least is what matters. */
import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../base/clock.ts'

/** Whose token a call is made with: a caller's, or the App's own. */
export type CallKind = 'caller' | 'installation'

interface Told {
  remaining: number
  limit: number
  /** Milliseconds since 1970. */
  reset_at: number
}

export interface GithubQuota {
  /** Takes in what an answer of GitHub's says in its headers, if anything. */
  observe(kind: CallKind, headers: Record<string, unknown>): void
}

/** Two gauges of the quota with the least left, until it is reset: then it is full again, and they are gone until the next answer. */
export function githubQuota(registers: Registry[], clock: Clock): GithubQuota {
  const least = new Map<CallKind, Told>()
  const gaugeOf = (field: 'remaining' | 'limit', help: string) =>
    new Gauge({
      name: `deconflict_github_quota_${field}`,
      help,
      labelNames: ['kind'],
      registers,
      collect() {
        this.reset()
        const now = clock().getTime()
        for (const [kind, told] of least) if (told.reset_at > now) this.set({ kind }, told[field])
      },
    })
  gaugeOf('remaining', 'Calls to GitHub that are left in the quota, of any token, with the least left.')
  gaugeOf('limit', 'The size of that quota.')
  return {
    observe(kind, headers) {
      const told = {
        remaining: numberIn(headers, 'remaining'),
        limit: numberIn(headers, 'limit'),
        reset_at: numberIn(headers, 'reset') * 1000,
      }
      if (Object.values(told).some(Number.isNaN)) return
      const known = least.get(kind)
      if (!known || known.reset_at <= clock().getTime() || told.remaining <= known.remaining)
        least.set(kind, told)
    },
  }
}

function numberIn(headers: Record<string, unknown>, name: string): number {
  return Number(headers[`x-ratelimit-${name}`] ?? Number.NaN)
}
