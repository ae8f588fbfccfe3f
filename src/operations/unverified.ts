/** Limits what callers may try with tokens that GitHub has not accepted yet, by their address (contract §9). */
import { Failure } from '../base/failure.ts'
import type { App } from '../context/app.ts'
import { blockOfTwentieth, Quota, type QuotaState } from './quota.ts'
import { tooMany } from './rate-limit.ts'

/** Failed tokens per minute and address. */
const FAILED_TOKENS_MAX = 100
/** Requests of one address that wait for the verification of others to end. */
const WAITING_MAX = 1000

/** The verifications of one address. */
interface Gate {
  running: number
  waiting: (() => void)[]
}

type Outcome = 'accepted' | 'failed' | 'undecided'

export class Unverified {
  readonly #clock: App['clock']
  /** A unit is taken before GitHub is asked, so that a flood of tokens cannot pass the limit while GitHub answers. */
  readonly #failed: Quota
  /** Requests on which GitHub did not decide, because it is unavailable or limits the rate. */
  readonly #undecided: Quota
  readonly #gates = new Map<string, Gate>()

  constructor(app: Pick<App, 'database' | 'clock' | 'config'>) {
    this.#clock = app.clock
    this.#failed = new Quota(app, { limit: FAILED_TOKENS_MAX, blockOf: () => 1 })
    this.#undecided = new Quota(app, { limit: app.config.rate_limit_per_minute, blockOf: blockOfTwentieth })
  }

  /**
   * Runs `verify` if another token of this address may fail, and counts it if it fails as `unauthorized`. While as many
   * verifications run as may fail, it waits: good tokens do not keep each other out. Throws `rate_limited`.
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
        if (outcome !== 'failed') await this.#failed.giveBack(failedOf(address), unit)
        if (outcome === 'undecided') await this.#undecided.take(undecidedOf(address))
      } finally {
        this.#leave(address, { unitIsBack: outcome !== 'failed' })
      }
    }
  }

  /** Counts a token that GitHub accepted before and refuses now. */
  async countFailure(address: string): Promise<void> {
    await this.#failed.take(failedOf(address))
  }

  async #enter(address: string): Promise<QuotaState> {
    for (;;) {
      const gate = this.#gates.get(address) ?? { running: 0, waiting: [] }
      this.#gates.set(address, gate)
      gate.running += 1
      let unit: QuotaState | undefined
      try {
        if (!(await this.#undecided.isExhausted(undecidedOf(address))))
          unit = await this.#failed.take(failedOf(address))
      } finally {
        if (!unit?.granted) this.#leave(address, { unitIsBack: false })
      }
      if (unit?.granted) return unit
      if (gate.running === 0 || gate.waiting.length >= WAITING_MAX)
        throw tooMany('too many requests from this address without a valid token', this.#clock(), unit)
      await new Promise<void>((resolve) => gate.waiting.push(resolve))
    }
  }

  /** Wakes one request for a unit that is back; or all, to be refused, when no verification runs that could return one. */
  #leave(address: string, { unitIsBack }: { unitIsBack: boolean }): void {
    const gate = this.#gates.get(address) as Gate
    gate.running -= 1
    const woken = unitIsBack ? 1 : gate.running === 0 ? gate.waiting.length : 0
    for (const wake of gate.waiting.splice(0, woken)) wake()
    if (gate.running === 0 && gate.waiting.length === 0) this.#gates.delete(address)
  }
}

function failedOf(address: string): string {
  return `failed:${address}`
}

function undecidedOf(address: string): string {
  return `undecided:${address}`
}
