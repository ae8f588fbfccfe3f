/** Which cached answers an invalidation makes stale. */
import { expect, test } from 'vitest'
import { Generations } from '../../src/server/github/tokens.ts'

const isCurrent = (generations: Generations, before: number, owner: string) => before >= generations.of(owner)

test('an invalidation makes earlier answers about that owner stale, and is case-insensitive', () => {
  const generations = new Generations()
  const before = generations.now
  generations.invalidate('Acme')
  expect(isCurrent(generations, before, 'acme')).toBe(false)
  expect(isCurrent(generations, before, 'ACME')).toBe(false)
  expect(isCurrent(generations, before, 'umbrella')).toBe(true)
  expect(isCurrent(generations, generations.now, 'acme')).toBe(true)
})

test('an invalidation of all makes earlier answers about every owner stale', () => {
  const generations = new Generations()
  const before = generations.now
  generations.invalidate()
  expect(['acme', 'umbrella'].filter((owner) => isCurrent(generations, before, owner))).toEqual([])
})
