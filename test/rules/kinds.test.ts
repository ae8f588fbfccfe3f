/** What two sides have in common, and what that leads to (docs/contract/overlap.md#consequences). */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digestedSide, isSameAuthor } from '../../src/engine/check/sides.ts'
import { type Author, compareSides, severityOf } from '../../src/engine/kinds/kinds.ts'
import { type FileChange, indexFiles, sharedFiles } from '../../src/engine/lines/change.ts'
import { DEFAULT_NOISE } from '../../src/engine/lines/noise.ts'
import { Deadline } from '../../src/vocabulary/clock.ts'
import { byConsequence, consequenceOf } from '../../src/vocabulary/finding.ts'
import type { Consequence, Finding, FindingOf } from '../../src/vocabulary/finding-kinds.ts'
import { activityWeight, bySeverity, notableWeight, Ranking } from '../../src/vocabulary/severity.ts'
import { linesFinding as lines, SAME_NUMBER as NUMBER } from '../support/conclusion.ts'
import { change, editOf, editOfPay } from '../support/lines.ts'
import { atOnce } from '../support/steps.ts'

const PROVED = lines('conflict', { confidence: 'proved' })
const PATHS: Finding = { kind: 'paths', path: 'a.ts', yours: 'src/**', theirs: 'a.ts' }
const AREAS: Finding = { kind: 'areas', areas: ['pay'] }
const DUPLICATE: FindingOf<'duplicate'> = { kind: 'duplicate', share: 1, added_lines: 9 }
const ISSUE: Finding = { kind: 'issue', issue: 7 }
const DONE: Finding = { kind: 'done', url: 'https://github.com/acme/shop/pull/40', share: 1, added_lines: 9 }
const PARENT: Finding = { ...{ kind: 'parent', parent: 'p', directory: '' }, yours: 'a.py', theirs: 'b.py' }
const NOTABLE: Finding = { kind: 'notable', path: null, url: null }

test.each<[string, Finding[], Consequence | null, string]>([
  ['a proved conflict', [PROVED], 'conflict', 'high high high'],
  ['a likely one', [lines('conflict', { confidence: 'likely' })], 'conflict', 'medium high high'],
  ['unknown lines', [lines('unknown')], 'possible', 'low medium high'],
  ['… of declared work', [lines('unknown', { lacks_patch: true })], 'possible', 'medium high high'],
  ['far lines', [lines('far')], 'same_file', 'none none none'],
  ['noise', [lines('noise')], null, 'none none none'],
  ['nothing', [], null, 'none none none'],
  ['declared paths', [PATHS], 'possible', 'medium high high'],
  ['areas', [AREAS], 'possible', 'low medium high'],
  ['a duplicate', [DUPLICATE], 'same_work', 'high high high'],
  ['… and a conflict', [PROVED, DUPLICATE], 'conflict', 'high high high'],
  ['an issue, and far lines', [lines('far'), ISSUE], 'same_work', 'high high high'],
  ['merged work', [DONE], 'same_work', 'high high high'],
  ['a number', [NUMBER], 'same_number', 'high high high'],
  ['a parent', [PARENT], 'same_number', 'high high high'],
  ['a notable', [NOTABLE], null, 'low medium high'],
])('%s: %o leads to %s, and is %s by weight', (_, findings, consequence, severities) => {
  const found = ([0, 1, 2] as const).map((weight) => severityOf(findings, weight) ?? 'none').join(' ')
  expect([consequenceOf(findings), found]).toEqual([consequence, severities])
})

test('findings are in the order of what they lead to, then of their kinds', () => {
  const ordered = [PROVED, DUPLICATE, ISSUE, DONE, NUMBER, PARENT, PATHS, AREAS, lines('far'), NOTABLE]
  expect(ordered.toReversed().sort(byConsequence)).toEqual(ordered)
})

const side = (files: FileChange[], closes: number[] = []) => {
  const author = { login: null, actor: null, assignee: null, is_shared: false }
  const known = files.map((file) => ({ ...file, origin: 'pushed' as const, base_sha: null }))
  const intent = { issues: new Set<number>(), closes: new Set(closes), author }
  return { ...atOnce(digestedSide(intent, known, { noise: DEFAULT_NOISE, numbers })), files: known }
}
type Digested = ReturnType<typeof side>
const numbers = {
  isNumbered: () => undefined,
  isIgnored: (path: string) => path.startsWith('go.'),
  isManifest: (path: string) => path === 'go.mod',
}
const compared = (yours: Digested, theirs: Digested) => {
  const shared = sharedFiles(indexFiles(yours.files), theirs.files)
  const options = { shared, noise: DEFAULT_NOISE, numbers, deadline: new Deadline() }
  return atOnce(compareSides(yours, theirs, options))
}

/** Replaces three lines of the file by one. */
const edit = (path: string, at: number, added: string) =>
  change({ path, patch: editOfPay(at, [added]).patch })
const ONE = edit('a.ts', 20, 'const retries = 3')
const FAR = edit('a.ts', 90, 'x')
const TWO = change({
  path: 'a.ts',
  patch: [20, 90].map((at) => editOfPay(at, ['const retries = 3']).patch).join('\n'),
})
/** One line of a base that differs in another one. */
const likely = (text: string) =>
  change({ path: 'a.ts', patch: editOf(['first line', 'other line', text, '', 'end'], 4, 1, [text]) })
const [B, C, SUM] = [edit('b.ts', 20, 'b'), edit('c.ts', 20, 'c'), edit('go.sum', 20, 'd')]
const AT: Partial<FindingOf<'lines'>> = { your_lines: [20, 22], their_lines: [20, 22] }
const IN_B = lines('conflict', { path: 'b.ts', confidence: 'proved', ...AT })
const MOD = change({ path: 'go.mod', patch: editOfPay(20, ['go 1.26']).patch, manifest: 'a' })
const BLOB = change({ path: 'x.dat', changed_lines: 0 })
const GONE = change({ status: 'removed' })
/** Adds these lines. */
const add = (path: string, added: string[]) =>
  change({ path, patch: [`@@ -0,0 +1,${added.length} @@`, ...added].join('\n+') })
const calls = (from: number, to: number, indent = '') =>
  Array.from({ length: to - from }, (_, at) => `${indent}call function number ${from + at}`)
const NEW = { own: 'a', parents: [], is_merge: false }
const django = (path: string, ...at: [number, number]) => ({ ...add(path, calls(...at)), migration: NEW })
const [SIX, HALF] = [add('a.ts', calls(0, 6)), add('b.ts', calls(3, 20))]
const short = Array.from({ length: 9 }, (_, at) => `${at}`)
const repeated = Array(9).fill('call function')

describe('two sides, either way round,', () => {
  test.each<[string, FileChange[], FileChange[], Consequence | null]>([
    ['do the same work if they change one line in the same way', [ONE], [ONE], 'same_work'],
    ['… also if one side does more', [ONE], [ONE, B], 'same_work'],
    ['… in the same file', [ONE], [TWO], 'same_work'],
    ['… or changes noise', [ONE, SUM], [ONE], 'same_work'],
    ['… or each changes other noise', [ONE, BLOB], [ONE, { ...BLOB, path: 'y.dat' }], 'same_work'],
    ['… or if they remove one file', [GONE], [GONE], 'same_work'],
    ['do not if both do more', [ONE, B], [ONE, C], 'same_file'],
    ['… or conflict elsewhere', [ONE, B], [ONE, edit('b.ts', 20, 'c')], 'conflict'],
    ['change the same file in different lines', [ONE], [FAR], 'same_file'],
    ['have only noise in common', [B, SUM], [C, SUM], null],
    ['do the same work if they add half of six lines', [SIX], [HALF], 'same_work'],
    ['… with another indentation', [add('a.ts', calls(0, 5))], [add('b.ts', calls(0, 5, '\t'))], 'same_work'],
    ['… in a manifest', [add('go.mod', calls(0, 6))], [add('go.mod', calls(0, 6))], 'same_work'],
    ['… by one line of it', [MOD], [MOD], 'same_work'],
    ['… and of another file', [MOD, ONE], [MOD, ONE, B], 'same_work'],
    ['… by eight of ten lines of migrations', [django('a', 0, 10)], [django('b', 2, 20)], 'same_work'],
    ['… by half of the others', [SIX, django('c.ts', 20, 40)], [HALF], 'same_work'],
    ['do not by nine lines of migrations', [django('a', 0, 9)], [django('b', 0, 20)], null],
    ['… by fewer than 80 %', [django('a', 0, 20)], [django('b', 5, 30)], null],
    ['do not if the manifest differs', [MOD, ONE], [{ ...MOD, manifest: 'b' }, ONE], 'same_file'],
    ['… by fewer than half', [SIX], [add('b.ts', calls(4, 20))], null],
    ['… by four lines in another file', [add('a.ts', calls(0, 4))], [add('b.ts', calls(0, 4))], null],
    ['… by lines that repeat', [add('a.ts', repeated)], [add('b.ts', repeated)], null],
    ['… by lines that are not telling', [add('a.ts', short)], [add('b.ts', short)], null],
    ['… by noise', [add('go.sum', calls(0, 6))], [add('go.sum', calls(0, 6))], null],
  ])('%s', (_, yours, theirs, consequence) => {
    const [mine, its] = [side(yours), side(theirs)]
    const both = [compared(mine, its), compared(its, mine)].map(({ findings }) => consequenceOf(findings))
    expect(both).toEqual([consequence, consequence])
  })

  test.each<[string, FileChange[], FileChange[], Finding[]]>([
    ['half of six lines', [SIX], [HALF], [{ ...DUPLICATE, share: 0.5, added_lines: 6 }]],
    ['one line', [ONE], [ONE, B], [{ ...DUPLICATE, added_lines: 1 }, lines('agrees', AT)]],
    ['two files, of which the stronger verdict counts', [ONE, B], [FAR, edit('b.ts', 20, 'y')], [IN_B]],
    ['… and of two conflicts the proved one', [likely('x'), B], [likely('y'), edit('b.ts', 20, 'y')], [IN_B]],
  ])('have in common %s', (_, yours, theirs, findings) => {
    expect(compared(side(yours), side(theirs)).findings).toEqual(findings)
  })

  test.each<[string, number[], number[], Finding[]]>([
    ['the issue that both close, after a conflict', [12, 7], [7], [IN_B, ISSUE]],
    ['no issue if they close different ones', [1], [2], [IN_B]],
  ])('have in common %s', (_, mine, its, findings) => {
    expect(compared(side([B], mine), side([edit('b.ts', 20, 'y')], its)).findings).toEqual(findings)
  })

  test('know which files and manifests of the own side the other changes alike', () => {
    expect(compared(side([ONE, MOD, B, SUM]), side([ONE, MOD, C, SUM])).agreed.size).toBe(2)
    expect(compared(side([B]), side([C])).agreed.size).toBe(0)
  })
})

const AGENT = { login: 'copilot', actor: null, assignee: null, is_shared: true }
test.each<[string, Partial<Author>, Partial<Author>, boolean]>([
  ['one login', { login: 'Ada', is_shared: false }, { login: 'ada', is_shared: false }, true],
  ['two logins', { is_shared: false }, { login: 'ada' }, false],
  ['no known login', { login: null, is_shared: false }, { is_shared: false }, false],
  ['a coding agent', {}, {}, false],
  ['… declared by one actor', { actor: 'ada' }, { actor: 'ada' }, true],
  ['… declared by two', { actor: 'ada', assignee: 'x' }, { actor: 'ben', assignee: 'x' }, false],
  ['… for one assignee', { actor: 'ada', assignee: 'x' }, { assignee: 'x' }, true],
  ['… for two assignees', { assignee: 'x' }, { assignee: 'y' }, false],
])('sides of %s have the same author or not', (_, one, other, expected) => {
  const [a, b] = [one, other].map((each) => ({ ...AGENT, ...each })) as [Author, Author]
  expect([isSameAuthor(a, b), isSameAuthor(b, a)]).toEqual([expected, expected])
})

test.each([
  ['low', 0, 0],
  ['medium', 0, 1],
  ['high', 1, 2],
  ['critical', 1, 2],
] as const)('%s risk weighs %i, such importance %i, and what is blocking 2', (level, risk, importance) => {
  const weights = (blocking: boolean) => [
    activityWeight({ risk: level, blocking }),
    notableWeight({ importance: level, blocking }),
  ]
  expect([weights(false), weights(true)]).toEqual([
    [risk, importance],
    [2, 2],
  ])
})

const order = ['high', 'medium', 'low'] as const
const item = fc.record({ id: fc.uuid(), severity: fc.constantFrom(...order) })
const items = fc.uniqueArray(item, { selector: ({ id }) => id, maxLength: 60 })

test('of several, the most severe, then newest are kept, for any number and order', () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 10 }), (all, max) => {
      const ranking = new Ranking<(typeof all)[number]>(max, bySeverity)
      for (const each of all) ranking.add(each)
      const sorted = order.flatMap((severity) => {
        const alike = all.filter((each) => each.severity === severity).map(({ id }) => id)
        return alike.sort().reverse()
      })
      expect(ranking.top().map(({ id }) => id)).toEqual(sorted.slice(0, max))
      expect(ranking.total).toBe(all.length)
    }),
  )
})
