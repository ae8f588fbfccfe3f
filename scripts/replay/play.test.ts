/** How a replay plays events through the rules of the service: one row per scenario. */
import { describe, expect, test } from 'vitest'
import { DEFAULT_NOISE } from '../../src/server/line-verdicts/noise.ts'
import { loginAuthor } from '../../src/server/overlap/side.ts'
import { DEFAULT_SETTINGS } from '../../src/vocabulary/contract/settings.ts'
import { change, editOf } from '../../test/support/lines.ts'
import { type Changed, headComparison, headOf } from './heads.ts'
import { type Played, play } from './play.ts'
import { timeInForce } from './play-table.ts'
import { DAY } from './pull-requests.ts'

const LINES = Array.from({ length: 60 }, (_, at) => `const value${at + 1} = read(${at + 1})`)
const BRANCH = { name: 'main', chain: [], arrival: Int32Array.from({ length: 100 }, (_, at) => at) }

interface Plan {
  /** The day of each push, the changed line of each file, and the position of its merge base in the branch. */
  pushes: [day: number, lines: Record<string, number>, base?: number][]
  author?: string
  is_bot?: boolean
  /** The day of the merge; its position in the branch is 50. */
  merged?: number
  /** Heads of other pull requests that it contains: the number, and the index of the push. */
  contains?: [n: number, push: number][]
}

const headOfPush = (n: number, push: number) => 100 * n + push

function pullRequest(
  n: number,
  { pushes, author = `author-${n}`, is_bot = false, merged, contains = [] }: Plan,
): Changed {
  const side = {
    author: loginAuthor(author, DEFAULT_SETTINGS, { actor: null, assignee: null }),
    issues: new Set<number>(),
    closes: new Set<number>(),
  }
  const revisions = pushes.map(([day, lines, base = 1], index) => {
    const files = Object.entries(lines).map(([path, line]) =>
      change({ path, patch: editOf(LINES, line, 1, [`changed by ${n}`]) }),
    )
    return { at: day * DAY, head: headOfPush(n, index), base, changes: headOf(files, side, DEFAULT_NOISE) }
  })
  const [first] = revisions as [(typeof revisions)[number]]
  const last = revisions.at(-1) as typeof first
  return {
    n,
    branch: 0,
    own: new Set([last.head, ...contains.map(([other, push]) => headOfPush(other, push))]),
    boundary: [],
    author,
    is_bot,
    opened: first.at,
    pushed: last.at,
    head: last.head,
    base: last.base,
    last: last.changes,
    revisions,
    merged: merged === undefined ? null : { branch: 0, position: 50, at: merged * DAY },
    is_open: merged === undefined,
    ended: merged === undefined ? Number.POSITIVE_INFINITY : merged * DAY,
  }
}

const at = (line: number) => ({ 'a.ts': line })

function playOf(plans: Plan[], { budget = 1, since = 0 } = {}): Played {
  return play(
    plans.map((plan, index) => pullRequest(index + 1, plan)),
    {
      comment: { ...DEFAULT_SETTINGS.comment, budget },
      branches: [BRANCH],
      compare: headComparison(DEFAULT_NOISE),
      since: since * DAY,
    },
  )
}

const commentsOf = ({ comments }: Played) =>
  comments.map(({ on, at, named }) => `#${on.n} day ${at / DAY}: ${[...named].join(' ')}`)

describe('comments', () => {
  test.each<[what: string, plans: Plan[], comments: string[]]>([
    [
      'the side whose opening brought the pair about',
      [{ pushes: [[1, at(20)]] }, { pushes: [[2, at(20)]] }],
      ['#2 day 2: 1'],
    ],
    [
      'the side whose push brought it about, although it was opened first',
      [
        {
          pushes: [
            [1, at(5)],
            [3, at(20)],
          ],
        },
        { pushes: [[2, at(20)]] },
      ],
      ['#1 day 3: 2'],
    ],
    ['nobody of distant lines', [{ pushes: [[1, at(5)]] }, { pushes: [[2, at(50)]] }], []],
    ['nobody of merged work', [{ pushes: [[1, at(20)]], merged: 1.5 }, { pushes: [[2, at(20)]] }], []],
    [
      'nobody of one that was rebased over the other’s merge',
      [{ pushes: [[1, at(20)]], merged: 4 }, { pushes: [[2, at(20), 60]] }],
      [],
    ],
    ['nobody of stale work', [{ pushes: [[1, at(20)]] }, { pushes: [[20, at(20)]] }], []],
    [
      'the later side when stale work is pushed again',
      [
        {
          pushes: [
            [1, at(20)],
            [25, at(20)],
          ],
        },
        { pushes: [[20, at(20)]] },
      ],
      ['#2 day 25: 1'],
    ],
    [
      'nobody of work that contains an earlier push of the other',
      [
        {
          pushes: [
            [1, at(20)],
            [3, at(20)],
          ],
        },
        { pushes: [[2, at(20)]], contains: [[1, 0]] },
      ],
      [],
    ],
    ['no bot', [{ pushes: [[1, at(20)]] }, { pushes: [[2, at(20)]], is_bot: true }], []],
    ['nobody of a bot', [{ pushes: [[1, at(20)]], is_bot: true }, { pushes: [[2, at(20)]] }], []],
    [
      'no author of own work',
      [
        { pushes: [[1, at(20)]], author: 'ada' },
        { pushes: [[2, at(20)]], author: 'Ada' },
      ],
      [],
    ],
    [
      'with three names at most',
      [1, 2, 3, 4, 5].map((day): Plan => ({ pushes: [[day, at(20)]] })),
      ['#2 day 2: 1', '#3 day 3: 1 2', '#4 day 4: 1 2 3', '#5 day 5: 1 2 3'],
    ],
    [
      'once on each pull request, and adds names to it',
      [
        { pushes: [[1, at(20)]] },
        { pushes: [[2, at(40)]] },
        {
          pushes: [
            [3, at(20)],
            [4, { 'a.ts': 40 }],
          ],
        },
      ],
      ['#3 day 3: 1 2'],
    ],
  ])('%s', (_, plans, comments) => expect(commentsOf(playOf(plans))).toEqual(comments))
})

describe('a pair', () => {
  test('is resolved by a push that removes the conflict, and open again after one that restores it', () => {
    const other: Plan = { pushes: [[2, at(20)]] }
    const moved: Plan = {
      pushes: [
        [1, at(20)],
        [3, at(50)],
      ],
    }
    const back: Plan = { pushes: [...moved.pushes, [4, at(20)]] }
    expect(playOf([moved, other]).pairs).toMatchObject([
      { row: { outcome: 'resolved', ended_at: new Date(3000 * DAY) }, compared: null },
    ])
    expect(playOf([back, other]).pairs).toMatchObject([
      { row: { outcome: 'open', ended_at: null, second_shown_at: new Date(2000 * DAY) } },
    ])
  })

  test('has no cause if it existed when the replay started', () => {
    const again = (first: number, then: number): Plan => ({
      pushes: [
        [first, at(20)],
        [then, at(20)],
      ],
    })
    const played = playOf([again(1, 10), again(2, 11)], { since: 5 })
    expect(played.pairs).toMatchObject([{ row: { cause: null }, later: { n: 2 } }])
    expect(commentsOf(played)).toEqual(['#2 day 11: 1'])
  })
})

describe('the budget', () => {
  // 20 pull requests, of which every second one conflicts with the one before. With the last one, the budget is exceeded.
  const pairs = (files: string[]) =>
    Array.from({ length: 10 }, (_, index): Plan[] => {
      const lines = Object.fromEntries(files.map((name) => [`${index}/${name}`, 20]))
      return [0, 1].map((side): Plan => ({ pushes: [[index + side / 2, lines]] }))
    }).flat()
  const more = (files: string[]): Plan[] =>
    [0, 1].map((side) => ({ pushes: [[10 + side / 2, Object.fromEntries(files.map((name) => [name, 20]))]] }))

  test.each<[what: string, budget: number, last: string[], comments: number]>([
    ['is not in force without a limit', 1, ['x.ts'], 11],
    ['keeps a conflict in one file quiet', 0.15, ['x.ts'], 9],
    ['lets one in two files through', 0.15, ['x.ts', 'y.ts'], 10],
  ])('%s', (_, budget, last, comments) => {
    expect(commentsOf(playOf([...pairs(['a.ts']), ...more(last)], { budget }))).toHaveLength(comments)
  })

  test('is in force from the twentieth pull request until the share has fallen', () => {
    const late: Plan = { pushes: [[60, at(20)]] }
    const played = playOf([...pairs(['a.ts']), late], { budget: 0.15 })
    expect(timeInForce(played, { since: 0, until: 70 * DAY })).toBe((60 - 9.5) * DAY)
    expect(timeInForce(played, { since: 50 * DAY, until: 55 * DAY })).toBe(5 * DAY)
  })
})
