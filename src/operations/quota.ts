/** Quotas per minute, shared between instances through the database (contract §9). */
import { later } from '../base/clock.ts'
import type { App } from '../context/app.ts'
import { addToQuota } from './store.ts'

export const QUOTA_WINDOW_MS = 60_000
/** Holders whose leases one instance keeps; others are looked up again. */
const HOLDERS_MAX = 100_000

/** A block of units that this instance may grant without asking the database. */
interface Lease {
  window_start: Date
  /** Units of the window that are leased, by this instance and others. */
  used: number
  /** How many of them this instance has still to grant. */
  granted: number
}

export interface QuotaState {
  /** Units that were granted: all that were asked for, or those that were left. */
  granted: number
  /** Units that are left in the window, as far as this instance knows. */
  left: number
  reset_at: Date
}

export interface QuotaOptions {
  /** Units per holder and minute. */
  limit: number
  /** How many units to lease at a time, of those left: large blocks cost few writes, small ones waste little. */
  blockOf(left: number): number
}

/** A twentieth of what is left. */
export function blockOfTwentieth(left: number): number {
  return Math.max(1, Math.floor(left / 20))
}

export class Quota {
  readonly limit: number
  readonly #app: Pick<App, 'database' | 'clock'>
  readonly #blockOf: QuotaOptions['blockOf']
  readonly #leases = new Map<string, Promise<Lease>>()

  constructor(app: Pick<App, 'database' | 'clock'>, { limit, blockOf }: QuotaOptions) {
    this.#app = app
    this.limit = limit
    this.#blockOf = blockOf
  }

  /** Takes units from the holder's quota, or those that are left. Never grants more than the limit in one window, on however many instances. */
  async take(holder: string, units = 1): Promise<QuotaState> {
    let missing = units
    for (;;) {
      const now = this.#app.clock()
      const leasing = this.#leases.get(holder) ?? this.#lease(holder, { last: null, missing, now })
      const lease = await leasing
      const isOpen = endOf(lease) > now
      if (isOpen) {
        const taken = Math.min(missing, lease.granted)
        lease.granted -= taken
        missing -= taken
        if (missing === 0 || lease.used >= this.limit)
          return { granted: units - missing, left: this.#leftOf(lease), reset_at: endOf(lease) }
      }
      // The first caller leases the next block; the others find its promise and wait for it.
      if (this.#leases.get(holder) === leasing)
        void this.#lease(holder, { last: isOpen ? lease : null, missing, now })
    }
  }

  /** Returns units that were taken and not needed; this instance grants them again in the same window. */
  async giveBack(holder: string, { granted, reset_at }: QuotaState): Promise<void> {
    for (;;) {
      const leasing = this.#leases.get(holder)
      const lease = await leasing?.catch(() => undefined)
      // Another block may have been leased meanwhile.
      if (this.#leases.get(holder) !== leasing) continue
      if (lease && endOf(lease).getTime() === reset_at.getTime()) lease.granted += granted
      return
    }
  }

  /** Whether this instance knows that nothing is left. Takes nothing. */
  async isExhausted(holder: string): Promise<boolean> {
    const lease = await this.#leases.get(holder)?.catch(() => undefined)
    return lease !== undefined && endOf(lease) > this.#app.clock() && this.#leftOf(lease) === 0
  }

  #leftOf({ used, granted }: Lease): number {
    return Math.max(0, this.limit - used + granted)
  }

  #lease(holder: string, wanted: { last: Lease | null; missing: number; now: Date }): Promise<Lease> {
    const leasing = this.#leaseFrom(holder, wanted)
    if (this.#leases.size >= HOLDERS_MAX) this.#dropOldest()
    this.#leases.set(holder, leasing)
    leasing.catch(() => {
      if (this.#leases.get(holder) === leasing) this.#leases.delete(holder)
    })
    return leasing
  }

  async #leaseFrom(
    holder: string,
    { last, missing, now }: { last: Lease | null; missing: number; now: Date },
  ): Promise<Lease> {
    const units = Math.max(missing, this.#blockOf(this.limit - (last?.used ?? 0)))
    const expired = later(now, -QUOTA_WINDOW_MS)
    const { window_start, used } = await addToQuota(this.#app.database.connection(), holder, {
      units,
      now,
      expired,
    })
    return {
      window_start,
      used: Math.min(used, this.limit),
      granted: Math.max(0, Math.min(units, this.limit - (used - units))),
    }
  }

  /** The oldest tenth; units that were leased and not granted are lost, which errs on the strict side. */
  #dropOldest(): void {
    let count = HOLDERS_MAX / 10
    for (const holder of this.#leases.keys()) {
      this.#leases.delete(holder)
      if (--count === 0) return
    }
  }
}

function endOf({ window_start }: Lease): Date {
  return later(window_start, QUOTA_WINDOW_MS)
}
