/** In which order to merge the open pull requests that conflict with each other. */
import { expect, test } from 'vitest'
import { mergeOrder, type OpenPullRequest } from '../../src/engine/check/merge-order.ts'

/**
 * `given`: the newest first. Each letter is a pull request: `a:bc` conflicts with b and c, `a/b` is built on b, `a?` may have
 * further conflicts, and `a+10,2` changes ten lines in two files.
 */
function pullsOf(given: string): OpenPullRequest[] {
  const marks = given
    .split(' ')
    .map((each) => (mark: string) => each.split(mark)[1]?.split(/[:/+?]/)[0] ?? '')
  const pulls = given.split(' ').map((each, at): OpenPullRequest => {
    const [changed_lines = 0, changed_files = 0] = marks[at]?.('+').split(',').map(Number) ?? []
    const pr_url = `https://github.com/acme/shop/pull/${each.charAt(0)}`
    const none = { conflicts_with: new Set<OpenPullRequest>(), built_on: new Set<OpenPullRequest>() }
    const is_decided = !each.includes('?')
    return { activity_id: each.charAt(0), pr_url, changed_lines, changed_files, is_decided, ...none }
  })
  for (const [at, pull] of pulls.entries())
    for (const other of pulls) {
      if (marks[at]?.(':').includes(other.activity_id)) pull.conflicts_with.add(other)
      if (marks[at]?.('/').includes(other.activity_id)) pull.built_on.add(other)
    }
  return pulls
}

test('each item names its conflicts in the order of the list, its position from 1, and the reason for it', () => {
  const url = 'https://github.com/acme/shop/pull'
  const reason = ['1 conflict: #1; 1 changed line', '1 conflict: #1', '2 conflicts: #2 and #3; built on #2']
  expect(mergeOrder(pullsOf('4 3:1 2:1+1 1:32/2+7'), null)).toEqual({
    items: [
      { activity_id: '2', pr_url: `${url}/2`, conflicts_with: ['1'], position: 1, reason: reason[0] },
      { activity_id: '3', pr_url: `${url}/3`, conflicts_with: ['1'], position: 2, reason: reason[1] },
      { activity_id: '1', pr_url: `${url}/1`, conflicts_with: ['2', '3'], position: 3, reason: reason[2] },
    ],
    clear: ['4'],
  })
})

test.each([
  ['the one with the fewest conflicts is first, however small it is', 'a:bc+900 b:acd c:abd d:bc', 'adcb'],
  ['of equals, the one that changes more lines', 'a:b+11,1 b:a+10,9', 'ab'],
  ['of equals that change as many lines, the one that changes more files', 'a:b+10,2 b:a+10,1', 'ab'],
  ['of equals of the same size, the oldest', 'b:a a:b', 'ab'],
  ['a stacked one comes after its base, although it has fewer conflicts', 't:x/b b:xy x:tby y:bx', 'ybtx'],
  ['a stack comes from the bottom up', 't:x/m m:x/b b:x x:tmb', 'bmtx'],
  ['the base of a stack does not wait for its top', 't:xyz/b b:x x:tb y:t z:t', 'zybxt'],
  ['none waits for one that does not conflict', 't:x/b b x:t', 'xt'],
  ['two that are built on each other do not wait', 't:x/ab b:xy/a a:xy/b x:tab y:ab', 'yabtx'],
  ['none of a circle waits', 'c:x/b b:x/a a:x/c x:abc', 'xabc'],
])('%s: %s', (_, given, expected) => {
  const { items } = mergeOrder(pullsOf(given), null)
  expect(items.map(({ activity_id }) => activity_id).join('')).toBe(expected)
})

test('a reason names three conflicts and counts the others', () => {
  const { items } = mergeOrder(pullsOf('5:1 4:1 3:1 2:1 1:5432'), null)
  expect(items[4]?.reason).toBe('4 conflicts: #2, #3, #4 and 1 more')
})

test('clear are those that neither conflict nor may conflict, the newest first', () => {
  expect(mergeOrder(pullsOf('e d? c:b b:c a'), null).clear).toEqual(['e', 'a'])
})

const NOT_COMPARED = 'Only the newest 7 live activities were compared.'
const known = (pulls: string) =>
  `It is not known whether ${pulls} further conflicts; those without a known conflict are in neither list.`
test.each<[string, string, string | null, string | undefined]>([
  ['not if all is known', 'b:a a:b c', null, undefined],
  ['if not all were compared', 'a', NOT_COMPARED, NOT_COMPARED],
  ['if one may conflict', 'a?', null, known('1 open pull request has')],
  [
    'if some may have further conflicts',
    'b:a? a:b?',
    NOT_COMPARED,
    `${NOT_COMPARED} ${known('2 open pull requests have')}`,
  ],
])('the order is marked as incomplete %s', (_, given, not_compared, reason) => {
  const order = mergeOrder(pullsOf(given), not_compared)
  expect(order.complete).toEqual(reason === undefined ? undefined : false)
  expect(order.reason).toEqual(reason)
})
