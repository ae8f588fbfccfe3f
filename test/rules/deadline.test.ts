/** How long computations yield to other requests, and end at their deadline. */
import { expect, test } from 'vitest'
import { Meter, mapped, nextTurn } from '../../src/vocabulary/clock.ts'

test('of the work that waits for a turn, only the first goes on in it', async () => {
  const order: string[] = []
  const first = nextTurn().then(() => order.push('first'))
  const second = nextTurn().then(() => order.push('second'))
  setImmediate(() => order.push('end of the turn'))
  await Promise.all([first, second])
  expect(order).toEqual(['first', 'end of the turn', 'second'])
})

test('work that waits again goes on after the others', async () => {
  const order: string[] = []
  const work = async (name: string) => {
    for (let step = 0; step < 2; step += 1) {
      await nextTurn()
      order.push(name)
    }
  }
  await Promise.all([work('one'), work('other')])
  expect(order).toEqual(['one', 'other', 'one', 'other'])
})

test('a computation whose time is up is over, and what it used counts for its request', async () => {
  const meter = new Meter(20)
  const deadline = meter.deadline()
  const busy = (until: () => boolean) => {
    let sum = 0
    while (!until()) sum += JSON.stringify([sum]).length
  }
  await deadline.run(mapped([1, 2], () => busy(() => deadline.isOver)))
  expect(deadline.isOver).toBe(true)
  expect(meter.used_ms).toBeGreaterThanOrEqual(20)
  expect(meter.deadline().isOver).toBe(false)
})
