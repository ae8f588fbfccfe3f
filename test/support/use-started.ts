/** What the tests of one file share, and what each of them has. */
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest'

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

/** Makes another one for each test of a file. The returned object is that of the current test. */
export function useEach<Made extends object>(make: () => Made | Promise<Made>): Made {
  const made = {} as Made
  beforeEach(async () => {
    Object.assign(made, await make())
  })
  return made
}

/** What a test starts for itself, which ends with the test. */
export async function forTest<Started extends { remove: () => unknown } | { close: () => unknown }>(
  starting: Promise<Started>,
) {
  const started = await starting
  onTestFinished(async () => void (await ('remove' in started ? started.remove() : started.close())))
  return started
}
