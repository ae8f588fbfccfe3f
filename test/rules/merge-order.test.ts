/** In which order to merge the open pull requests that conflict with each other. */
import { expect, test } from 'vitest'
import { mergeOrder, type OpenPullRequest } from '../../src/engine/check/merge-order.ts'
import { editOf } from '../support/lines.ts'
import { liveRecords } from '../support/live-records.ts'

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
  expect(mergeOrder(pullsOf('4 3:1 2:1+1 1:32/2+7'), [])).toEqual({
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
  const { items } = mergeOrder(pullsOf(given), [])
  expect(items.map(({ activity_id }) => activity_id).join('')).toBe(expected)
})

test('a reason names three conflicts and counts the others', () => {
  const { items } = mergeOrder(pullsOf('5:1 4:1 3:1 2:1 1:5432'), [])
  expect(items[4]?.reason).toBe('4 conflicts: #2, #3, #4 and 1 more')
})

test('clear are those that neither conflict nor may conflict, the newest first', () => {
  expect(mergeOrder(pullsOf('e d? c:b b:c a'), []).clear).toEqual(['e', 'a'])
})

const NOT_COMPARED = 'Only the newest 7 live activities were compared.'
const known = (pulls: string) =>
  `It is not known whether ${pulls} further conflicts; those without a known conflict are in neither list.`
test.each<[string, string, string[], string | undefined]>([
  ['not if all is known', 'b:a a:b c', [], undefined],
  ['if not all were compared', 'a', [NOT_COMPARED], NOT_COMPARED],
  ['if one may conflict', 'a?', [], known('1 open pull request has')],
  [
    'if some may have further conflicts',
    'b:a? a:b?',
    [NOT_COMPARED],
    `${NOT_COMPARED} ${known('2 open pull requests have')}`,
  ],
])('the order is marked as incomplete %s', (_, given, left_out, reason) => {
  const order = mergeOrder(pullsOf(given), left_out)
  expect(order.complete).toEqual(reason === undefined ? undefined : false)
  expect(order.reason).toEqual(reason)
})

const FILE = Array.from({ length: 60 }, (_, at) => `const value${at + 1} = read(${at + 1})`)
/** A change of one line of a file, by default the tenth, by so many others. */
const edit = (path: string, text: string, lines = 1, at = 10) => ({
  path,
  patch: editOf(FILE, at, 1, Array<string>(lines).fill(`${text}()`)),
})
/** An activity of a pull request on a branch of its own, which changes the tenth line of each of these files. */
const pull = (number: number, files: string, lines = 1, rest: object = {}) => ({
  ...{ branch: `b${number}`, base_branch: 'main', pr_url: `https://github.com/acme/shop/pull/${number}` },
  ...{ scope: { changes: files.split(' ').map((path) => edit(path, `${number}`, lines)) }, ...rest },
})
const pushed = (files: string) => files.split(' ').map((path) => edit(path, 'pushed'))
const EMPTY = { scope: {} }
const DRAFT = { scope: { paths: ['a'] } }
const FAR = { scope: { changes: [edit('a', 'far', 1, 50)] } }
const UNREAD = { scope: { changes: [{ path: 'a' }] } }
const declared = (scope: object): [object] => [{ branch: 'other', scope }]

test.each<[string, Parameters<ReturnType<typeof liveRecords>['activity']>[], string[], number[]]>([
  ['empty without them', [declared({ changes: [edit('a', 'mine')] })], [], []],
  [
    'of those that conflict by lines, the others beside it, the newest first',
    [
      [pull(1, 'a b')],
      [pull(2, 'a', 1, FAR)],
      [pull(3, 'a')],
      [pull(4, 'b', 5)],
      [pull(5, 'c CHANGELOG.md')],
      [pull(6, 'CHANGELOG.md')],
    ],
    ['#4 1 conflict: #1; 6 changed lines', '#3 1 conflict: #1; 2 changed lines', '#1 2 conflicts: #4 and #3'],
    [6, 5, 2],
  ],
  [
    'none with other declared work',
    [[pull(1, 'a')], declared({ changes: [edit('a', 'x')] }), declared({ paths: ['**'] })],
    [],
    [1],
  ],
  ['none with a file without a patch', [[pull(1, 'a')], [pull(2, 'a', 1, UNREAD)], [pull(3, 'c')]], [], [3]],
  [
    'none of which only areas are known',
    [[pull(1, 'a', 1, EMPTY)], [pull(2, 'a', 1, { scope: { areas: ['pay'] } })]],
    [],
    [],
  ],
  [
    'by the files that were pushed, and not by those that were declared',
    [[pull(1, 'a c d', 9), { pushed: pushed('a b'), draft_pr: true }], [pull(2, 'a', 4)]],
    ['#2 1 conflict: #1; 5 changed lines', '#1 1 conflict: #2; 4 changed lines'],
    [],
  ],
  [
    'a stack from the bottom up, each on the next one that conflicts',
    [
      [pull(1, 'a')],
      [{ branch: 'between', base_branch: 'b1' }],
      [pull(2, 'b', 5, { base_branch: 'between' })],
      [pull(3, 'c', 9, { base_branch: 'b2' })],
      [pull(4, 'a b c')],
    ],
    [
      '#1 1 conflict: #4; 2 changed lines',
      '#2 1 conflict: #4; 6 changed lines; built on #1',
      '#3 1 conflict: #4; 10 changed lines; built on #2',
      '#4 3 conflicts: #1, #2 and #3',
    ],
    [],
  ],
  [
    'none with declared paths that nobody else changes',
    [[pull(1, 'a', 1, { scope: { paths: ['a'] } })], [pull(2, 'b')]],
    [],
    [2, 1],
  ],
  ['none whose files are not known', [[pull(1, 'a', 1, EMPTY)], [pull(2, 'b')]], [], [2]],
  [
    'none of which a part is not known',
    [[pull(1, 'a', 1, EMPTY), { pushed: pushed('a'), changes_complete: false }]],
    [],
    [],
  ],
  ['none with known files', [[pull(1, 'a', 1, EMPTY), { pushed: pushed('a') }]], [], [1]],
  [
    'none, as a draft declares what another one changes',
    [[pull(1, 'a', 1, DRAFT), { pushed: pushed('b'), draft_pr: true }], [pull(2, 'a')]],
    [],
    [],
  ],
  ['none, once it is ready', [[pull(1, 'a', 1, DRAFT), { pushed: pushed('b') }], [pull(2, 'a')]], [], [2, 1]],
])('the order of live pull requests is: %s', async (_, works, expected, clear) => {
  const { activity, overlaps } = liveRecords()
  const numbers = new Map<string, number>()
  for (const work of works)
    numbers.set(await activity(...work), Number((work[0] as { pr_url?: string }).pr_url?.split('/').at(-1)))
  const { merge_order } = await overlaps()
  const items = merge_order.items.map(({ activity_id, reason }) => `#${numbers.get(activity_id)} ${reason}`)
  expect(items).toEqual(expected)
  expect(merge_order.clear.map((id) => numbers.get(id))).toEqual(clear)
})

test('the order has the activities of one pull request as one, and names its own, whatever else is declared for it', async () => {
  const { activity, overlaps } = liveRecords()
  const tracked = await activity({ ...pull(1, 'a'), branch: 'b1' }, { source: 'pull_request' })
  for (const text of ['x', 'y'])
    await activity(pull(1, 'b', 1, { branch: text, scope: { changes: [edit('b', text)] } }))
  const other = await activity(pull(2, 'b', 5))
  expect((await overlaps()).merge_order.items).toMatchObject([
    { activity_id: other, conflicts_with: [tracked] },
    { activity_id: tracked, conflicts_with: [other] },
  ])
})

test('pull requests with collisions beyond the 5,000 that are compared are not clear', async () => {
  const { activity, activities, overlaps } = liveRecords()
  // All collide with each other. The two oldest have pull requests.
  await activities(102, (n) => ({
    ...{ branch: `c${n}`, scope: { paths: ['a'] } },
    ...(n < 2 && { pr_url: `https://github.com/acme/shop/pull/${n + 1}` }),
  }))
  const clear = await activity(pull(9, 'b'))
  expect((await overlaps()).merge_order).toEqual({
    ...{ items: [], clear: [clear], complete: false },
    reason: expect.stringMatching(/^It is not known whether 2 open pull requests have/),
  })
})
