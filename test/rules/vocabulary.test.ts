/** The words for overlaps and the advice about them, as every medium shows them. */
import { describe, expect, test } from 'vitest'
import { type AdvisedOverlap, adviceOf } from '../../src/vocabulary/advice.ts'
import type { Stage } from '../../src/vocabulary/standing.ts'
import { type Confidence, type LineRange, NOT_COMPARED, type Verdict } from '../../src/vocabulary/verdict.ts'
import {
  type ComparedPlace,
  linesText,
  overlapSentence,
  pairLabel,
  pairOf,
  placeSentence,
  placeText,
} from '../../src/vocabulary/verdict-words.ts'

const quote = (text: string) => `<${text}>`
const THEIRS: LineRange = [40, 52]
const PLACE: ComparedPlace = { ...NOT_COMPARED, example: 'a.ts' }

describe('a file that both change', () => {
  const LINES = 'lines 40–52 (yours: line 38)'
  test.each<[Verdict, Confidence | null, string, string, string]>([
    ['conflict', 'proved', ' (yours: line 38)', LINES, 'same lines (38 and 40–52)'],
    [
      'conflict',
      'likely',
      ' (yours: line 38), probably in conflict',
      `${LINES}, probably in conflict`,
      'same lines (38 and 40–52)',
    ],
    ['unknown', null, '; whether the lines overlap is not known', LINES, 'lines not known'],
    [
      'noise',
      null,
      ', a file whose conflicts are easy to resolve',
      `${LINES}, easy to resolve`,
      'easy to resolve (38 and 40–52)',
    ],
  ])('with the verdict %s (%s)', (verdict, confidence, rest, short, label) => {
    const place: ComparedPlace = { ...PLACE, verdict, confidence, your_lines: [38, 38], their_lines: THEIRS }
    expect(placeSentence('#3', place, quote)).toBe(`#3 changes lines 40–52 of <a.ts> too${rest}`)
    expect(placeText(place)).toBe(short)
    expect(pairLabel({ lines: verdict, line_ranges: [[38, 38], THEIRS] }, quote)).toBe(label)
  })

  test.each<[string, Partial<ComparedPlace>, string, string]>([
    [
      'names the lines once if both have the same numbers',
      { verdict: 'conflict', your_lines: THEIRS, their_lines: THEIRS },
      '#3 changes lines 40–52 of <a.ts> too',
      'lines 40–52, the same lines as yours',
    ],
    [
      'says that the changes conflict if no lines are known',
      { verdict: 'conflict', confidence: 'proved' },
      '#3 changes <a.ts> too, and the changes conflict',
      'the same lines as yours',
    ],
    [
      'says that the lines are not known',
      { verdict: 'unknown' },
      '#3 changes <a.ts> too; whether the lines overlap is not known',
      'lines not known',
    ],
    ['was declared', {}, '#3 works on <a.ts> too', ''],
    [
      'is matched by globs, which are named',
      { yours: 'src/**', theirs: 'a.ts' },
      '#3 works on <a.ts> too (yours: <src/**>, theirs: <a.ts>)',
      '',
    ],
  ])('%s', (_, fields, sentence, short) => {
    const place = { ...PLACE, ...fields }
    expect({ sentence: placeSentence('#3', place, quote), short: placeText(place) }).toEqual({
      sentence,
      short,
    })
  })
})

describe('two sides', () => {
  const shared = { duplicate: null, sequence: [], paths: [], areas: [] }
  const same = (share: number) => ({ duplicate: { share, added_lines: 12, issue: 7 } })
  test.each<[string, Partial<Parameters<typeof overlapSentence>[1]>, string]>([
    [
      'that do the same work',
      { ...same(0.75), paths: [PLACE] },
      'seems to do the same as yours (9 of 12 added lines are alike, both close <#7>)',
    ],
    ['that close the same issue only', same(0), 'seems to do the same as yours (both close <#7>)'],
    ['that share a path and an area', { paths: [PLACE], areas: ['pay'] }, 'works on <a.ts> too'],
    ['that share an area', { areas: ['pay'] }, 'works on area <pay> too'],
    ['that share areas', { areas: ['a', 'b', 'c'] }, 'works on areas <a>, <b> and <c> too'],
    ['of which nothing more is known', {}, 'works on the same scope too'],
  ])('%s', (_, given, sentence) => {
    expect(overlapSentence('#3', { ...shared, ...given }, 'yours', quote)).toBe(`#3 ${sentence}`)
  })

  const duplicate = { share: 1, added_lines: 9, issue: null }
  test.each<[string, Parameters<typeof pairLabel>[0], string]>([
    ['without lines', { lines: 'conflict', line_ranges: null }, 'same lines'],
    ['with the lines of one', { lines: 'conflict', line_ranges: [null, [7, 7]] }, 'same lines (7)'],
    ['whose lines were not compared', { lines: null, duplicate: null }, ''],
    [
      'that do the same work',
      { lines: 'near', duplicate },
      'nearby lines, seems to do the same (9 of 9 added lines are alike)',
    ],
  ])('%s, in a list', (_, pair, label) => {
    expect(pairLabel(pair, quote)).toBe(label)
  })

  test.each<[string, string]>([
    ['act_a', 'adjacent lines (1 and 3–4)'],
    ['act_b', 'adjacent lines (3–4 and 1)'],
  ])('as %s sees them have its own lines first', (id, label) => {
    const line_ranges: [LineRange, LineRange] = [
      [1, 1],
      [3, 4],
    ]
    const collision = {
      activity_ids: ['act_a', 'act_b'],
      lines: 'touching',
      duplicate: null,
      sequence: [],
    } as const
    expect(pairLabel(pairOf(id, { ...collision, paths: [{ line_ranges }] }), quote)).toBe(label)
  })
})

test.each<[(LineRange | null)[], string]>([
  [[], ''],
  [[null], ''],
  [[[7, 7]], 'line 7'],
  [[[7, 7], null, [7, 7]], 'line 7'],
  [
    [
      [12, 14],
      [13, 13],
    ],
    'lines 12–14 and 13',
  ],
])('the lines %j are “%s”', (ranges, text) => {
  expect(linesText(...ranges)).toBe(text)
})

describe('the advice before an edit', () => {
  const LOW: AdvisedOverlap = { severity: 'low', lines: null, is_duplicate: false, sequence_kind: null }
  const EDIT = 'Before you edit there, talk to Ben: '
  const GO_ON = 'Before you go on, talk to Ben: '
  test.each<[Partial<AdvisedOverlap>, string]>([
    [{ severity: 'high' }, `${EDIT}wait, split the work, or build on tidy.`],
    [{ severity: 'medium' }, `${EDIT}agree on who changes what, or narrow your scope.`],
    [{}, 'Go ahead, and let Ben know.'],
    [
      { severity: 'high', sequence_kind: 'same_number' },
      'Reserve another number for your file, or talk to Ben: agree on who keeps this one.',
    ],
    [
      { severity: 'high', sequence_kind: 'same_parent' },
      `${GO_ON}agree on whose migration comes first. The second one builds on the first.`,
    ],
    [
      { severity: 'high', is_duplicate: true, lines: 'far' },
      `${GO_ON}agree on which of the two to continue.`,
    ],
  ])('about %j', (fields, to_person) => {
    const told = (person: string | null) => adviceOf({ ...LOW, ...fields }, { person, theirs: 'tidy' }).action
    expect(told('Ben')).toBe(to_person)
    // An agent does not talk to people.
    expect(told(null)).toBe(to_person.replace('talk to Ben', 'tell the user').replace('Ben', 'the user'))
  })

  test.each<[Verdict, string]>([
    ['unknown', 'Go ahead, and let Ben know.'],
    ['agrees', 'No action is needed: both make the same change.'],
    ['touching', 'No action is needed: the changed lines do not overlap.'],
    ['near', 'No action is needed: the changed lines do not overlap.'],
    ['far', 'No action is needed: the changed lines do not overlap.'],
  ])('about the verdict %s of low severity', (lines, action) => {
    expect(adviceOf({ ...LOW, lines }, { person: 'Ben', theirs: 'tidy' }).action).toBe(action)
  })
})

describe('the advice before a merge', () => {
  const advice = (own: Stage, other: Stage, is_ahead: boolean, fields: Partial<AdvisedOverlap> = {}) =>
    adviceOf(
      { severity: 'medium', lines: 'conflict', is_duplicate: false, sequence_kind: null, ...fields },
      { person: 'Ben', own: { name: '#2', stage: own }, other: { name: '#1', stage: other }, is_ahead },
    )

  const REBASE = 'Agree with Ben, or rebase after it merges.'
  const TELL = 'Tell Ben what will change, or merge soon.'
  test.each<[Stage, Stage, boolean, string, string]>([
    ['ready', 'ready', false, '#1 was opened first', REBASE],
    ['draft', 'ready', false, '#1 is ready for review and goes first', REBASE],
    ['ready', 'queued', false, '#1 is in the merge queue and goes first', 'Rebase once it is merged.'],
    ['declared', 'declared', false, '#1 began first', 'Agree with Ben on who changes what.'],
    ['ready', 'ready', true, '#2 was opened first', TELL],
    ['draft', 'declared', true, '#2 is a draft and goes first', TELL],
    [
      'queued',
      'ready',
      true,
      '#2 is in the merge queue and goes first',
      'Tell Ben to rebase after it merges.',
    ],
    ['declared', 'declared', true, '#2 began first', 'Tell Ben what will change.'],
  ])('of %s work with %s work (ahead: %s)', (own, other, is_ahead, order, action) => {
    expect(advice(own, other, is_ahead)).toEqual({ order, action })
  })

  test.each<[string, Partial<AdvisedOverlap>, object]>([
    [
      'is to continue one of two duplicates',
      { is_duplicate: true },
      { action: 'Agree with Ben on which of the two to continue.' },
    ],
    ['names no order if no action is needed', { severity: 'low', lines: 'far' }, { order: '' }],
    [
      'is by order if the severity is raised',
      { severity: 'high', lines: 'far' },
      { order: '#1 was opened first' },
    ],
  ])('%s', (_, fields, expected) => {
    expect(advice('ready', 'ready', false, fields)).toMatchObject(expected)
  })
})
