/** The measurement of a real history, on ten days of a small mirror in which a pull request breaks two others, and conflicts with one of them. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type MirrorCommit, mirrorOf } from '../../test/support/mirror.ts'
import { type Candidate, findCandidates } from './candidates.ts'
import { drawn, proveSample } from './sample.ts'
import { sampleTable, shareOf } from './sample-table.ts'

const work = (n: number, day: number, files: MirrorCommit['files']): MirrorCommit => ({
  name: `pull${n}`,
  parents: ['start'],
  author: `Author ${n}`,
  day,
  files: files ?? {},
})
const USES = "import { payAll } from './pay.mjs'\nif (payAll() !== 1) throw new Error('paid')\n"
const COMMITS: MirrorCommit[] = [
  {
    name: 'start',
    parents: [],
    author: 'Ada',
    day: 0,
    files: { 'pay.mjs': 'export const payAll = () => 1\n', 'rates.txt': '1\n' },
  },
  // Three days before the others, which is more than the time to live of an activity.
  work(7, 6.2, { 'pay.mjs': 'export const settle = () => 1\n', 'rates.txt': '2\n' }),
  work(8, 9.4, { 'check.mjs': USES }),
  work(9, 9.6, { 'notes.md': 'Pay.\n' }),
  work(10, 9.8, { 'check-again.mjs': USES, 'rates.txt': '3\n' }),
  {
    name: 'merged9',
    parents: ['start', 'pull9'],
    author: 'Ada',
    day: 10,
    message: 'Merge pull request #9 from someone/branch',
    files: { 'notes.md': 'Pay.\n' },
  },
]
const COMMAND = ['sh', '-c', 'for file in *.mjs; do node "$file" || exit 1; done']
const options = { days: 10, closed_after_days: 14, report: () => {} }

test('pairs of a history are chosen by the service, drawn at random, and proved with a command', async () => {
  const refs = Object.fromEntries([7, 8, 9, 10].map((n) => [`refs/pull/${n}/head`, `pull${n}`]))
  const mirror = await mirrorOf({ commits: COMMITS, refs: { ...refs, 'refs/heads/main': 'merged9' } })
  try {
    const found: Candidate[] = []
    await findCandidates(mirror.path, { ...options, seed: 1, onPair: (pair) => found.push(pair) })
    const pairsOf = (group: Candidate['group']) =>
      found.filter((each) => each.group === group).map(({ pull_requests }) => pull_requests)
    expect(pairsOf('chosen')).toEqual([[8, 7]])
    const drawnOf = (pair: [number, number]) => pair.toSorted((a, b) => a - b).join(' ')
    expect(pairsOf('random').map(drawnOf).toSorted()).toEqual(['7 10', '7 8', '7 9', '8 10', '8 9', '9 10'])
    const proved = await proveSample(mirror.path, found, {
      size: 9,
      seed: 1,
      cache: join(mirror.path, 'proved.json'),
      command: COMMAND,
      jobs: 2,
      timeout_ms: 60_000,
      report: () => {},
    })
    expect(
      proved
        .map(({ group, pull_requests, result }) => `${group} ${drawnOf(pull_requests)} ${result}`)
        .toSorted(),
    ).toEqual([
      'chosen 7 8 failed',
      'random 7 10 conflict',
      'random 7 8 failed',
      'random 7 9 passed',
      'random 8 10 passed',
      'random 8 9 passed',
      'random 9 10 passed',
    ])
  } finally {
    await mirror.remove()
  }
})

test('a pull request whose pushes before the period are not known is opened at the first known push', async () => {
  const pushes = Array.from(
    { length: 25 },
    (_, at): MirrorCommit => ({
      name: `push${at}`,
      parents: [at === 0 ? 'start' : `push${at - 1}`],
      author: 'Author 8',
      day: 4 + at / 5,
      files: { 'check.mjs': `${USES}// ${at}\n` },
    }),
  )
  const refs = { 'refs/pull/7/head': 'pull7', 'refs/pull/8/head': 'push24', 'refs/pull/9/head': 'pull9' }
  const mirror = await mirrorOf({
    commits: [...COMMITS, ...pushes],
    refs: { ...refs, 'refs/heads/main': 'merged9' },
  })
  try {
    const found: Candidate[] = []
    const onPair = (pair: Candidate) => found.push(pair)
    await findCandidates(mirror.path, { ...options, days: 5.1, seed: 1, onPair })
    const chosen = found.filter(({ group }) => group === 'chosen')
    expect(chosen.map(({ pull_requests }) => pull_requests)).toContainEqual([8, 7])
  } finally {
    await mirror.remove()
  }
})

const pair = (one: number, other: number): Candidate => ({
  group: 'random',
  reason: null,
  pull_requests: [one, other],
  heads: ['a', 'b'],
  base: 'c',
})

test('two pull requests are drawn once', () => {
  const pairs = drawn([pair(1, 2), pair(2, 1), pair(1, 3)], 'random', 1)
  expect(pairs.map(({ pull_requests }) => pull_requests.toSorted().join(' ')).toSorted()).toEqual([
    '1 2',
    '1 3',
  ])
})

test.each([
  [0, 30, '0 % (up to 11 %)'],
  [3, 30, '10 % (3 % to 26 %)'],
  [0, 0, '–'],
])('%d of %d is %s', (part, whole, share) => {
  expect(shareOf(part, whole)).toBe(share)
})

test('the table has both groups and the reasons', () => {
  const result = (group: Candidate['group'], reason: Candidate['reason'], of: 'passed' | 'failed') => ({
    ...pair(4, 5),
    group,
    reason,
    result: of,
  })
  const lines = sampleTable([
    result('chosen', 'near', 'failed'),
    result('random', null, 'passed'),
    { ...result('random', null, 'passed'), result: 'conflict' },
  ]).split('\n')
  expect(lines.slice(2)).toEqual([
    '| chosen | 1 | 0 | 0 | 0 | 0 | 1 | 100 % (21 % to 100 %) |',
    '| random | 2 | 1 | 0 | 0 | 1 | 0 | 0 % (up to 79 %) |',
    '| `near` | 1 | 0 | 0 | 0 | 0 | 1 | 100 % (21 % to 100 %) |',
    '',
    '#4 and #5 fail together (near).',
  ])
})
