/** Work that follows responses. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type BackgroundOutcome, BackgroundWork } from '../../src/server/platform/background.ts'

function start({ at_once = 2, waiting_max = 10 } = {}) {
  const outcomes: BackgroundOutcome[] = []
  const errors: unknown[] = []
  const background = new BackgroundWork({
    at_once,
    waiting_max,
    counter: { inc: ({ outcome }) => outcomes.push(outcome) },
    onError: (error) => errors.push(error),
  })
  return { background, outcomes, errors }
}

test('starts after the present code has ended', async () => {
  const { background } = start()
  const order: string[] = []
  background.start(async () => {
    order.push('work')
  })
  await Promise.resolve()
  order.push('response')
  await background.idle()
  expect(order).toEqual(['response', 'work'])
})

test('runs only some of it at the same time, and is idle after all of it', async () => {
  const { background, outcomes } = start()
  let [running, most] = [0, 0]
  for (let count = 0; count < 6; count += 1)
    background.start(async () => {
      running += 1
      most = Math.max(most, running)
      await wait(5)
      running -= 1
    })
  await background.idle()
  expect({ most, outcomes }).toEqual({ most: 2, outcomes: Array(6).fill('done') })
})

test('goes on after a failure, which is reported', async () => {
  const { background, outcomes, errors } = start({ at_once: 1 })
  background.start(async () => {
    throw new Error('no')
  })
  background.start(async () => {})
  await background.idle()
  expect(outcomes).toEqual(['failed', 'done'])
  expect(errors).toEqual([new Error('no')])
})

test('is dropped and counted when too much is waiting', async () => {
  const { background, outcomes } = start({ waiting_max: 3 })
  for (let count = 0; count < 5; count += 1) background.start(async () => {})
  await background.idle()
  expect(outcomes).toEqual(['dropped', 'dropped', 'done', 'done', 'done'])
})
