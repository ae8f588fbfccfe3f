/** A small history, played from end to end: what became of the pairs that comments named. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MirrorCommit, mirrorOf } from '../../test/support/mirror.ts'
import type { TemporaryDirectory } from '../../test/support/temporary-directory.ts'
import { replayHistory } from './history.ts'
import type { Play } from './play-table.ts'

const text = (name: string, edits: Record<number, string> = {}) =>
  Array.from(
    { length: 60 },
    (_, at) => `${edits[at + 1] ?? `const ${name}${at + 1} = read(${at + 1})`}\n`,
  ).join('')
const ADDED = Array.from({ length: 6 }, (_, at) => `  call(function_number_${'abcdef'[at]})`).join('\n')
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

const push = (
  name: string,
  author: string,
  {
    day,
    on = ['start'],
    edit,
  }: { day: number; on?: string[]; edit: [file: string, edits: Record<number, string>] },
): MirrorCommit => ({
  name,
  parents: on,
  author,
  day,
  files: { [`${edit[0]}.ts`]: text(edit[0], edit[1]) },
})
const merge = (
  n: number,
  day: number,
  { on, edit }: { on: string; edit: [file: string, edits: Record<number, string>] },
) => ({
  ...push(`merged${n}`, 'Ada', { day, on: [on, `pull${n}`], edit }),
  message: `Merge pull request #${n} from someone/branch`,
})
/** A merge of the main branch, after #11, into a pull request. */
const onMain = (
  name: string,
  author: string,
  { day, with: first, files }: { day: number; with: string; files: Record<string, string> },
): MirrorCommit => ({
  name,
  parents: [first, 'merged11'],
  author,
  day,
  files: {
    'a.ts': text('a', { 10: 'one()' }),
    'c.ts': text('c', { 10: ADDED, 40: ADDED }),
    'f.ts': text('f', { 10: ADDED }),
    ...files,
  },
})

const COMMITS: MirrorCommit[] = [
  {
    name: 'start',
    parents: [],
    author: 'Ada',
    day: 0,
    files: Object.fromEntries(NAMES.map((name) => [`${name}.ts`, text(name)])),
  },
  push('pull1', 'Ann', { day: 80, edit: ['a', { 10: 'one()' }] }),
  push('first2', 'Ben', { day: 81, edit: ['a', { 10: 'two()' }] }),
  push('pull3', 'Cy', { day: 81.1, edit: ['b', { 10: 'three()' }] }),
  push('first4', 'Dee', { day: 81.2, edit: ['b', { 10: 'four()' }] }),
  push('pull4', 'Dee', { day: 82, on: ['first4'], edit: ['b', { 50: 'four()' }] }),
  push('pull5', 'Eve', { day: 82.1, edit: ['c', { 10: ADDED }] }),
  push('pull6', 'Fay', { day: 82.2, edit: ['c', { 40: ADDED }] }),
  push('pull7', 'Gil', { day: 82.3, edit: ['d', { 10: 'seven()' }] }),
  push('pull8', 'Hal', { day: 82.4, edit: ['d', { 10: 'eight()' }] }),
  push('pull9', 'Ida', { day: 82.5, edit: ['e', { 10: 'nine()' }] }),
  push('pull10', 'Jon', { day: 82.6, edit: ['e', { 10: 'ten()' }] }),
  push('pull11', 'Kay', { day: 82.7, edit: ['f', { 10: ADDED }] }),
  push('first12', 'Lou', { day: 82.8, edit: ['f', { 40: ADDED }] }),
  merge(1, 84, { on: 'start', edit: ['a', { 10: 'one()' }] }),
  merge(5, 85, { on: 'merged1', edit: ['c', { 10: ADDED }] }),
  merge(6, 86, { on: 'merged5', edit: ['c', { 10: ADDED, 40: ADDED }] }),
  merge(11, 87, { on: 'merged6', edit: ['f', { 10: ADDED }] }),
  // Both merge the main branch. #12 also edits a line that #11 added.
  onMain('pull2', 'Ben', { day: 90, with: 'first2', files: { 'a.ts': text('a', { 10: 'two()' }) } }),
  onMain('pull12', 'Lou', {
    day: 91,
    with: 'first12',
    files: { 'f.ts': text('f', { 10: ADDED.replace('_c', '_x'), 40: ADDED }) },
  }),
  push('pull13', 'Mia', { day: 95, edit: ['g', { 10: 'thirteen()' }] }),
  merge(13, 100, { on: 'merged11', edit: ['g', { 10: 'thirteen()' }] }),
]
const PULLS = Array.from({ length: 13 }, (_, at) => at + 1)
const OPEN = [2, 3, 4, 8, 9, 10, 12]

let mirror: TemporaryDirectory
let plays: Play[]
beforeAll(async () => {
  const refs = {
    'refs/heads/main': 'merged13',
    ...Object.fromEntries(PULLS.map((n) => [`refs/pull/${n}/head`, `pull${n}`])),
    ...Object.fromEntries(OPEN.map((n) => [`refs/pull/${n}/merge`, 'merged13'])),
  }
  mirror = await mirrorOf({ commits: COMMITS, refs })
  plays = (await replayHistory(mirror.path, { days: 30, closed_after_days: 14, report: () => {} })).plays
})
afterAll(() => mirror.remove())

test.each<[what: string, pair: string, outcome: string | undefined]>([
  ['one was merged, and the other conflicts with it', '1 2', 'came_true'],
  ['one was merged, and the other then edits its lines', '11 12', 'came_true'],
  ['a push took the lines back', '3 4', 'resolved'],
  ['both were merged without a conflict', '5 6', 'wrong'],
  ['one was closed', '7 8', 'given_up'],
  ['both are open', '9 10', 'open'],
])('%s', (_, pair, outcome) => {
  const [play] = plays as [Play]
  const index = play.shown.findIndex(({ earlier, later }) => `${earlier.n} ${later.n}` === pair)
  expect(play.outcomes[index]).toBe(outcome)
})

test('the later side gets the comment', () => {
  expect(plays[0]?.comments.map(({ on, named }) => [on.n, ...named])).toEqual([
    [2, 1],
    [4, 3],
    [6, 5],
    [8, 7],
    [10, 9],
    [12, 11],
  ])
})
