/** `npm run replay -- --sequences` on a small mirror whose pull requests share numbers and parents. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MirrorCommit, mirrorOf } from '../../../test/support/mirror.ts'
import type { TemporaryDirectory } from '../../../test/support/temporary-directory.ts'
import { type JudgedPair, type Measured, verdictOf } from './judged.ts'
import { replaySequences } from './sequences.ts'
import { sequenceTables } from './table.ts'

const sql = (number: string, name: string) => ({
  [`db/migrations/${number}_${name}.sql`]: `create ${name};\n`,
})
const note = (number: string, name: string) => ({ [`records/${number}-${name}.md`]: `# ${name}\n` })
const django = (name: string, ...parents: string[]) => ({
  [`shop/migrations/${name}.py`]: [
    'class Migration(migrations.Migration):',
    '    dependencies = [',
    ...parents.map((parent) => `        ("shop", "${parent}"),`),
    '    ]',
    `    operations = ["${name}"]\n`,
  ].join('\n'),
})

const START: MirrorCommit = {
  name: 'start',
  parents: [],
  author: 'Ada',
  day: 0,
  files: Object.assign(
    {},
    ...['01', '02', '03', '04', '05'].flatMap((number) => [sql(number, 'old'), note(number, 'old')]),
    django('0001_initial'),
    django('0002_users', '0001_initial'),
  ),
}
const pull = (n: number, day: number, files: MirrorCommit['files'], on = 'start'): MirrorCommit => ({
  name: `pull${n}`,
  parents: [on],
  author: `Author${n}`,
  day,
  files: files ?? {},
})
const merged = (n: number, day: number, on: string, files: MirrorCommit['files']): MirrorCommit => ({
  name: `merged${n}`,
  parents: [on],
  author: 'Ada',
  day,
  message: `Work #${n}`,
  files: files ?? {},
})

const COMMITS: MirrorCommit[] = [
  START,
  // Two take 06 of a directory that is named so; after the merge of the first, the second one takes 07.
  pull(1, 80, sql('06', 'carts')),
  pull(2, 81, sql('06', 'orders')),
  merged(1, 82, 'start', sql('06', 'carts')),
  {
    ...pull(2, 83, { ...sql('07', 'orders'), 'db/migrations/06_orders.sql': null }, 'pull2'),
    name: 'renumbered2',
  },
  merged(2, 84, 'merged1', sql('07', 'orders')),
  // Two build on one parent; a third one joins both.
  pull(3, 85, django('0003_carts', '0002_users')),
  pull(4, 86, django('0003_tills', '0002_users')),
  pull(5, 87, { ...django('0003_x', '0002_users'), ...django('0004_merge', '0003_x', '0003_carts') }),
  // A number of a directory whose name says nothing.
  pull(6, 88, note('06', 'first')),
  pull(7, 89, note('06', 'second')),
  // One renames the parent of the other.
  pull(8, 90, {
    'shop/migrations/0002_users.py': null,
    ...django('0002_people', '0001_initial'),
  }),
  merged(9, 100, 'merged2', { 'end.txt': 'end\n' }),
]
const HEADS = [1, 3, 4, 5, 6, 7, 8].map((n) => [`refs/pull/${n}/head`, `pull${n}`])
const TRIED = [3, 4, 5, 6, 7, 8].map((n) => [`refs/pull/${n}/merge`, 'merged9'])
const REFS = {
  'refs/heads/main': 'merged9',
  'refs/pull/2/head': 'renumbered2',
  'refs/pull/9/head': 'merged9',
  ...Object.fromEntries([...HEADS, ...TRIED]),
}

let mirror: TemporaryDirectory
let measured: Measured
beforeAll(async () => {
  mirror = await mirrorOf({ commits: COMMITS, refs: REFS })
  measured = await replaySequences(mirror.path, { days: 30, closed_after_days: 14, report: () => {} })
})
afterAll(() => mirror.remove())

const by = (pairs: readonly JudgedPair[]) => {
  const told = pairs.flatMap((pair) => pair.told ?? [])
  const numbersOf = ({ one, other }: (typeof told)[number]) =>
    [one.pr.n, other.pr.n].toSorted((a, b) => a - b)
  return Object.fromEntries(told.map((each) => [numbersOf(each).join(), verdictOf(each)]))
}

describe('a mirror with shared numbers and parents', () => {
  test('shows the pairs that the rule names, and whether they are right', () => {
    expect(by(measured.pairs)).toEqual({
      '1,2': 'right',
      '3,4': 'right',
      // #5 alone builds on a migration that is not there.
      '4,5': 'unknown',
    })
  })

  test('shows what the rule misses', () => {
    const missed = measured.pairs.flatMap(({ twice }) => twice.filter(({ is_told }) => !is_told))
    expect(missed.map(({ finding }) => finding)).toEqual([
      {
        kind: 'number',
        directory: 'records',
        verdict: 'twice',
        files: ['records/06-second.md', 'records/06-first.md'],
      },
    ])
  })

  test('shows pairs of which one renames the parent of the other', () => {
    expect(measured.pairs.filter(({ is_gone }) => is_gone).length).toBe(2)
  })

  test('is written as a table', () => {
    const text = sequenceTables(measured)
    expect(text).toContain('| right, of those that can be judged | 2 of 2 (100.0 %) |')
    expect(text).toContain('| pairs twice in one tree, of these told | 2 of 3 (66.7 %) |')
  })
})
