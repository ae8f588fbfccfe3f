/** Limits failed tokens by client address (docs/contract/limits.md#failed-tokens). It applies to tokens that GitHub has not accepted recently. */
import { Failure } from '../../vocabulary/failure.ts'
import type { App } from '../repositories/app.ts'
import { blockOfTwentieth, Quota, type QuotaState } from './quota.ts'
import { tooMany } from './rate-limit.ts'

/** The limit of failed tokens per minute and address. */
const FAILED_MAX = 100
/** The maximum number of requests of one address that wait for other verifications to finish. */
const WAITING_MAX = 1000

/** The verifications of one address. */
interface Gate {
  running: number
  waiting: (() => void)[]
}

type Outcome = 'accepted' | 'failed' | 'undecided'

export class FailedTokenLimit {
  readonly #clock: App['clock']
  /** A unit is taken before GitHub is called, so that a flood of tokens cannot exceed the limit while calls are in flight. */
  readonly #failed: Quota
  /** Counts requests that GitHub did not decide, because it was unavailable or limited the rate. */
  readonly #undecided: Quota
  readonly #gates = new Map<string, Gate>()

  constructor(app: Pick<App, 'database' | 'clock' | 'config'>) {
    this.#clock = app.clock
    this.#failed = new Quota(app, { limit: FAILED_MAX, blockOf: () => 1 })
    this.#undecided = new Quota(app, { limit: app.config.rate_limit_per_minute, blockOf: blockOfTwentieth })
  }

  /**
   * Runs `verify` within the limit of the address and counts a failure with `unauthorized`. If running verifications hold
   * all units that are left, it waits, because a valid token returns its unit. Throws `rate_limited`, and what `verify` throws.
   */
  async guard<Result>(address: string, verify: () => Promise<Result>): Promise<Result> {
    const unit = await this.#enter(address)
    let outcome: Outcome = 'accepted'
    try {
      return await verify()
    } catch (error) {
      outcome = error instanceof Failure && error.kind === 'unauthorized' ? 'failed' : 'undecided'
      throw error
    } finally {
      try {
        if (outcome !== 'failed') await this.#failed.giveBack(failedKey(address), unit)
        if (outcome === 'undecided') await this.#undecided.take(undecidedKey(address))
      } finally {
        this.#leave(address, { returnedUnit: outcome !== 'failed' })
      }
    }
  }

  /** Counts a token that GitHub accepted earlier and rejects now. */
  async countFailure(address: string): Promise<void> {
    await this.#failed.take(failedKey(address))
  }

  /** Takes a unit for one verification, or waits for a returned one. */
  async #enter(address: string): Promise<QuotaState> {
    for (;;) {
      const gate = this.#gates.get(address) ?? { running: 0, waiting: [] }
      this.#gates.set(address, gate)
      gate.running += 1
      let unit: QuotaState | undefined
      try {
        if (!(await this.#undecided.isExhausted(undecidedKey(address))))
          unit = await this.#failed.take(failedKey(address))
      } finally {
        if (!unit?.granted) this.#leave(address, { returnedUnit: false })
      }
      if (unit?.granted) return unit
      if (gate.running === 0 || gate.waiting.length >= WAITING_MAX)
        throw tooMany('too many requests from this address without a valid token', this.#clock(), unit)
      await new Promise<void>((resolve) => gate.waiting.push(resolve))
    }
  }

  /** Wakes one waiting request for a returned unit. If no running verification can return one, wakes all, and they are rejected. */
  #leave(address: string, { returnedUnit }: { returnedUnit: boolean }): void {
    const gate = this.#gates.get(address) as Gate
    gate.running -= 1
    const woken = returnedUnit ? 1 : gate.running === 0 ? gate.waiting.length : 0
    for (const wake of gate.waiting.splice(0, woken)) wake()
    if (gate.running === 0 && gate.waiting.length === 0) this.#gates.delete(address)
  }
}

function failedKey(address: string): string {
  return `failed:${address}`
}

function undecidedKey(address: string): string {
  return `undecided:${address}`
}
