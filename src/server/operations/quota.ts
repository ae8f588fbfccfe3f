/** Quotas per minute, shared between instances through the database. */
import { later } from '../../vocabulary/clock.ts'
import type { App } from '../repositories/app.ts'
import { addToQuota } from './store.ts'

export const QUOTA_WINDOW_MS = 60_000
/** The maximum number of leases that one instance keeps in memory. */
const LEASES_MAX = 100_000

/** Units that this instance may grant without a database call. */
interface Lease {
  window_start: Date
  /** Units of the window that are leased, by all instances. */
  used: number
  /** Leased units that this instance has not granted yet. */
  available: number
}

export interface QuotaState {
  /** Units granted: as many as requested, or as many as were left. */
  granted: number
  /** Units left in the window, as far as this instance knows. */
  left: number
  reset_at: Date
}

export interface QuotaOptions {
  /** Units per key and minute. */
  limit: number
  /** The size of the next lease. Large leases cost few writes; small leases leave few units unused. */
  blockOf(left: number): number
}

export function blockOfTwentieth(left: number): number {
  return Math.max(1, Math.floor(left / 20))
}

/** A quota for each key, such as a token or an address. */
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

  /** Takes `units`, or as many as are left. All instances together never grant more than the limit in one window. */
  async take(key: string, units = 1): Promise<QuotaState> {
    let missing = units
    for (;;) {
      const now = this.#app.clock()
      const pending = this.#leases.get(key) ?? this.#lease(key, { last: null, missing, now })
      const lease = await pending
      const isOpen = endOf(lease) > now
      if (isOpen) {
        const taken = Math.min(missing, lease.available)
        lease.available -= taken
        missing -= taken
        if (missing === 0 || lease.used >= this.limit)
          return { granted: units - missing, left: this.#leftOf(lease), reset_at: endOf(lease) }
      }
      // Of concurrent calls, the first leases the next block and the others wait for it.
      if (this.#leases.get(key) === pending)
        void this.#lease(key, { last: isOpen ? lease : null, missing, now })
    }
  }

  /** Returns units that were not needed. This instance can grant them again in the same window. */
  async giveBack(key: string, { granted, reset_at }: QuotaState): Promise<void> {
    for (;;) {
      const pending = this.#leases.get(key)
      const lease = await pending?.catch(() => undefined)
      // Another block may have been leased in the meantime.
      if (this.#leases.get(key) !== pending) continue
      if (lease && endOf(lease).getTime() === reset_at.getTime()) lease.available += granted
      return
    }
  }

  /** Whether this instance knows that no units are left. Takes none. */
  async isExhausted(key: string): Promise<boolean> {
    const lease = await this.#leases.get(key)?.catch(() => undefined)
    return lease !== undefined && endOf(lease) > this.#app.clock() && this.#leftOf(lease) === 0
  }

  #leftOf({ used, available }: Lease): number {
    return Math.max(0, this.limit - used + available)
  }

  #lease(key: string, request: { last: Lease | null; missing: number; now: Date }): Promise<Lease> {
    const pending = this.#leaseFromDatabase(key, request)
    if (this.#leases.size >= LEASES_MAX) this.#evictOldest()
    this.#leases.set(key, pending)
    pending.catch(() => {
      if (this.#leases.get(key) === pending) this.#leases.delete(key)
    })
    return pending
  }

  async #leaseFromDatabase(
    key: string,
    { last, missing, now }: { last: Lease | null; missing: number; now: Date },
  ): Promise<Lease> {
    const units = Math.max(missing, this.#blockOf(this.limit - (last?.used ?? 0)))
    const expired = later(now, -QUOTA_WINDOW_MS)
    const db = this.#app.database.connection()
    const { window_start, used } = await addToQuota(db, key, { units, now, expired })
    return {
      window_start,
      used: Math.min(used, this.limit),
      available: Math.max(0, Math.min(units, this.limit - (used - units))),
    }
  }

  /** Evicts the oldest tenth. Their unused units are lost, so callers may get less than the limit but never more. */
  #evictOldest(): void {
    for (const key of [...this.#leases.keys()].slice(0, LEASES_MAX / 10)) this.#leases.delete(key)
  }
}

function endOf({ window_start }: Lease): Date {
  return later(window_start, QUOTA_WINDOW_MS)
}
