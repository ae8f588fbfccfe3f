/** When the page loads its records again. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  FRESH_MAX_MS,
  freshFor,
  INTERVAL_MS,
  LIVE_FRESH_MAX_MS,
  type LoadResult,
  NOT_LOADED,
  RETRY_MAX_MS,
  RETRY_MIN_MS,
  type RefreshEvent,
  Refresher,
  type RefreshState,
  SETTLE_MS,
  STREAM_WAIT_MS,
  step,
} from '../../src/page/refresh.ts'
import { NOW_MS } from '../support/page-records.ts'

type Unpaced = Omit<RefreshState, 'paced_ms'>

const WAITING: Unpaced = { is_loading: false, is_stale: false, failures: 0 }
const SETTLING: Unpaced = { ...WAITING, is_stale: true }
const LOADING: Unpaced = { is_loading: true, is_stale: false, failures: 0 }
const OUTDATED: Unpaced = { ...LOADING, is_stale: true }
const failedTimes = (failures: number): Unpaced => ({ is_loading: false, is_stale: true, failures })
const loaded: RefreshEvent = { kind: 'loaded', fresh_for_ms: 5000 }
const failed: RefreshEvent = { kind: 'failed', retry_after_ms: 0 }

describe('a refresh', () => {
  test.each<[string, Unpaced, RefreshEvent, Unpaced, ReturnType<typeof step>['action']]>([
    ['waits a moment for more changes', WAITING, { kind: 'changed' }, SETTLING, { wait_ms: SETTLE_MS }],
    ['is not put off by the next change', SETTLING, { kind: 'changed' }, SETTLING, 'none'],
    ['begins when the wait is over', SETTLING, { kind: 'timer' }, LOADING, 'load'],
    ['begins at once if the user waits for it', WAITING, { kind: 'requested' }, LOADING, 'load'],
    ['does not abort a running load when something changes', LOADING, { kind: 'changed' }, OUTDATED, 'none'],
    ['does not abort a running load when it is requested', LOADING, { kind: 'requested' }, OUTDATED, 'none'],
    ['is one more, however much changed in the meantime', OUTDATED, { kind: 'changed' }, OUTDATED, 'none'],
    [
      'is one more after a load during which something changed',
      OUTDATED,
      loaded,
      SETTLING,
      { wait_ms: SETTLE_MS },
    ],
    ['comes when the records may have expired', LOADING, loaded, WAITING, { wait_ms: 5000 }],
    ['is retried after a failure', LOADING, failed, failedTimes(1), { wait_ms: RETRY_MIN_MS }],
    [
      'waits longer after each failure',
      { ...LOADING, failures: 2 },
      failed,
      failedTimes(3),
      { wait_ms: 4 * RETRY_MIN_MS },
    ],
    [
      'waits no longer than a limit',
      { ...LOADING, failures: 40 },
      failed,
      failedTimes(41),
      { wait_ms: RETRY_MAX_MS },
    ],
    [
      'waits until Retry-After',
      LOADING,
      { kind: 'failed', retry_after_ms: 90_000 },
      failedTimes(1),
      { wait_ms: 90_000 },
    ],
    [
      'does not begin earlier because of changes after a failure',
      failedTimes(2),
      { kind: 'changed' },
      failedTimes(2),
      'none',
    ],
    [
      'begins at once after a failure if the user requests it',
      failedTimes(2),
      { kind: 'requested' },
      { ...LOADING, failures: 2 },
      'load',
    ],
    ['comes within a minute without a stream', WAITING, { kind: 'lost' }, WAITING, { wait_ms: FRESH_MAX_MS }],
    ['that is due already is not put off by a lost stream', SETTLING, { kind: 'lost' }, SETTLING, 'none'],
    ['resets the delay after a success', { ...LOADING, failures: 2 }, loaded, WAITING, { wait_ms: 5000 }],
  ])('%s', (_, state, event, next, action) => {
    expect(step({ ...state, paced_ms: 0 }, event, NOW_MS)).toMatchObject({ state: next, action })
  })

  test('has a steady pace under constant change, without a delay for single changes', () => {
    const begun_ms: number[] = []
    let state: RefreshState = { ...NOT_LOADED }
    let now_ms = NOW_MS
    const take = (event: RefreshEvent) => {
      const next = step(state, event, now_ms)
      state = next.state
      if (next.action === 'load') begun_ms.push(now_ms)
      return next.action
    }
    take({ kind: 'requested' })
    while (now_ms < NOW_MS + 60_000) {
      take({ kind: 'changed' })
      const action = take({ kind: 'loaded', fresh_for_ms: FRESH_MAX_MS })
      now_ms += (action as { wait_ms: number }).wait_ms
      take({ kind: 'timer' })
    }
    const pauses = begun_ms.slice(1).map((each, index) => each - (begun_ms[index] ?? 0))
    expect(pauses.slice(0, 4)).toEqual([SETTLE_MS, SETTLE_MS, SETTLE_MS, SETTLE_MS])
    expect(pauses.slice(6).every((pause) => pause === INTERVAL_MS)).toBe(true)
    expect(pauses.length).toBeGreaterThan(10)
  })
})

test.each([
  ['nothing is there', [], { is_live: false }, FRESH_MAX_MS],
  ['nothing expires soon', ['2026-03-03T09:00:00.000Z'], { is_live: false }, FRESH_MAX_MS],
  [
    'something expires soon',
    ['2026-03-03T09:00:00.000Z', '2026-03-02T09:00:20.000Z'],
    { is_live: false },
    20_000,
  ],
  ['something is about to expire', ['2026-03-02T09:00:00.001Z'], { is_live: true }, 1000],
  ['an event stream says what changes', ['2026-03-03T09:00:00.000Z'], { is_live: true }, LIVE_FRESH_MAX_MS],
])('where %s, records are fresh for a while', (_, expiries, { is_live }, ms) => {
  expect(freshFor({ expiries, as_of_ms: NOW_MS, is_live })).toBe(ms)
})

describe('a refresher', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const LOADED: LoadResult = { kind: 'loaded', fresh_for_ms: FRESH_MAX_MS }

  /** A refresher whose loads end when the test says. */
  const started = () => {
    const loads: ((result: LoadResult) => void)[] = []
    const refresher = new Refresher(() => new Promise((resolve) => loads.push(resolve)))
    const end = async (result: LoadResult) => {
      loads.at(-1)?.(result)
      await vi.advanceTimersByTimeAsync(0)
    }
    return { refresher, loads, end }
  }

  test('polls without an event stream', async () => {
    const { loads } = started()
    await vi.advanceTimersByTimeAsync(STREAM_WAIT_MS)
    expect(loads).toHaveLength(1)
  })

  test('runs one load at a time under constant change, and every one of them ends', async () => {
    const { refresher, loads, end } = started()
    void refresher.refresh()
    for (let count = 1; count <= 4; count += 1) {
      for (let change = 0; change < 10; change += 1) {
        refresher.changed()
        await vi.advanceTimersByTimeAsync(SETTLE_MS / 2)
      }
      expect(loads).toHaveLength(count)
      await end(LOADED)
      await vi.advanceTimersByTimeAsync(SETTLE_MS)
    }
    expect(loads).toHaveLength(5)
  })

  test('resolves a request with a load that began after it', async () => {
    const { refresher, loads, end } = started()
    void refresher.refresh()
    let isDone = false
    void refresher.refresh().then(() => {
      isDone = true
    })
    await end(LOADED)
    expect(isDone).toBe(false)
    await vi.advanceTimersByTimeAsync(SETTLE_MS)
    expect(loads).toHaveLength(2)
    await end({ kind: 'failed', retry_after_ms: 0 })
    expect(isDone).toBe(true)
  })

  test('loads nothing more once it is stopped', async () => {
    const { refresher, loads, end } = started()
    const waiting = refresher.refresh()
    refresher.stop()
    await end(LOADED)
    await vi.advanceTimersByTimeAsync(FRESH_MAX_MS)
    await waiting
    expect(loads).toHaveLength(1)
  })
})

test('the state before the first load counts as stale', () => {
  expect(step(NOT_LOADED, { kind: 'changed' }, NOW_MS).action).toBe('none')
})
