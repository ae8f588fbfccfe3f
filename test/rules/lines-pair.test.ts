/** Verdicts about pairs, the files that they share, and the issues that texts close. */
import { describe, expect, test } from 'vitest'
import {
  changeOf,
  type DigestedFile,
  type FileChange,
  type FileEntry,
  indexFiles,
  keepStored,
  sharedFiles,
} from '../../src/engine/lines/change.ts'
import { closingIssues } from '../../src/engine/lines/markdown-prose.ts'
import { DEFAULT_NOISE } from '../../src/engine/lines/noise.ts'
import { type FilePair, headLinesOf, pairVerdict } from '../../src/engine/lines/pair-verdict.ts'
import { Deadline } from '../../src/vocabulary/clock.ts'
import type { LineRange } from '../../src/vocabulary/verdict.ts'
import { change, digest, editOf, hash } from '../support/lines.ts'
import { atOnce } from '../support/steps.ts'

const FILE = Array.from({ length: 60 }, (_, at) => `const value${at + 1} = read(${at + 1})`)
const fileOf = (given: Parameters<typeof change>[0]): DigestedFile => ({
  ...change(given),
  origin: 'pushed',
  base_sha: 'base',
})
const edit = (path: string, at: number, text: string) => fileOf({ path, patch: editOf(FILE, at, 1, [text]) })

const FILES: Record<string, [mine: number, its: number]> = {
  conflict: [20, 20],
  touching: [20, 22],
  near: [20, 30],
  far: [10, 50],
}

function pairOf(path: string, verdict: string): FilePair {
  if (verdict === 'noise') return pairOf('go.sum', 'conflict')
  if (verdict === 'unknown') return { path, yours: fileOf({ path }), theirs: fileOf({ path }) }
  if (verdict === 'agrees') return { path, yours: edit(path, 20, 'a'), theirs: edit(path, 20, 'a') }
  const [mine, its] = FILES[verdict] as [number, number]
  return { path, yours: edit(path, mine, 'a'), theirs: edit(path, its, 'b') }
}

const verdictOf = (pairs: FilePair[]) =>
  atOnce(pairVerdict(pairs, { noise: DEFAULT_NOISE, deadline: new Deadline() }))

describe('a pair', () => {
  test('lists its files by path', () => {
    const { files } = verdictOf([pairOf('src/b.ts', 'near'), pairOf('src/a.ts', 'far'), pairOf('', 'noise')])
    expect(files.map(({ path, verdict }) => [path, verdict])).toEqual([
      ['go.sum', 'noise'],
      ['src/a.ts', 'far'],
      ['src/b.ts', 'near'],
    ])
  })

  const same = edit('a', 20, 'a')
  const patch = `${editOf(FILE, 5, 0, ['x'])}\n${editOf(FILE, 20, 1, ['a'])}`
  const more = fileOf({ path: 'a', patch })
  const moved: DigestedFile = { ...same, path: 'b', previous_path: 'a', status: 'renamed' }

  test.each<[string, DigestedFile, DigestedFile, string[]]>([
    ['of both, if they are equal', same, same, ['yours', 'theirs']],
    ['of yours, if theirs makes more', same, more, ['yours']],
    ['of theirs, if yours makes more', more, same, ['theirs']],
    ['of theirs, if yours renames the file too', moved, same, ['theirs']],
    ['of yours, if theirs renames the file too', same, moved, ['yours']],
    ['of both, if they are noise', edit('go.sum', 20, 'a'), edit('go.sum', 20, 'b'), ['yours', 'theirs']],
    ['of neither, if they conflict', same, edit('a', 20, 'b'), []],
    ['of neither, if they do not meet', same, edit('a', 50, 'a'), []],
  ])('finds the whole change %s', (_, yours, theirs, expected) => {
    const { whole } = verdictOf([{ path: 'a', yours, theirs }])
    expect(Object.entries(whole).flatMap(([side, { size }]) => (size > 0 ? [side] : []))).toEqual(expected)
  })

  test.each<[string, DigestedFile, DigestedFile, LineRange | null]>([
    ['names the lines after the change', more, edit('a', 20, 'b'), [21, 21]],
    ['names no lines of a declared file', { ...more, origin: 'declared' }, edit('a', 20, 'b'), null],
    ['names no lines if those of the other side are unknown', more, fileOf({ path: 'a' }), null],
    ['names no lines of noise', { ...more, path: 'go.sum' }, edit('go.sum', 20, 'b'), null],
  ])('%s', (_, yours, theirs, lines) => {
    const [found] = verdictOf([{ path: 'a', yours, theirs }]).files
    expect(found?.your_head).toEqual({ path: yours.path, lines })
  })

  test('compares no further file after the deadline', () => {
    const options = { noise: DEFAULT_NOISE, deadline: new Deadline(0) }
    expect(atOnce(pairVerdict([pairOf('a', 'conflict')], options)).strongest).toBeNull()
  })

  const many = (count: number, verdict: string) =>
    Array.from({ length: count }, (_, at) => pairOf(`src/${String(at).padStart(3, '0')}.ts`, verdict))

  test('of more than 300 files that are not noise is marked as cut', () => {
    const whole = verdictOf([...many(300, 'far'), pairOf('', 'noise')])
    expect(whole.cut).toBe(false)
    expect(whole.strongest?.verdict).toBe('far')
    expect(whole.files.length).toBe(301)
    const cut = verdictOf([pairOf('zz.ts', 'conflict'), ...many(300, 'far')])
    expect(cut.cut).toBe(true)
    expect(cut.strongest?.verdict).toBe('unknown')
    expect(cut.files.length).toBe(300)
    expect(verdictOf([pairOf('a.ts', 'conflict'), ...many(300, 'far')]).strongest?.verdict).toBe('conflict')
  })

  test('that is unknown because declared work sent no patch is marked as an intention', () => {
    const [yours, theirs] = [fileOf({ path: 'a' }), edit('a', 20, 'b')]
    const declared = (file: DigestedFile): DigestedFile => ({ ...file, origin: 'declared' })
    const mine: FilePair = { path: 'a', yours: declared(yours), theirs }
    expect(verdictOf([{ path: 'a', yours, theirs }]).lacks_patch).toBe(false)
    expect(verdictOf([mine]).lacks_patch).toBe(true)
    expect(verdictOf([{ path: 'a', yours, theirs: declared(theirs) }]).lacks_patch).toBe(false)
    expect(verdictOf([mine, pairOf('b', 'conflict')]).lacks_patch).toBe(false)
    const removed = fileOf({ path: 'b', status: 'removed' })
    const both = { path: 'b', yours: declared(removed), theirs: removed }
    expect(verdictOf([{ path: 'a', yours, theirs }, both]).lacks_patch).toBe(false)
  })
})

describe('files are shared', () => {
  const renamed = change({ path: 'new', previous_path: 'old', status: 'renamed' })
  test.each([
    ['under one path', change({ path: 'a' }), change({ path: 'a' }), ['a']],
    ['under the old name of a renamed one', renamed, change({ path: 'old' }), ['old']],
    ['under the old name of a renamed one, the other way', change({ path: 'old' }), renamed, ['old']],
    ['under both names, once', renamed, renamed, ['new']],
    ['not under another name', change({ path: 'a' }), change({ path: 'b' }), []],
  ])('%s', (_, yours, theirs, paths) => {
    expect(sharedFiles(indexFiles([yours]), [theirs]).map(({ path }) => path)).toEqual(paths)
  })

  test('once for each file that has the name', () => {
    const again = change({ path: 'old', status: 'added' })
    expect(
      sharedFiles(indexFiles([change({ path: 'old' })]), [renamed, again]).map(({ theirs }) => theirs),
    ).toEqual([renamed, again])
  })
})

describe('an entry of GitHub’s list', () => {
  const patch = '@@ -1,2 +1 @@\n-a\n-c\n+b'
  const filename = 'shop/migrations/0042_carts.py'
  const builds = '@@ -0,0 +1 @@\n+dependencies = [("shop", "0041_a")]'
  const migration = { own: '0042_carts', parents: ['0041_a'], is_merge: false }
  const nothing = {
    previous_path: null,
    status: 'modified',
    blob_sha: null,
    changed_lines: null,
    digest: null,
  }
  const read = { digest: expect.anything() }
  test.each<[string, Partial<FileEntry>, object]>([
    ['copied', { status: 'copied', previous_filename: 'b' }, { status: 'added' }],
    ['changed', { status: 'changed', previous_filename: 'b' }, {}],
    ['renamed', { status: 'renamed', previous_filename: 'b' }, { status: 'renamed', previous_path: 'b' }],
    ['renamed from nowhere', { status: 'renamed' }, { status: 'renamed' }],
    ['of a known blob', { sha: 'e1', additions: 1 }, { blob_sha: 'e1' }],
    ['cut off', { additions: 9, deletions: 1, patch: '@@ -1,9 +1,9 @@\n-a' }, { changed_lines: 10 }],
    ['read', { patch, deletions: 2 }, read],
    ['of a manifest', { filename: 'a/go.mod', patch }, { ...read, manifest: 'YNzTwgNHaEBmQ3vm' }],
    ['of a manifest without new lines', { filename: 'go.mod', patch: '@@ -1 +0,0 @@\n-a' }, read],
    ['of a manifest without a patch', { filename: 'go.mod' }, {}],
    ['a migration', { filename, status: 'added', patch: builds }, { status: 'added', ...read, migration }],
    ['a changed migration', { filename, patch: builds }, read],
    ['a migration without a patch', { filename, status: 'added' }, { status: 'added' }],
  ])('that is %s', (_, entry, expected) => {
    const { filename: path = 'a' } = entry
    expect(changeOf({ filename: path, ...entry }, hash)).toEqual({ ...nothing, path, ...expected })
  })

  test('that is unchanged is left out', () => {
    expect(changeOf({ filename: 'a', status: 'unchanged' }, hash)).toBeNull()
  })
})

test('a file without a patch keeps what is stored of the lines of the same blob', () => {
  const migration = { own: 'b', parents: ['a'], is_merge: false }
  const before = change({ path: 'a', blob_sha: 'e1', manifest: 'M', migration, patch: '@@ -1 +1 @@\n-a\n+b' })
  const now = (given: Partial<FileChange>) => change({ path: 'a', blob_sha: 'e1', ...given })
  expect(keepStored([now({})], [before])).toEqual([before])
  for (const other of [now({ digest: before.digest }), now({ blob_sha: 'e2' }), now({ path: 'b' })])
    expect(keepStored([other], [before])).toEqual([other])
  expect(keepStored([change()], [change({ manifest: 'M' })])).toEqual([change()])
})

describe('the issues that are closed', () => {
  const WEB_URLS = ['https://github.com/acme/shop']

  test.each<[string, number[]]>([
    ['Fixes #12', [12]],
    ['close #1, closes #2, closed #3, fix #4, fixes #5, fixed #6', [1, 2, 3, 4, 5, 6]],
    ['resolve #7, resolves #8, resolved #9', [7, 8, 9]],
    ['CLOSES: #10', [10]],
    ['Resolves #10, #11', [10]],
    ['fixes GH-26', [26]],
    ['Fixes acme/Shop#12 and closes acme/other#3', [12]],
    ['closes https://github.com/acme/shop/issues/5', [5]],
    ['closes https://github.com/acme/other/issues/5', []],
    ['closes https://gitlab.com/acme/shop/issues/5', []],
    ['fixes #0, fixes #2147483647, fixes #2147483648', [2147483647]],
    ['see #12; prefixes #13; fixes the #14', []],
    ['<!-- Fixes #1 -->Closes #2', [2]],
    ['<!-- Fixes #1', []],
    ['<!-- a template\n\nFixes #1\n-->\nFixes #2', [2]],
    ['`<!--` Fixes #2', [2]],
    ['``a ` fixes #1`` fixes #2 ` fixes #3', [2, 3]],
    ['````\n```\nfixes #1\n````\nfixes #2', [2]],
    ['~~~\n```\nfixes #1', []],
    ['Steps:\n\n    fixes #1\n\nfixes #2', [2]],
    ['- a list\n\n    fixes #2', [2]],
    ['- a list\n\n  more\n\n    fixes #2', [2]],
    ['- a list\nmore\n\n    fixes #2', [2]],
    ['- a list\n\nno more\n\n    fixes #2', []],
    ['```\n``` x\nfixes #1', []],
    ['`fixes #1` and\n```\nfixes #2\n```\nfixes #3', [3]],
    ['fixes #', []],
  ])('%j', (text, issues) => {
    expect([...closingIssues([text], WEB_URLS)]).toEqual(issues)
  })

  test('are those of all texts, each once', () => {
    expect([...closingIssues(['Fix the retry', 'Fixes #1', 'fixes #1\n\ncloses #2'], WEB_URLS)]).toEqual([
      1, 2,
    ])
  })
})

describe('the head lines of a patch with an inserted, a changed, a removed and a replaced place', () => {
  const patch = [
    '@@ -1,4 +1,6 @@\n one\n+x\n+y\n two\n three\n four',
    '@@ -10,5 +12,5 @@\n ten\n-eleven\n+ELEVEN\n twelve\n thirteen\n fourteen',
    '@@ -20,5 +22,3 @@\n twenty\n-a\n-b\n c\n d',
    '@@ -30,4 +30,5 @@\n thirty\n-e\n-f\n+E\n+F\n+G\n h',
  ].join('\n')

  test.each<[string, LineRange, LineRange | null]>([
    ['the insertion', [2, 2], [2, 3]],
    ['the changed line, after two inserted ones', [11, 11], [13, 13]],
    ['the line before the removed ones', [21, 22], [22, 22]],
    ['the replaced lines, of which there are more', [31, 32], [31, 33]],
    ['all that is within the range', [2, 22], [2, 22]],
    ['nothing, where nothing is changed', [15, 18], null],
  ])('are %s', (_, range, expected) => {
    expect(headLinesOf(digest(patch), range)).toEqual(expected)
  })
})

test.each<[string, string, LineRange, LineRange]>([
  ['an emptied file are its first line', '@@ -1,2 +0,0 @@\n-a\n-b', [1, 2], [1, 1]],
  ['a new file are its lines', '@@ -0,0 +1,3 @@\n+a\n+b\n+c', [1, 1], [1, 3]],
])('the head lines of %s', (_, patch, range, expected) => {
  expect(headLinesOf(digest(patch), range)).toEqual(expected)
})
