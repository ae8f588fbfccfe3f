/** How much of the rate limit of each installation is left, and when an import may go on: half of it is left to live work. */
import { later } from '../../vocabulary/clock.ts'

/** The share of the limit that imports leave. */
const LIVE_SHARE = 0.5

interface CallBudget {
  remaining: number
  limit: number
  reset_at: Date
  /** How many imports wait for the reset. */
  waiting: number
}

export class CallBudgets {
  readonly #budgets = new Map<number, CallBudget>()

  /** Reads the headers of a response. Servers without a rate limit send none. */
  observe(installation_id: number, headers: Record<string, unknown>): void {
    const numberIn = (name: string) => Number(headers[`x-ratelimit-${name}`] ?? Number.NaN)
    const [remaining, limit, reset_s] = [numberIn('remaining'), numberIn('limit'), numberIn('reset')]
    if (Number.isNaN(remaining + limit + reset_s)) return
    const reset_at = new Date(reset_s * 1000)
    const before = this.#budgets.get(installation_id)
    const waiting = before?.reset_at.getTime() === reset_at.getTime() ? before.waiting : 0
    this.#budgets.set(installation_id, { remaining, limit, reset_at, waiting })
  }

  /** When an import may make calls; null if now. Imports that wait keep their order. */
  importAt(installation_id: number, now: Date): Date | null {
    const budget = this.#budgets.get(installation_id)
    if (!budget || budget.reset_at <= now || budget.remaining > budget.limit * LIVE_SHARE) return null
    budget.waiting += 1
    return later(budget.reset_at, budget.waiting)
  }
}
