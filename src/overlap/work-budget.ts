/** What a long computation may spend: it makes room for other requests meanwhile, and ends when it is cancelled. */
import { pauses } from '../base/turns.ts'
import type { Budget } from '../scope/frontier.ts'

/** Work between two looks at the clock, in units: a millisecond at most. */
const TURN_UNITS = 20_000

export class WorkBudget implements Budget {
  readonly #budget: Budget
  readonly #signal: AbortSignal
  readonly #pause = pauses()
  #reserve: number
  #pause_at: number

  /** `reserve`: the part of `budget` that is there only after `useReserve`. */
  constructor({ budget, reserve, signal }: { budget: Budget; reserve: number; signal: AbortSignal }) {
    this.#budget = budget
    this.#reserve = reserve
    this.#signal = signal
    this.#pause_at = this.remaining - TURN_UNITS
  }

  get remaining(): number {
    return this.#budget.remaining - this.#reserve
  }

  set remaining(units: number) {
    this.#budget.remaining = units + this.#reserve
  }

  get isExhausted(): boolean {
    return this.remaining < 0
  }

  useReserve(): void {
    this.#pause_at += this.#reserve
    this.#reserve = 0
  }

  /** Whether `pause` is due: asking is cheap, awaiting is not. */
  get isPauseDue(): boolean {
    return this.remaining < this.#pause_at
  }

  /** Lets other requests have their turn when it is time. Throws when the computation was cancelled. */
  async pause(): Promise<void> {
    await this.#pause()
    this.#signal.throwIfAborted()
    this.#pause_at = this.remaining - TURN_UNITS
  }
}
