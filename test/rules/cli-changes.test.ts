/** The pure parts of changed files: the output of git, the limits of a request, and the scope that is sent. */
import { describe, expect, test } from 'vitest'
import { type Change, parseDiff, quoted } from '../../src/git/diff-output.ts'
import { fitChanges } from '../../src/git/request-size.ts'
import { withChanges } from '../../src/git/working-tree-files.ts'

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)]

/** The raw list, followed by sections of patches. */
const output = (entries: string[][], ...sections: string[]) =>
  `${entries.map((fields) => `:${fields.join('\0')}\0`).join('')}\0${sections.join('\n')}`
const HUNK = '@@ -1 +1 @@\n-a\n+b'
const section = (names: string, head: string, hunk = HUNK) => `diff --git ${names}\n${head}\n${hunk}`

describe('the output of git diff', () => {
  test.each<[string, string, Change[]]>([
    ['nothing', '', []],
    [
      'a submodule, without a patch',
      output([[`160000 160000 ${A} ${B} M`, 'sub']], section('a/sub b/sub', `index ${A}..${B} 160000`)),
      [{ path: 'sub', status: 'modified', blob_sha: B }],
    ],
    ['a list that breaks off', `:100644 100644 ${A} ${B} M\0`, []],
  ])('has %s', (_, text, changes) => {
    expect(parseDiff(text)).toEqual(changes)
  })

  test.each([
    ['plain name', 'plain name'],
    ['ümläut', 'ümläut'],
    ['tab\t', '"tab\\t"'],
    ['\u0001\u007f', '"\\001\\177"'],
  ])('has the name %j as %s', (name, expected) => {
    expect(quoted(name)).toBe(expected)
  })
})

describe('the limits of a request', () => {
  const change = (path: string, bytes = 0): Change => ({
    path,
    status: 'modified',
    ...(bytes > 0 && { patch: 'x'.repeat(bytes) }),
  })
  const patched = ({ changes }: { changes: Change[] }) =>
    changes.filter((each) => each.patch).map((each) => each.path)

  test('leave out the largest patches first, and keep the files', () => {
    const fitted = fitChanges([change('a', 300_000), change('b', 100), change('c', 250_000), change('d')])
    expect(fitted.changes.map(({ path }) => path)).toEqual(['a', 'b', 'c', 'd'])
    expect(patched(fitted)).toEqual(['b', 'c'])
    expect(fitted.paths).toEqual([])
  })

  test('count the bytes of a patch, and of its JSON', () => {
    expect(patched(fitChanges([change('a', 524_288)]))).toEqual(['a'])
    expect(patched(fitChanges([change('a', 524_289)]))).toEqual([])
    const wide = { ...change('a'), patch: 'ü'.repeat(300_000) }
    const escaped = { ...change('a'), patch: '\u0001'.repeat(200_000) }
    expect(patched(fitChanges([wide]))).toEqual([])
    expect(patched(fitChanges([escaped]))).toEqual([])
  })

  test('turn files beyond 3,000 into directories', () => {
    const names = Array.from({ length: 5000 }, (_, index) => `src/m${index % 50}/f${index}.ts`)
    const { changes, paths } = fitChanges(names.map((path) => change(path)))
    expect(changes).toHaveLength(3000)
    expect(paths.toSorted()).toEqual(
      [...new Set(names.map((name) => name.slice(0, name.lastIndexOf('/'))))].sort(),
    )
  })

  test('hold for long names: one request has at most 1 MiB', () => {
    const names = Array.from({ length: 3000 }, (_, index) => `${`${index}`.padStart(1000, 'd')}.ts`)
    const fitted = fitChanges([change('b'.repeat(1025)), ...names.map((path) => change(path, 1000))])
    expect(JSON.stringify(fitted.changes).length).toBeLessThan(800_000)
    expect(fitted.changes.map(({ path }) => path)).toEqual(names.slice(0, fitted.changes.length))
    expect(fitted.paths.length).toBeGreaterThan(0)
  })
})

describe('the scope that is sent', () => {
  const changed = {
    base_sha: A,
    changes: [{ path: 'app/*.ts', status: 'modified' as const }],
    paths: ['rest'],
  }

  test('has no path for a file that git names', () => {
    expect(withChanges({ areas: ['core'], paths: ['app/\\*.ts', 'lib/**'] }, changed)).toEqual({
      scope: { areas: ['core'], paths: ['lib/**', 'rest'], changes: changed.changes },
      base_sha: A,
    })
    const none = { ...changed, changes: [], paths: [] }
    expect(withChanges({ areas: [], paths: ['lib/**'] }, none)).toEqual({
      scope: { areas: [], paths: ['lib/**'] },
    })
  })
})
