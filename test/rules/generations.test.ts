/** Which answers an invalidation overtakes. */
import { expect, test } from 'vitest'
import { Generations } from '../../src/github/generations.ts'

const isCurrent = (generations: Generations, noted: number, owner: string) => noted >= generations.of(owner)

test('an invalidation overtakes what was asked before it, of that owner alone and in any case', () => {
  const generations = new Generations()
  const before = generations.now
  generations.invalidate('Acme')
  expect(isCurrent(generations, before, 'acme')).toBe(false)
  expect(isCurrent(generations, before, 'ACME')).toBe(false)
  expect(isCurrent(generations, before, 'umbrella')).toBe(true)
  expect(isCurrent(generations, generations.now, 'acme')).toBe(true)
})

test('an invalidation of all overtakes every owner', () => {
  const generations = new Generations()
  const before = generations.now
  generations.invalidate()
  expect(['acme', 'umbrella'].filter((owner) => isCurrent(generations, before, owner))).toEqual([])
})

test('more owners than are kept apart overtake more than they have to, and never less', () => {
  const generations = new Generations(3)
  const before = generations.now
  const owners = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  for (const owner of owners) generations.invalidate(owner)
  expect(owners.filter((owner) => isCurrent(generations, before, owner))).toEqual([])
  expect(isCurrent(generations, generations.now, 'a')).toBe(true)
})
