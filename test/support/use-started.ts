/** What the tests of one file share. */
import { afterAll, beforeAll } from 'vitest'

/** Starts it before the tests of a file, and closes it at the end. The returned object is empty until it has started. */
export function useStarted<Started extends object>(
  start: () => Promise<Started>,
  close: (started: Started) => unknown,
): Started {
  const started = {} as Started
  beforeAll(async () => {
    Object.assign(started, await start())
  })
  afterAll(() => close(started))
  return started
}
