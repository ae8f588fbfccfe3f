/** How long computations yield to other requests. */
import { expect, test } from 'vitest'
import { nextTurn } from '../../src/vocabulary/event-loop.ts'

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
