/** The quota of requests per caller and minute, shared between instances through the database (contract §9). */
import { later } from '../base/clock.ts'
import type { App } from '../context/app.ts'
import { addToQuota, findQuota } from './store.ts'

export const QUOTA_WINDOW_MS = 60_000
/** Callers that one instance keeps in mind; others are looked up again. */
const CALLERS_MAX = 100_000
/** An instance leases this part of what is left at a time: large blocks cost few writes, and small ones at the end waste little. */
const LEASED_PART = 20

/** A block of requests that this instance may grant without asking. */
interface Lease {
  window_start: Date
  /** Requests of the window that are spoken for, by this instance and others. */
  used: number
  /** How many of them this instance has still to grant. */
  granted: number
}

export interface QuotaState {
  /** This request included; more than the limit when it is refused. */
  used: number
  reset_at: Date
}

export class Quota {
  readonly #app: Pick<App, 'database' | 'clock' | 'config'>
  readonly #leases = new Map<string, Promise<Lease>>()

  constructor(app: Pick<App, 'database' | 'clock' | 'config'>) {
    this.#app = app
  }

  /** Takes one request from the caller's quota. Never grants more than the limit in one window, on however many instances. */
  async take(caller: string): Promise<QuotaState> {
    const { clock, config } = this.#app
    const limit = config.rate_limit_per_minute
    for (;;) {
      const now = clock()
      const leasing = this.#leases.get(caller) ?? this.#lease(caller, null, now)
      const lease = await leasing
      const reset_at = later(lease.window_start, QUOTA_WINDOW_MS)
      if (reset_at > now && lease.granted > 0) {
        lease.granted -= 1
        return { used: lease.used - lease.granted, reset_at }
      }
      if (reset_at > now && lease.used >= limit) return { used: limit + 1, reset_at }
      // Whoever comes first asks for the next block; the others find its promise and wait for it.
      if (this.#leases.get(caller) === leasing) void this.#lease(caller, reset_at > now ? lease : null, now)
    }
  }

  /** Whether nothing of the caller's quota is left. Takes nothing. */
  async isSpent(caller: string): Promise<boolean> {
    const { clock, config, database } = this.#app
    const isSpentIn = (quota: { window_start: Date; used: number } | undefined) =>
      quota !== undefined &&
      later(quota.window_start, QUOTA_WINDOW_MS) > clock() &&
      quota.used >= config.rate_limit_per_minute
    const lease = await this.#leases.get(caller)
    if (lease && lease.granted > 0) return false
    // What other instances have used since is in the database.
    return isSpentIn(lease) || isSpentIn(await findQuota(database.connection(), caller))
  }

  #lease(caller: string, last: Lease | null, now: Date): Promise<Lease> {
    const leasing = this.#askFor(caller, last, now)
    if (this.#leases.size >= CALLERS_MAX) this.#forgetSome()
    this.#leases.set(caller, leasing)
    leasing.catch(() => {
      if (this.#leases.get(caller) === leasing) this.#leases.delete(caller)
    })
    return leasing
  }

  async #askFor(caller: string, last: Lease | null, now: Date): Promise<Lease> {
    const limit = this.#app.config.rate_limit_per_minute
    const left = limit - (last?.used ?? 0)
    const units = Math.max(1, Math.floor(left / LEASED_PART))
    const expired = later(now, -QUOTA_WINDOW_MS)
    const { window_start, used } = await addToQuota(this.#app.database.connection(), caller, {
      units,
      now,
      expired,
    })
    return {
      window_start,
      used: Math.min(used, limit),
      granted: Math.max(0, Math.min(units, limit - (used - units))),
    }
  }

  /** The oldest tenth; what their leases had left is lost, which errs on the strict side. */
  #forgetSome(): void {
    let count = CALLERS_MAX / 10
    for (const caller of this.#leases.keys()) {
      this.#leases.delete(caller)
      if (--count === 0) return
    }
  }
}
