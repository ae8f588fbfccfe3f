/** The words for overlaps and the advice about them, as every medium shows them. */
import { describe, expect, test } from 'vitest'
import { type AdvisedOverlap, adviceOf, type Stage, type Whose } from '../../src/vocabulary/advice.ts'
import type { Finding } from '../../src/vocabulary/finding-kinds.ts'
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
import { linesFinding as lines, SAME_NUMBER as NUMBER } from '../support/conclusion.ts'

const quote = (text: string) => `<${text}>`
const THEIRS: LineRange = [40, 52]
const ISSUE: Finding = { kind: 'issue', issue: 7 }
const PLACE: ComparedPlace = { ...NOT_COMPARED, example: 'a.ts' }

describe('a file that both change', () => {
  const [LINES, LIKELY] = ['lines 40–52 (yours: line 38)', ', probably in conflict']
  const [SAME, EASY] = ['same lines (38 and 40–52)', ', a file whose conflicts are easy to resolve']
  test.each<[Verdict, Confidence | null, string, string, string]>([
    ['conflict', 'proved', ' (yours: line 38)', LINES, SAME],
    ['conflict', 'likely', ` (yours: line 38)${LIKELY}`, `${LINES}${LIKELY}`, SAME],
    ['unknown', null, '; whether the lines overlap is not known', LINES, 'lines not known'],
    ['noise', null, EASY, `${LINES}, easy to resolve`, 'easy to resolve (38 and 40–52)'],
  ])('with the verdict %s (%s)', (verdict, confidence, rest, short, label) => {
    const place: ComparedPlace = { ...PLACE, verdict, confidence, your_lines: [38, 38], their_lines: THEIRS }
    expect(placeSentence('#3', place, quote)).toBe(`#3 changes lines 40–52 of <a.ts> too${rest}`)
    expect(placeText(place)).toBe(short)
    expect(pairLabel({ findings: [lines(verdict)], line_ranges: [[38, 38], THEIRS] }, quote)).toBe(label)
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
    expect(placeSentence('#3', place, quote)).toBe(sentence)
    expect(placeText(place)).toBe(short)
  })
})

describe('two sides', () => {
  const shared = { findings: [], paths: [], areas: [] }
  const duplicate = (share: number, added_lines: number): Finding => ({
    kind: 'duplicate',
    share,
    added_lines,
  })
  test.each<[string, Partial<Parameters<typeof overlapSentence>[1]>, string]>([
    [
      'that do the same work',
      { findings: [duplicate(0.75, 12), ISSUE], paths: [PLACE] },
      'seems to do the same as yours (9 of 12 added lines are alike, both close <#7>)',
    ],
    [
      'that close the same issue only',
      { findings: [ISSUE] },
      'seems to do the same as yours (both close <#7>)',
    ],
    [
      'that make the same removals',
      { findings: [duplicate(1, 0), lines('agrees')] },
      'seems to do the same as yours',
    ],
    ['that share a path and an area', { paths: [PLACE], areas: ['pay'] }, 'works on <a.ts> too'],
    ['that share an area', { areas: ['pay'] }, 'works on area <pay> too'],
    ['that share areas', { areas: ['a', 'b', 'c'] }, 'works on areas <a>, <b> and <c> too'],
    ['of which nothing more is known', {}, 'works on the same scope too'],
  ])('%s', (_, given, sentence) => {
    expect(overlapSentence('#3', { ...shared, ...given }, 'yours', quote)).toBe(`#3 ${sentence}`)
  })

  const conflict = [lines('conflict')]
  test.each<[string, Parameters<typeof pairLabel>[0], string]>([
    ['without lines', { findings: conflict, line_ranges: null }, 'same lines'],
    ['with the lines of one', { findings: conflict, line_ranges: [null, [7, 7]] }, 'same lines (7)'],
    ['whose lines were not compared', { findings: [] }, ''],
    [
      'that do the same work',
      { findings: [duplicate(1, 9), lines('near')] },
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
    const collision = { activity_ids: ['act_a', 'act_b'], findings: [lines('touching')] }
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

const PARENT: Finding = { ...NUMBER, kind: 'parent', parent: '0041_users' }
const same: Partial<AdvisedOverlap> = { findings: [ISSUE] }
const number: Partial<AdvisedOverlap> = { findings: [NUMBER] }
const parent: Partial<AdvisedOverlap> = { findings: [PARENT] }

describe('the advice before an edit', () => {
  const LOW: AdvisedOverlap = { severity: 'low', findings: [] }
  const EDIT = 'Before you edit there, talk to Ben: '
  const GO_ON = 'Before you go on, talk to Ben: '
  test.each<[Partial<AdvisedOverlap>, string]>([
    [{ severity: 'high' }, `${EDIT}wait, split the work, or build on tidy.`],
    [{ severity: 'medium' }, `${EDIT}agree on who changes what, or narrow your scope.`],
    [{}, 'Go ahead, and let Ben know.'],
    [number, 'Reserve another number for your file, or talk to Ben: agree on who keeps this one.'],
    [parent, `${GO_ON}agree on whose migration comes first. The second one builds on the first.`],
    [same, `${GO_ON}close one of the two.`],
  ])('about %j', (fields, to_person) => {
    const told = (person: string | null) =>
      adviceOf({ ...LOW, ...fields }, { whose: 'other', person, theirs: 'tidy' }).action
    expect(told('Ben')).toBe(to_person)
    // An agent does not talk to people.
    expect(told(null)).toBe(to_person.replace('talk to Ben', 'tell the user').replace('Ben', 'the user'))
  })

  test.each<[Whose, Partial<AdvisedOverlap>, boolean, string]>([
    ['other', same, true, `${GO_ON}close one of the two; tidy was first.`],
    ['other', same, false, `${GO_ON}close one of the two; yours was first.`],
    [
      'own',
      same,
      true,
      'Before you go on, compare yours with your other work (tidy): close one of the two; tidy was first.',
    ],
    ['own', {}, true, 'Before you edit there, finish your other work (tidy), or build on it.'],
    ['bot', {}, true, 'Go ahead, and rebase tidy after yours is merged.'],
    ['bot', number, true, 'Give way to tidy: reserve another number for your file.'],
  ])('about %s work and %j, which was first: %s', (whose, fields, is_theirs_first, action) => {
    const reader = { whose, person: 'Ben', theirs: 'tidy', is_theirs_first }
    expect(adviceOf({ ...LOW, ...fields }, reader).action).toBe(action)
  })
})

describe('the advice before a merge', () => {
  const CONFLICT: AdvisedOverlap = { severity: 'medium', findings: [] }
  const reader = (own: Stage, other: Stage, is_ahead: boolean) => ({
    ...{ whose: 'other' as const, person: 'Ben', is_ahead, may_merge: true },
    ...{ own: { name: '#2', stage: own }, other: { name: '#1', stage: other } },
  })

  const QUEUED = '#2 is in the merge queue and goes first'
  const REBASE = 'Agree with Ben, or rebase after it merges.'
  const TELL = 'Tell Ben what will change, or merge soon.'
  test.each<[Stage, Stage, boolean, string, string]>([
    ['ready', 'ready', false, '#1 was opened first', REBASE],
    ['draft', 'ready', false, '#1 is ready for review and goes first', REBASE],
    ['ready', 'queued', false, '#1 is in the merge queue and goes first', 'Rebase once it is merged.'],
    ['declared', 'declared', false, '#1 began first', 'Agree with Ben on who changes what.'],
    ['ready', 'ready', true, '#2 was opened first', TELL],
    ['draft', 'declared', true, '#2 is a draft and goes first', TELL],
    ['queued', 'ready', true, QUEUED, 'Tell Ben to rebase after it merges.'],
    ['declared', 'declared', true, '#2 began first', 'Tell Ben what will change.'],
  ])('of %s work with %s work (ahead: %s)', (own, other, is_ahead, order, action) => {
    expect(adviceOf(CONFLICT, reader(own, other, is_ahead))).toEqual({ order, action })
  })

  test.each([
    ['other', 'Tell Ben what will change, or ask to have this one merged first.'],
    ['own', 'Ask to have #2 merged first, and rebase #1.'],
  ] as const)('about %s work, to somebody who cannot merge', (whose, action) => {
    const told = adviceOf(CONFLICT, { ...reader('ready', 'ready', true), whose, may_merge: false })
    expect(told.action).toBe(action)
  })

  test.each<['other' | 'own', boolean, Partial<AdvisedOverlap>, string]>([
    ['other', false, same, 'Close one of the two, and agree with Ben on which.'],
    ['other', false, number, 'Take another number.'],
    ['other', true, number, 'Tell Ben to take another number.'],
    ['other', false, parent, 'Build on the other migration once it is merged.'],
    ['other', true, parent, 'Tell Ben to build on the migration of this pull request.'],
    ['own', false, same, 'Close one of the two.'],
    ['own', false, number, 'Take another number.'],
    ['own', true, number, 'Give the other one another number.'],
    ['own', true, parent, 'Build the second migration on the first.'],
    ['own', false, {}, 'Merge #1 first, and rebase #2.'],
  ])('with %s work (ahead: %s), about %j', (whose, is_ahead, fields, action) => {
    const { action: told } = adviceOf(
      { ...CONFLICT, ...fields },
      { ...reader('ready', 'ready', is_ahead), whose },
    )
    expect(told).toBe(action)
  })
})
