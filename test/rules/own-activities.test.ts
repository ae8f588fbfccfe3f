/** An overlap without the user's own activities: its texts, counts and severity. */
import { describe, expect, test } from 'vitest'
import { briefWithoutOwn, withoutOwn } from '../../src/cli/own-activities.ts'
import { conclude } from '../../src/engine/check/conclude.ts'
import type { OverlapResult } from '../../src/vocabulary/contract/overlap.ts'
import type { Severity } from '../../src/vocabulary/severity.ts'
import { BUDGET_EXHAUSTED } from '../../src/vocabulary/text.ts'
import { collision, DONE_BY, matching, NOTHING_FOUND } from '../support/conclusion.ts'

const OWN = new Set(['act_own', 'act_session'])
const FROM_SERVICE =
  'Before you edit there, talk to Ada: agree on who changes what, or narrow your scope. Read the notable “Frozen” first.'

type Listed = [id: string, severity: Severity]

/** In the order of the service's response: activities before notables, each with the most severe first. */
function overlapOf(listed: Listed[], { complete = true, unlisted = 0 } = {}): OverlapResult {
  const of = (prefix: string) => listed.filter(([id]) => id.startsWith(prefix))
  const found = conclude({
    ...NOTHING_FOUND,
    collisions: of('act_').map(([id, severity]) => collision(id, severity)),
    notables: of('ntb_').map(([id, severity]) => matching(id, severity)),
    total_related: listed.length + unlisted,
    checked_against: { ...NOTHING_FOUND.checked_against, complete },
  })
  return { ...found, reason: 'Overlap of high severity.', recommended_action: FROM_SERVICE }
}

describe('with other matches left', () => {
  test.each<[listed: string, severity: Severity, advice: RegExp]>([
    [
      'act_own medium, act_b low, ntb_a high',
      'high',
      /^Read the notable ntb_a first\. Go ahead, and let the author of act_b know\.$/,
    ],
    [
      'act_own high, act_session high, act_b high, act_c low',
      'high',
      /, talk to the author of act_b: wait[^_]*$/,
    ],
    [
      'act_own high, act_b medium, ntb_a low',
      'medium',
      /, talk to the author of act_b: agree .* Read the notable ntb_a first\.$/,
    ],
    ['act_own high, ntb_a low, ntb_b low', 'low', /^Read the notable ntb_a first\.$/],
    // The service's advice is about act_b, so it stays.
    ['act_b medium, act_own medium, ntb_a medium', 'medium', new RegExp(`^${FROM_SERVICE}$`)],
  ])('the severity of %s is %s', (given, severity, advice) => {
    const listed = given.split(', ').map((each) => each.split(' ') as Listed)
    const rest = withoutOwn(overlapOf(listed), OWN)
    expect(rest).toMatchObject({ overlap_detected: true, severity })
    expect(rest.recommended_action).toMatch(advice)
    expect(rest.reason).toMatch(
      new RegExp(
        `^Overlap of high severity\\. This includes your own work; without it the severity is ${severity}\\.$`,
      ),
    )
  })

  test('the advice is to look at a merged pull request that has done the work', () => {
    const collisions = [collision('act_own', 'high')]
    const overlap = conclude({ ...NOTHING_FOUND, collisions, total_related: 1, done_by: DONE_BY })
    expect(withoutOwn(overlap, OWN).recommended_action).toMatch(/^Look at #40 before you go on/)
  })

  test.each<[string, object, string]>([
    ['act_a', { is_bot: true }, 'Go ahead, and rebase act_a after yours is merged.'],
    [
      'act_a',
      { consequence: 'same_work' },
      'talk to the author of act_a: close one of the two; theirs was first.',
    ],
    [
      'act_z',
      { consequence: 'same_work' },
      'talk to the author of act_z: close one of the two; yours was first.',
    ],
  ])('the advice about %s with %o', (id, match, advice) => {
    const collisions = [collision('act_own', 'high'), collision(id, 'high', {}, match)]
    const overlap = conclude({ ...NOTHING_FOUND, collisions, total_related: 2 })
    expect(withoutOwn(overlap, OWN).recommended_action).toContain(advice)
  })

  test('the lists and the count exclude the user’s own', () => {
    const listed: Listed[] = [
      ['act_own', 'high'],
      ['act_b', 'low'],
      ['ntb_a', 'low'],
    ]
    expect(withoutOwn(overlapOf(listed, { unlisted: 7 }), OWN)).toMatchObject({
      related_activity_ids: ['act_b'],
      related_notable_ids: ['ntb_a'],
      relationships: { act_b: 'collision' },
      matches: [{ id: 'act_b' }, { id: 'ntb_a' }],
      truncated: true,
      total_related: 9,
    })
    expect(withoutOwn(overlapOf(listed), OWN).relationships).toEqual({ act_b: 'collision' })
  })
})

describe('with nothing left', () => {
  const listed = [...OWN].map((id): Listed => [id, 'medium'])
  const nothing = { overlap_detected: false, severity: null, matches: [], total_related: 0 }

  test('the advice is to go ahead if the check was complete', () => {
    expect(withoutOwn(overlapOf(listed), OWN)).toMatchObject({
      ...nothing,
      reason: 'No overlap except with your own work.',
      recommended_action: 'Go ahead.',
    })
  })

  test('the text names that the check was incomplete', () => {
    const exhausted = { ...overlapOf(listed, { complete: false }), reason: `Overlap. ${BUDGET_EXHAUSTED}` }
    const rest = withoutOwn(exhausted, OWN)
    expect(rest).toMatchObject(nothing)
    expect(rest.reason).toMatch(/exhausted its work budget before it had compared everything\.$/)
    expect(rest.recommended_action).not.toMatch(/Go ahead/)
  })
})

describe('the brief form', () => {
  const named = (id: string, severity: Severity) => ({
    ...{ id, title: 'Tidy', actor: 'Ben', branch: null, pr_url: null, worktree: null, severity },
    ...{ example: null, consequence: null, findings: [], same_author: false, is_bot: false },
  })
  const brief = (ids: string[], matches: ReturnType<typeof named>[]) => ({
    ...{ overlap_detected: true, severity: 'high' as const, related_activity_ids: ids, matches },
  })

  test.each([
    ['nothing', ['act_own'], [named('act_own', 'high')], { overlap_detected: false, severity: null }],
    [
      'another activity',
      ['act_own', 'act_b'],
      [named('act_own', 'high'), named('act_b', 'low')],
      {
        overlap_detected: true,
        severity: 'low',
        related_activity_ids: ['act_b'],
        matches: [{ id: 'act_b' }],
      },
    ],
    [
      'a notable',
      ['act_own'],
      [named('act_own', 'high'), named('ntb_a', 'medium')],
      { overlap_detected: true, severity: 'medium', related_activity_ids: [], matches: [{ id: 'ntb_a' }] },
    ],
    [
      'an activity without a name, with the severity of the whole',
      ['act_own', 'act_z'],
      [named('act_own', 'high')],
      { overlap_detected: true, severity: 'high', related_activity_ids: ['act_z'], matches: [] },
    ],
  ])('keeps %s', (_, ids, matches, expected) => {
    expect(briefWithoutOwn(brief(ids, matches), OWN)).toMatchObject(expected)
  })

  test('is unchanged without the user’s own activities', () => {
    const overlap = brief(['act_b'], [named('act_b', 'high')])
    expect(briefWithoutOwn(overlap, OWN)).toBe(overlap)
  })
})
