/** How the command describes verdicts about lines. */
import { describe, expect, test } from 'vitest'
import { type ComparedPath, matchNotes, pathText, placeText } from '../../src/cli/lines-text.ts'
import { type ComparedLines, comparedLinesOf, shortText } from '../../src/vocabulary/verdict-words.ts'

const FILE = 'src/retry.ts'
const path = (fields: Partial<ComparedPath>): ComparedPath => ({
  yours: FILE,
  theirs: FILE,
  example: FILE,
  ...fields,
})

describe('a path that overlaps', () => {
  test.each<[Partial<ComparedPath>, string]>([
    [{}, 'src/retry.ts'],
    [{ theirs: 'src/**' }, 'src/retry.ts  yours src/retry.ts, theirs src/**'],
    [{ verdict: null, theirs: 'src/**' }, 'src/retry.ts  yours src/retry.ts, theirs src/**'],
    [
      { verdict: 'conflict', confidence: 'proved', your_lines: [40, 52], their_lines: [40, 52] },
      '#123 changes lines 40–52 of src/retry.ts too',
    ],
    [
      { verdict: 'conflict', confidence: 'likely', your_lines: [38, 50], their_lines: [40, 40] },
      '#123 changes line 40 of src/retry.ts too (yours: lines 38–50), probably in conflict',
    ],
    [
      { verdict: 'conflict', confidence: 'proved', your_lines: null, their_lines: null },
      '#123 changes src/retry.ts too, and the changes conflict',
    ],
    [
      { verdict: 'agrees', your_lines: [7, 7], their_lines: [7, 7] },
      '#123 makes the same change to line 7 of src/retry.ts',
    ],
    [
      { verdict: 'agrees', your_lines: null, their_lines: null },
      '#123 makes the same change to src/retry.ts',
    ],
    [
      { verdict: 'touching', your_lines: [5, 6], their_lines: [9, 9] },
      '#123 changes line 9 of src/retry.ts, right next to your change (yours: lines 5–6)',
    ],
    [
      { verdict: 'near', your_lines: [5, 6], their_lines: [20, 21] },
      '#123 changes lines 20–21 of src/retry.ts, near your change (yours: lines 5–6)',
    ],
    [
      { verdict: 'far', your_lines: [1, 1], their_lines: [900, 900] },
      '#123 changes src/retry.ts too, far from your change',
    ],
    [{ verdict: 'unknown' }, '#123 changes src/retry.ts too; its lines are not known'],
    [
      { verdict: 'unknown', their_lines: [40, 52] },
      '#123 changes lines 40–52 of src/retry.ts too; your lines are not known',
    ],
    [{ verdict: 'noise' }, '#123 changes src/retry.ts too, a file whose conflicts are easy to resolve'],
  ])('with %j', (fields, expected) => {
    expect(pathText(path(fields), '#123')).toBe(expected)
  })
})

test.each<[ComparedLines, string]>([
  [{}, 'src/retry.ts'],
  [{ lines: null, duplicate: null }, 'src/retry.ts'],
  [{ lines: 'conflict' }, 'src/retry.ts, same lines'],
  [
    {
      lines: 'conflict',
      line_ranges: [
        [40, 52],
        [40, 52],
      ],
    },
    'src/retry.ts, same lines (40–52)',
  ],
  [
    {
      lines: 'near',
      line_ranges: [
        [40, 52],
        [60, 60],
      ],
    },
    'src/retry.ts, nearby lines (40–52 and 60)',
  ],
  [{ lines: 'conflict', line_ranges: [null, [7, 7]] }, 'src/retry.ts, same lines (7)'],
  [
    {
      lines: 'far',
      line_ranges: [
        [1, 1],
        [900, 900],
      ],
    },
    'src/retry.ts, same file, far apart',
  ],
  [
    { lines: 'near', duplicate: { share: 1, added_lines: 9, issue: null } },
    'src/retry.ts, nearby lines, seems to be the same work',
  ],
])('a place with %j is %s', (match, expected) => {
  expect(placeText(FILE, match)).toBe(expected)
})

test('a collision in a list names the lines of the activity itself first', () => {
  const collision = (line_ranges: ComparedLines['line_ranges'] = null) => ({
    activity_ids: ['act_a', 'act_b'],
    lines: 'touching' as const,
    duplicate: null,
    paths: [{ line_ranges }, { line_ranges: null }],
  })
  const known = collision([
    [1, 1],
    [3, 4],
  ])
  expect(shortText(comparedLinesOf('act_a', known))).toBe('adjacent lines (1 and 3–4)')
  expect(shortText(comparedLinesOf('act_b', known))).toBe('adjacent lines (3–4 and 1)')
  expect(shortText(comparedLinesOf('act_b', collision()))).toBe('adjacent lines')
  expect(shortText(comparedLinesOf('act_b', { ...known, paths: [] }))).toBe('adjacent lines')
})

test.each([
  [{}, []],
  [{ duplicate: null, cut: false }, []],
  [
    { duplicate: { share: 0.75, added_lines: 12, issue: 7 } },
    ['seems to do the same as #123 (9 of 12 added lines are alike, both close #7)'],
  ],
  [
    { duplicate: { share: 0, added_lines: 0, issue: 'acme/docs#7' } },
    ['seems to do the same as #123 (both close acme/docs#7)'],
  ],
  [{ cut: true }, ['only the first shared files were compared by lines']],
])('a match with %j is noted as %j', (match, expected) => {
  expect(matchNotes(match, '#123')).toEqual(expected)
})
