/**
 * When the page loads its records again: one load at a time, never aborted, one more after it if something changed in the
 * meantime, and growing waits after failures. `step` decides and is pure; `Refresher` executes its decisions.
 */
import { systemClock } from '../vocabulary/clock.ts'

export interface RefreshState {
  is_loading: boolean
  /** Something changed since the last load began. */
  is_stale: boolean
  /** Loads that failed in a row. */
  failures: number
  /** When the next load is due at a pace of one load per `INTERVAL_MS`. */
  paced_ms: number
}

export type RefreshEvent =
  /** Something changed, and the event stream does not say what. */
  | { kind: 'changed' }
  /** The event stream ended. */
  | { kind: 'lost' }
  /** The user waits for the result, or the lost connection is back. */
  | { kind: 'requested' }
  | { kind: 'timer' }
  | { kind: 'loaded'; fresh_for_ms: number }
  | { kind: 'failed'; retry_after_ms: number }

export interface RefreshStep {
  state: RefreshState
  /** `load` now, load after `wait_ms` instead of any earlier wait, or change nothing. */
  action: 'load' | 'none' | { wait_ms: number }
}

export const NOT_LOADED: RefreshState = { is_loading: false, is_stale: true, failures: 0, paced_ms: 0 }

/** A load waits this long for an event stream that is being opened, so that no change falls between the two. */
export const STREAM_WAIT_MS = 500
/** A load waits this long after a change, so that changes in quick succession share it. */
export const SETTLE_MS = 300
/** Pace of loads under constant change; their requests count towards the reader's quota. */
export const INTERVAL_MS = 5000
/** How far loads may run ahead of that pace, so that single changes are shown at once. */
const BURST_MS = 4 * INTERVAL_MS
export const RETRY_MIN_MS = 2000
export const RETRY_MAX_MS = 60_000
/** Without an event stream, records are read again after this time. */
export const FRESH_MAX_MS = 60_000
/** With an event stream, records are read again after this time, because an event may be lost. */
export const LIVE_FRESH_MAX_MS = 600_000
const FRESH_MIN_MS = 1000

export function step(state: RefreshState, event: RefreshEvent, now_ms: number): RefreshStep {
  const stay = (changes: Partial<RefreshState>): RefreshStep => ({
    state: { ...state, ...changes },
    action: 'none',
  })
  const paced_ms = Math.max(state.paced_ms, now_ms) + INTERVAL_MS
  const load: RefreshStep = {
    state: { ...state, is_loading: true, is_stale: false, paced_ms },
    action: 'load',
  }
  const settle_ms = Math.max(SETTLE_MS, state.paced_ms - BURST_MS - now_ms)
  switch (event.kind) {
    case 'changed':
      // The load that is already due will include this change. After a failure, its wait is kept.
      if (state.is_loading || state.is_stale || state.failures > 0) return stay({ is_stale: true })
      return { state: { ...state, is_stale: true }, action: { wait_ms: settle_ms } }
    case 'lost':
      if (state.is_loading || state.is_stale || state.failures > 0) return stay({})
      return { state, action: { wait_ms: FRESH_MAX_MS } }
    case 'requested':
      return state.is_loading ? stay({ is_stale: true }) : load
    case 'timer':
      return state.is_loading ? stay({}) : load
    case 'loaded': {
      const wait_ms = state.is_stale ? settle_ms : event.fresh_for_ms
      return { state: { ...state, is_loading: false, failures: 0 }, action: { wait_ms } }
    }
    case 'failed': {
      const backoff_ms = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** state.failures)
      return {
        state: { ...state, is_loading: false, is_stale: true, failures: state.failures + 1 },
        action: { wait_ms: Math.max(backoff_ms, event.retry_after_ms) },
      }
    }
  }
}

/** How long records can be shown without another load: heartbeats are not announced, and expiry is announced late. */
export function freshFor(read: { expiries: readonly string[]; as_of_ms: number; is_live: boolean }): number {
  const { expiries, as_of_ms, is_live } = read
  const first_ms = expiries.reduce((first, each) => Math.min(first, Date.parse(each)), Infinity)
  const max_ms = is_live ? LIVE_FRESH_MAX_MS : FRESH_MAX_MS
  return Math.min(max_ms, Math.max(FRESH_MIN_MS, first_ms - as_of_ms))
}

/** What a load resolves to; it never rejects. */
export type LoadResult = Extract<RefreshEvent, { kind: 'loaded' | 'failed' }>

export class Refresher {
  readonly #load: () => Promise<LoadResult>
  #state = NOT_LOADED
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Callers that wait for the running load, and for the one after it. */
  #current: (() => void)[] = []
  #next: (() => void)[] = []

  constructor(load: () => Promise<LoadResult>) {
    this.#load = load
    this.awaitStream()
  }

  /** The event stream is being opened: loads when it is open, or after a short wait. */
  awaitStream(): void {
    this.#wait(STREAM_WAIT_MS)
  }

  changed(): void {
    this.#handle({ kind: 'changed' })
  }

  lost(): void {
    this.#handle({ kind: 'lost' })
  }

  /** Resolves when a load that began after this call has ended, whether or not it succeeded. */
  refresh(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#next.push(resolve))
    this.#handle({ kind: 'requested' })
    return ended
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#handle = () => {}
    for (const resolve of [...this.#current, ...this.#next]) resolve()
  }

  #handle = (event: RefreshEvent): void => {
    const { state, action } = step(this.#state, event, systemClock().getTime())
    this.#state = state
    if (action === 'load') void this.#run()
    else if (action !== 'none') this.#wait(action.wait_ms)
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer)
    this.#current = this.#next
    this.#next = []
    const result = await this.#load()
    for (const resolve of this.#current) resolve()
    this.#handle(result)
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#handle({ kind: 'timer' }), ms)
  }
}
