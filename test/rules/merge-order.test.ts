/** In which order to merge the open pull requests that conflict with each other. */
import { describe, expect, test } from 'vitest'
import { mergeOrder, type OpenPullRequest } from '../../src/server/overlap/merge-order.ts'

interface Given {
  /** Each letter is another pull request. */
  conflicts?: string
  on?: string
  lines?: number
  files?: number
  is_decided?: boolean
}

/** `given`: by letter, the newest first. */
function pullsOf(given: Record<string, Given>): OpenPullRequest[] {
  return Object.entries(given).map(([activity_id, each]) => ({
    activity_id,
    pr_url: `https://github.com/acme/shop/pull/${activity_id}`,
    conflicts_with: new Set(each.conflicts),
    changed_lines: each.lines ?? 0,
    changed_files: each.files ?? 0,
    built_on: new Set(each.on),
    is_decided: each.is_decided ?? true,
  }))
}

const orderOf = (given: Record<string, Given>) =>
  mergeOrder(pullsOf(given), null)
    .items.map(({ activity_id }) => activity_id)
    .join('')

test('each item names its conflicts in the order of the list, and its position from 1', () => {
  const pulls = pullsOf({ d: {}, c: { conflicts: 'a' }, b: { conflicts: 'a' }, a: { conflicts: 'cb' } })
  const url = 'https://github.com/acme/shop/pull'
  expect(mergeOrder(pulls, null)).toEqual({
    items: [
      { activity_id: 'b', pr_url: `${url}/b`, conflicts_with: ['a'], position: 1 },
      { activity_id: 'c', pr_url: `${url}/c`, conflicts_with: ['a'], position: 2 },
      { activity_id: 'a', pr_url: `${url}/a`, conflicts_with: ['b', 'c'], position: 3 },
    ],
    clear: ['d'],
  })
})

describe('the first to be merged is', () => {
  test.each<[string, Record<string, Given>, string]>([
    [
      'the one with the fewest conflicts, however small it is',
      {
        a: { conflicts: 'bc', lines: 900 },
        b: { conflicts: 'acd' },
        c: { conflicts: 'abd' },
        d: { conflicts: 'bc' },
      },
      'adcb',
    ],
    [
      'of equals, the one that changes more lines',
      { a: { conflicts: 'b', lines: 10, files: 9 }, b: { conflicts: 'a', lines: 11, files: 1 } },
      'ba',
    ],
    [
      'of equals that change as many lines, the one that changes more files',
      { a: { conflicts: 'b', lines: 10, files: 1 }, b: { conflicts: 'a', lines: 10, files: 2 } },
      'ba',
    ],
    ['of equals of the same size, the oldest', { b: { conflicts: 'a' }, a: { conflicts: 'b' } }, 'ab'],
  ])('%s', (_, given, expected) => {
    expect(orderOf(given)).toBe(expected)
  })
})

describe('a stacked pull request comes after', () => {
  test.each<[string, Record<string, Given>, string]>([
    [
      'the one that it is built on, although it has fewer conflicts',
      {
        t: { conflicts: 'x', on: 'b' },
        b: { conflicts: 'xy' },
        x: { conflicts: 'tby' },
        y: { conflicts: 'bx' },
      },
      'ybtx',
    ],
    [
      'all that it is built on, from the bottom up',
      {
        t: { conflicts: 'x', on: 'm' },
        m: { conflicts: 'x', on: 'b' },
        b: { conflicts: 'x' },
        x: { conflicts: 'tmb' },
      },
      'bmtx',
    ],
    [
      'the one that it is built on, which does not wait for it',
      {
        t: { conflicts: 'xyz', on: 'b' },
        b: { conflicts: 'x' },
        x: { conflicts: 'tb' },
        y: { conflicts: 't' },
        z: { conflicts: 't' },
      },
      'zybxt',
    ],
    ['none that do not conflict', { t: { conflicts: 'x', on: 'b' }, b: {}, x: { conflicts: 't' } }, 'xt'],
    [
      'two that are built on each other, which do not wait for each other',
      {
        t: { conflicts: 'x', on: 'ab' },
        b: { conflicts: 'xy', on: 'a' },
        a: { conflicts: 'xy', on: 'b' },
        x: { conflicts: 'tab' },
        y: { conflicts: 'ab' },
      },
      'yabtx',
    ],
    [
      'none of a circle',
      {
        c: { conflicts: 'x', on: 'b' },
        b: { conflicts: 'x', on: 'a' },
        a: { conflicts: 'x', on: 'c' },
        x: { conflicts: 'abc' },
      },
      'xabc',
    ],
  ])('%s', (_, given, expected) => {
    expect(orderOf(given)).toBe(expected)
  })
})

describe('clear', () => {
  test.each<[string, Record<string, Given>, string[]]>([
    ['are those that conflict with nobody, the newest first', { c: {}, b: {}, a: {} }, ['c', 'b', 'a']],
    ['are not those that conflict', { c: {}, b: { conflicts: 'a' }, a: { conflicts: 'b' } }, ['c']],
    ['are not those that may conflict', { c: {}, b: { is_decided: false } }, ['c']],
  ])('%s', (_, given, expected) => {
    expect(mergeOrder(pullsOf(given), null).clear).toEqual(expected)
  })
})

describe('the order is marked as incomplete', () => {
  const NOT_COMPARED = 'Only the newest 7 live activities were compared.'
  test.each<[string, Record<string, Given>, string | null, string | undefined]>([
    ['not if all is known', { b: { conflicts: 'a' }, a: { conflicts: 'b' }, c: {} }, null, undefined],
    ['if not all were compared', { a: {} }, NOT_COMPARED, NOT_COMPARED],
    [
      'if one may conflict',
      { a: { is_decided: false } },
      null,
      'It is not known whether 1 open pull request has further conflicts; those without a known conflict are in neither list.',
    ],
    [
      'if some may have further conflicts',
      { b: { conflicts: 'a', is_decided: false }, a: { conflicts: 'b', is_decided: false } },
      NOT_COMPARED,
      `${NOT_COMPARED} It is not known whether 2 open pull requests have further conflicts; those without a known conflict are in neither list.`,
    ],
  ])('%s', (_, given, not_compared, reason) => {
    const order = mergeOrder(pullsOf(given), not_compared)
    expect(order.complete).toEqual(reason === undefined ? undefined : false)
    expect(order.reason).toEqual(reason)
  })
})
