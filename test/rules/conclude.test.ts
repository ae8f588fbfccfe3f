/** The sentences of the result of a check, and how its parts are combined. */
import { describe, expect, test } from 'vitest'
import { briefOf, conclude } from '../../src/engine/check/conclude.ts'
import { BUDGET_EXHAUSTED } from '../../src/engine/check/result-words.ts'
import type { Conclusion } from '../../src/engine/check/source.ts'
import type { MergedActivity } from '../../src/engine/records/activity.ts'
import type { Match } from '../../src/vocabulary/contract/overlap.ts'
import type { Severity } from '../../src/vocabulary/severity.ts'
import { collision, comparedActivity, DONE_BY, matching, NOTHING_FOUND } from '../support/conclusion.ts'

const { checked_against } = NOTHING_FOUND
const INCOMPLETE = { ...checked_against, complete: false }

function concluded(changes: Partial<Conclusion>) {
  const { collisions = [], notables = [] } = changes
  return conclude({ ...NOTHING_FOUND, total_related: collisions.length + notables.length, ...changes })
}

const sameWork: Partial<Match> = { consequence: 'same_work', findings: [{ kind: 'issue', issue: 7 }] }
const own = { same_author: true }
const OWN: Conclusion['expected'] = new Map([['act_1', 'own']])

const NO_OVERLAP = 'No overlap with 3 live activities and 1 active notable.'
const NOT_COMPARED =
  'No activity was compared: there was nothing to compare, because no paths or areas were named'
const HIGH_NOTE = 'Overlap of high severity. Notable (high) for the whole repository: “Note n”.'
const MERGED = '#40 is merged and has 9 of the 10 lines that your change adds.'
const SAME_WORK =
  'Overlap of high severity. Same work (high) with “Work a” by “Actor a”: it seems to do the same as yours (both close “#7”).'
const ONE_EXPECTED = '1 live activity of the same branch or stack is expected and not counted.'
const PLACE = 'it works on “src/a” too.'
const expected: Conclusion['expected'] = new Map([...OWN, ['act_2', 'stacked']])
const forArea = matching('m', 'low', { match: { areas: ['pay'] } })

test.each<[string, Partial<Conclusion>, string]>([
  ['nothing was found', {}, NO_OVERLAP],
  ['nothing was given', { emptiness: 'nothing_given' }, `${NOT_COMPARED}.`],
  [
    'the branch has nothing',
    { emptiness: 'nothing_given', branch: 'retries' },
    `${NOT_COMPARED}, and no live activity of “retries” has any.`,
  ],
  ['own work was found', { expected: OWN }, `${NO_OVERLAP} ${ONE_EXPECTED}`],
  [
    'own and stacked work was found',
    { expected },
    `${NO_OVERLAP} 2 live activities of the same branch or stack are expected and not counted.`,
  ],
  [
    'a collision by path was found',
    { collisions: [collision('a', 'medium', { branch: 'retries' })] },
    `Overlap of medium severity. Possible overlap (medium) with “Work a” by “Actor a” on “retries”: ${PLACE}`,
  ],
  [
    'a notable is more severe than a collision',
    { collisions: [collision('a', 'medium')], notables: [matching('n', 'high')] },
    `${HIGH_NOTE} Possible overlap (medium) with “Work a” by “Actor a”: ${PLACE}`,
  ],
  ['both do the same work', { collisions: [collision('a', 'high', {}, sameWork)] }, SAME_WORK],
  [
    '… on one issue, and no scope was given',
    { emptiness: 'nothing_given', collisions: [collision('a', 'high', {}, sameWork)] },
    `${SAME_WORK} Only issues were compared, because no paths or areas were named.`,
  ],
  [
    'own work is as severe as that of others, which comes first',
    { collisions: [collision('b', 'low', {}, own), collision('a', 'low')] },
    `Overlap of low severity. Possible overlap (low) with “Work a” by “Actor a”: ${PLACE} Possible overlap (low) with your other work “Work b”: it works on “src/b” too.`,
  ],
  ['only other lines of its files are changed', { same_file: ['act_1'] }, NO_OVERLAP],
  ['it is merged already', { done_by: DONE_BY }, MERGED],
  [
    'more was found than can be named',
    { notables: [matching('n', 'high'), forArea, matching('k', 'low')], total_related: 300 },
    `${HIGH_NOTE} Notable (low) for “pay”: “Note m”. And 298 more.`,
  ],
  [
    'lists of files were cut',
    { cut: 2 },
    `${NO_OVERLAP} Only the first changed files of 2 live activities are known; the others were not compared.`,
  ],
  ['the check was incomplete', { checked_against: INCOMPLETE }, `${NO_OVERLAP} ${BUDGET_EXHAUSTED}`],
  [
    'a notable was found, and no scope was given',
    { emptiness: 'nothing_given', notables: [matching('n', 'high')] },
    `${HIGH_NOTE} ${NOT_COMPARED}.`,
  ],
])('the reason if %s', (_, changes, reason) => {
  expect(concluded(changes).reason).toBe(reason)
})

const pr_url = 'https://github.com/acme/shop/pull/7'
const by = (severity: Severity, changes: Partial<MergedActivity> = {}, match = {}) => [
  collision('act_1', severity, changes, match),
]
const same = by('high', {}, sameWork)
const ofBot = collision('act_1', 'high', { pr_number: 7 }, { is_bot: true })
const of = { source: 'pull_request', actor: 'ben[bot]', created_by: null, pr_number: 7 } as const
const CUT = 'Not everything was compared, because not all changed files are known'
test.each<[string, Partial<Conclusion>, RegExp]>([
  ['nothing', {}, /^Go ahead, and create an activity/],
  [
    'a checked activity without a scope',
    { self: ['act_0'], emptiness: 'nothing_given' },
    /^Name the files that you change: update your activity with scope\.paths/,
  ],
  [
    'nothing in an incomplete check',
    { checked_against: INCOMPLETE },
    /^Not everything was compared: narrow the scope/,
  ],
  ['work of the same branch', { expected: OWN }, /^Go ahead, and keep the activity of your branch/],
  ['an empty scope', { emptiness: 'nothing_given' }, /^Name the files that you intend to change in scope/],
  ['a scope that is ignored', { emptiness: 'all_ignored' }, /^Go ahead, and create an activity/],
  [
    'a collision of medium severity with a pull request',
    { collisions: by('medium', { pr_url, pr_number: 7 }) },
    /, talk to login-act_1 \(#7\): agree on who changes what/,
  ],
  [
    'a collision of high severity with a pull request of GitHub',
    { collisions: by('high', of) },
    /, talk to ben\[bot\] \(#7\): wait, split the work, or build on #7\.$/,
  ],
  ['own work', { collisions: by('high', {}, own) }, /, finish your other work \(act_1\), or build on it/],
  ['work of a bot', { collisions: [ofBot] }, /^Go ahead, and rebase #7 after yours is merged\.$/],
  ['the same work', { collisions: same }, /talk to login-act_1: close one of the two; theirs was first\.$/],
  ['later same work', { self: ['act_0'], collisions: same }, /: close one of the two; yours was first\.$/],
  [
    'a collision that an incomplete check has found',
    { checked_against: INCOMPLETE, collisions: same },
    /theirs was first\. Not everything was compared: narrow the scope and check again\.$/,
  ],
  ['work that is merged already', { done_by: DONE_BY }, /^Look at #40 before you go on: it is merged/],
  [
    'a collision with work of a token without a user',
    { collisions: by('medium', { created_by: null, pr_number: 7 }) },
    /, talk to the author of #7: agree/,
  ],
  [
    'a collision with work of nobody known',
    { collisions: by('medium', { created_by: null }) },
    /, talk to the author of act_1: agree/,
  ],
  [
    'nothing, where a list of files was cut',
    { cut: 1 },
    new RegExp(`^${CUT}: go ahead with care, and create an activity`),
  ],
  [
    'a collision, where a list of files was cut',
    { cut: 1, collisions: by('low') },
    new RegExp(`^Go ahead, and let login-act_1 know\\. ${CUT}\\.$`),
  ],
  [
    'a collision and a more severe notable',
    { collisions: by('low'), notables: [matching('n', 'medium')] },
    /^Read the notable “Note n” by cy first\. Go ahead, and let login-act_1 know\.$/,
  ],
  [
    'collisions and a notable that is as severe',
    { collisions: [...by('high'), collision('b', 'low')], notables: [matching('n', 'high')] },
    /, talk to login-act_1: .* Read the notable “Note n” by cy first\.$/,
  ],
])('the advice for %s', (_, changes, advice) => {
  expect(concluded(changes).recommended_action).toMatch(advice)
})

describe('the lists', () => {
  test('relate to every listed activity and match every listed record', () => {
    const work = collision('act_2', 'high')
    const note = matching('ntb_1', 'low')
    const result = concluded({
      expected: new Map([['act_3', 'stacked'], ...OWN]),
      ...{ collisions: [work], notables: [note], other_base: ['act_4'] },
    })
    expect(result).toMatchObject({
      ...{ overlap_detected: true, severity: 'high', truncated: false, total_related: 2, checked_against },
      ...{ related_activity_ids: ['act_2'], related_notable_ids: ['ntb_1'] },
      expected_activity_ids: ['act_3', 'act_1'],
    })
    const related = { act_1: 'own', act_3: 'stacked', act_2: 'collision', act_4: 'other_base' }
    expect(result.relationships).toEqual(related)
    const nowhere = { branch: null, pr_url: null, worktree: null }
    expect(result.matches).toEqual([
      { id: 'act_2', title: 'Work act_2', actor: 'Actor act_2', ...nowhere, severity: 'high', ...work.match },
      { id: 'ntb_1', title: 'Note ntb_1', actor: 'cy', ...nowhere, severity: 'low', ...note.match },
    ])
  })

  test('count work that only changes the same file, which is no overlap', () => {
    const same_file = Array.from({ length: 21 }, (_, index) => `act_${index}`)
    expect(concluded({ same_file })).toMatchObject({
      ...{ overlap_detected: false, severity: null, matches: [], total_related: 0 },
      same_file: { total: 21, activity_ids: same_file.slice(0, 20) },
    })
  })

  test('begin with the merged pull request that has done the work', () => {
    const { url } = DONE_BY
    const findings = [{ kind: 'done', url, share: 0.9, added_lines: 10 }]
    const done = { id: '#40', title: 'Retry', pr_url: url, severity: 'high', is_bot: false, findings }
    const nowhere = { areas: [], paths: [], same_author: false, cut: false }
    expect(concluded({ done_by: DONE_BY, collisions: [collision('a', 'low')] })).toMatchObject({
      ...{ overlap_detected: true, severity: 'high', total_related: 2, related_activity_ids: ['a'] },
      matches: [{ ...done, ...nowhere, consequence: 'same_work' }, { id: 'a' }],
    })
  })

  test('are marked as truncated when more is related or expected', () => {
    const collisions = [collision('a', 'low')]
    expect(concluded({ cut: 1 }).checked_against.complete).toBe(false)
    expect(concluded({ collisions, total_related: 1 }).truncated).toBe(false)
    expect(concluded({ collisions, total_related: 2 }).truncated).toBe(true)
    const expected = (count: number) =>
      new Map(Array.from({ length: count }, (_, index) => [`act_${1000 + index}`, 'own' as const]))
    expect(concluded({ expected: expected(200) }).truncated).toBe(false)
    const cut = concluded({ expected: expected(201) })
    const ids = cut.expected_activity_ids
    expect([cut.truncated, ids.length, ids[0]]).toEqual([true, 200, 'act_1200'])
    expect(Object.keys(cut.relationships)).toHaveLength(200)
  })
})

test('a short result lists every collision, and names the five most severe of all that was found', () => {
  const collisions = [collision('a', 'high'), collision('b', 'medium'), collision('c', 'low')]
  const notables = [matching('d', 'high'), matching('e', 'medium'), matching('f', 'low')]
  const brief = briefOf({ ...NOTHING_FOUND, collisions, notables })
  expect(brief.related_activity_ids).toEqual(['a', 'b', 'c'])
  expect(brief.matches.map(({ id }) => id)).toEqual(['a', 'd', 'b', 'e', 'c'])
})

describe('the suggestions for reuse', () => {
  const on = (day: number) => new Date(Date.UTC(2026, 1, day))

  test('are merged activities and patterns, newest first', () => {
    const pr_url = 'https://github.com/acme/shop/pull/7'
    const decision_url = 'https://acme.example/7'
    const result = concluded({
      done_by: DONE_BY,
      merged: [
        comparedActivity('act_4', { merged_at: on(5), pr_url: DONE_BY.url }),
        comparedActivity('act_2', { merged_at: on(3), pr_url, is_by_newcomer: true }),
        comparedActivity('act_1', { merged_at: on(3) }),
      ],
      notables: [
        matching('ntb_3', 'high', { record: { category: 'pattern', created_at: on(4), decision_url } }),
        matching('ntb_4', 'low', { record: { category: 'testing', created_at: on(6) } }),
        matching('ntb_2', 'low', { record: { category: 'pattern', created_at: on(3) } }),
      ],
    })
    const reason = 'Recently merged by “Actor act_1”, with an overlapping scope; pull it first.'
    const follow = 'A pattern to follow in the files that you change.'
    expect(result.reuse_opportunities).toMatchObject([
      { type: 'merged', title: 'Retry', summary: '', url: DONE_BY.url, reason: MERGED, share: 0.9 },
      { type: 'notable', id: 'ntb_3', url: decision_url, reason: follow },
      { type: 'notable', id: 'ntb_2', url: null },
      { type: 'activity', id: 'act_2', url: pr_url, summary: '' },
      { type: 'activity', id: 'act_1', url: null, summary: 'Some work.', reason },
    ])
  })

  test('are at most ten', () => {
    const merged = Array.from({ length: 12 }, (_, index) =>
      comparedActivity(`act_${index}`, { merged_at: on(20 - index) }),
    )
    const offered = concluded({ merged }).reuse_opportunities
    expect(offered.map((each) => each.id)).toEqual(merged.slice(0, 10).map((each) => each.id))
  })
})
