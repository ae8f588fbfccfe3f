/** `npm run replay -- --git DIR` on a small mirror whose pull requests have known outcomes. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MirrorCommit, mirrorOf } from '../../test/support/mirror.ts'
import type { TemporaryDirectory } from '../../test/support/temporary-directory.ts'
import { replayHistory } from './history.ts'
import type { Replayed } from './tables.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const lines = (name: string) =>
  Array.from({ length: 60 }, (_, at) => `const ${name}${at + 1} = read(${at + 1})`)
/** A file of 60 lines, some of them replaced: by line number, from 1. */
const text = (name: string, edits: Record<number, string> = {}) =>
  `${lines(name)
    .map((line, at) => edits[at + 1] ?? line)
    .join('\n')}\n`
const ADDED = Array.from({ length: 6 }, (_, at) => `  call(function_number_${'abcdef'[at]})`).join('\n')

const [author, START_FILES] = ['Ada', ['a', 'b', 'c', 'd'].map((name) => [`${name}.ts`, text(name)])]
const START: MirrorCommit = {
  ...{ name: 'start', parents: [], author, day: 0 },
  files: { ...Object.fromEntries(START_FILES), 'go.sum': text('sum') },
}
interface Files {
  day: number
  on?: string
  files: Record<string, string>
}
const work = (n: number, by: string, { day, on = 'start', files }: Files) => {
  return { name: `pull${n}`, parents: [on], author: by, day, files }
}
const merge = (n: number, day: number, { on = 'start', files }: Omit<Files, 'day'>) => {
  const message = `Merge pull request #${n} from someone/branch`
  return { name: `merged${n}`, parents: [on, `pull${n}`], author, day, message, files }
}

// a.ts on main: line 56 is changed by #4 on day 80, line 20 by #2 on day 90.
const AFTER_4 = { 56: 'four()' }
const AFTER_2 = { ...AFTER_4, 20: 'two()' }
const COMMITS: MirrorCommit[] = [
  START,
  work(1, 'Ann', { day: 40, files: { 'c.ts': text('c', { 10: 'one()' }) } }),
  work(2, 'Ben', { day: 72, files: { 'a.ts': text('a', { 20: 'two()' }) } }),
  work(3, 'Cy', { day: 73, files: { 'a.ts': text('a', { 20: 'three()' }) } }),
  work(4, 'Dee', { day: 74, files: { 'a.ts': text('a', AFTER_4) } }),
  work(5, 'Eve', { day: 75, files: { 'b.ts': text('b', { 10: `${lines('b')[9]}\n${ADDED}` }) } }),
  work(6, 'Fay', { day: 76, files: { 'b.ts': text('b', { 40: `${lines('b')[39]}\n${ADDED}` }) } }),
  work(7, 'Gil', { day: 77, on: 'pull3', files: { 'a.ts': text('a', { 20: 'three()', 24: 'seven()' }) } }),
  work(8, 'Hal', { day: 78, files: { 'c.ts': text('c', { 10: 'eight()' }) } }),
  { name: 'release', parents: ['start'], author: 'Ada', day: 70, files: { 'version.ts': '1\n' } },
  work(9, 'Ida', { day: 79, on: 'release', files: { 'a.ts': text('a', { 20: 'nine()' }) } }),
  work(10, 'Jon', { day: 79.5, on: 'release', files: { 'a.ts': text('a', { 20: 'ten()' }) } }),
  {
    ...work(4, 'Dee', { day: 80, files: { 'a.ts': text('a', AFTER_4) } }),
    name: 'merged4',
    message: 'Four (#4)',
  },
  work(11, 'dependabot[bot]', { day: 81, files: { 'a.ts': text('a', { 20: 'eleven()' }) } }),
  work(13, 'Lou', {
    day: 82,
    files: { 'd.ts': text('d', { 5: 'thirteen()' }), 'go.sum': text('sum', { 5: 'x' }) },
  }),
  work(14, 'Mia', { day: 83, files: { 'go.sum': text('sum', { 5: 'y' }) } }),
  work(15, 'Ned', { day: 84, files: { 'd.ts': text('d', { 5: 'fifteen()' }) } }),
  merge(13, 85, {
    on: 'merged4',
    files: { 'd.ts': text('d', { 5: 'thirteen()' }), 'go.sum': text('sum', { 5: 'x' }) },
  }),
  work(16, 'Pia', { day: 86, on: 'merged13', files: { 'd.ts': text('d', { 5: 'sixteen()' }) } }),
  merge(2, 90, { on: 'merged13', files: { 'a.ts': text('a', AFTER_2) } }),
  // Rebased over the merge of #2, which was open at the same time. #13 was merged on day 85.
  work(12, 'Kay', { day: 91, on: 'merged2', files: { 'a.ts': text('a', { ...AFTER_2, 20: 'twelve()' }) } }),
  merge(10, 95, { on: 'release', files: { 'a.ts': text('a', { 20: 'ten()' }) } }),
  work(17, 'Quy', { day: 99, on: 'merged2', files: { 'e.ts': text('e') } }),
  merge(17, 100, { on: 'merged2', files: { 'e.ts': text('e') } }),
]
const OPEN = [1, 3, 6, 7, 8, 9, 11, 12, 14, 15, 16]
const REFS = {
  'refs/heads/main': 'merged17',
  'refs/heads/release/1.0': 'merged10',
  'refs/heads/fix-of-cy': 'pull3',
  // A pull request that was reset to the default branch.
  'refs/pull/18/head': 'merged13',
  ...Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`refs/pull/${at + 1}/head`, `pull${at + 1}`])),
}

let mirror: TemporaryDirectory
let replayed: Replayed
beforeAll(async () => {
  const tried = Object.fromEntries(OPEN.map((n) => [`refs/pull/${n}/merge`, 'merged17']))
  mirror = await mirrorOf({ commits: COMMITS, refs: { ...REFS, ...tried } })
  replayed = await replayHistory(mirror.path, { days: 30, closed_after_days: 14, report: () => {} })
})
afterAll(() => mirror.remove())

const pairOf = (a: number, b: number) =>
  replayed.overlaps.find(({ earlier, later }) => earlier.n === a && later.n === b)
describe('of a mirror with known outcomes', () => {
  test.each<[what: string, a: number, b: number, verdict: string, truth: string]>([
    ['two that change one line', 2, 3, 'conflict', 'conflict'],
    ['two that are far apart', 2, 4, 'far', 'clean'],
    ['two that add the same at two places', 5, 6, 'near', 'clean'],
    ['a stack and one that conflicts with its lower part', 2, 7, 'conflict', 'conflict'],
    ['an abandoned one and a new one', 1, 8, 'conflict', 'conflict'],
    ['two aimed at a release branch', 9, 10, 'conflict', 'conflict'],
    ['two of which the first was merged', 13, 15, 'conflict', 'conflict'],
    ['two of which one conflicts with the base of the other', 15, 16, 'conflict', 'unknown'],
  ])('%s get a verdict by their lines and one by git', (_, a, b, verdict, truth) => {
    const pair = pairOf(a, b)
    expect(pair?.is_of_people).toBe(true)
    expect({ verdict: pair?.compared.lines?.verdict, truth: pair?.truth }).toEqual({ verdict, truth })
  })

  test.each<[what: string, a: number, b: number]>([
    ['a stack', 3, 7],
    ['a bot', 3, 11],
    ['noise', 13, 14],
  ])('%s is not a pair by people', (_, a, b) => {
    expect(pairOf(a, b)).toMatchObject({ is_of_people: false, truth: null })
  })

  test.each<[what: string, a: number, b: number]>([
    ['two branches', 2, 9],
    ['one merged before the other was opened', 4, 11],
    ['one closed long before the other was opened', 5, 12],
  ])('%s are not compared', (_, a, b) => expect(pairOf(a, b)).toBeUndefined())

  test('one that was rebased over the merge of the other is not compared by its last head', () => {
    expect(pairOf(2, 12)).toMatchObject({ rebased_over: { n: 2 }, truth: null })
  })
})

test('the replay prints the tables, and does not modify the mirror', async () => {
  const before = await promisify(execFile)('find', [mirror.path, '-type', 'f'])
  const { stdout, stderr } = await replay(['--git', mirror.path, '--days', '30'])
  const after = await promisify(execFile)('find', [mirror.path, '-type', 'f'])
  expect(after.stdout).toBe(before.stdout)
  expect(stderr).toContain('2 branches with merges')
  expect(stdout).toContain('15 pull requests by people')
  expect(stdout).toContain('| same file | 55.6 / 100.0 | 5, 4, 0 |')
  expect(stdout).toContain("In 1, one side was rebased over the other's merge.")
})

test('an error says what is wrong with a mirror', async () => {
  const { stderr, code } = await replay(['--git', ROOT])
  expect(stderr).toContain('not a readable bare git repository')
  expect(code).toBe(1)
})

async function replay(args: string[]) {
  // The script of `npm run replay`, which another test runs by that name.
  const command = ['--import', 'tsx', 'scripts/replay.ts', ...args]
  return promisify(execFile)(process.execPath, command, { cwd: ROOT }).then(
    (output) => ({ ...output, code: 0 }),
    (error) => error as { stdout: string; stderr: string; code: number },
  )
}
