/** What is read of git: where it is looked for, its configuration, changed files, the limits of a request, and the scope that is sent. */
import { describe, expect, test } from 'vitest'
import { type Change, parseDiff, quoted } from '../../src/git/diff-output.ts'
import { readConfiguration } from '../../src/git/git.ts'
import { programFiles } from '../../src/git/program-output.ts'
import { fitChanges, scopePaths } from '../../src/git/request-size.ts'
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

  test.each([
    [4, ['a/b/c/1', 'a/b/c/2', 'a/b/d/3', 'e']],
    [3, ['a/b/c', 'a/b/d', 'e']],
    [2, ['a/b', 'e']],
    [1, ['a']],
  ])('to %d paths turn files into directories as deep as fit', (max, paths) => {
    expect(scopePaths(['a/b/c/1', 'a/b/c/2', 'a/b/d/3', 'e'], max)).toEqual(paths)
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

type Entry = [key: string, value: string]

const read = (entries: Entry[], branch?: string) =>
  readConfiguration(entries.map(([key, value]) => `${key}\n${value}\0`).join(''), branch)

const URL = 'git@github.com:acme/shop.git'
const FORK = 'git@github.com:ada/shop.git'
const ORIGIN = { name: 'origin', url: URL }

describe('the remote', () => {
  test.each<[string, string, object | undefined]>([
    ['none', '', undefined],
    ['the only one', 'remote.hub.url=URL', { name: 'hub', url: URL }],
    ['origin of several', 'remote.fork.url=FORK remote.origin.url=URL', ORIGIN],
    ['none of several without origin', 'remote.a.url=FORK remote.b.url=URL', undefined],
    [
      'that of the branch',
      'remote.fork.url=FORK remote.origin.url=URL branch.fix/a.b.remote=fork',
      { name: 'fork', url: FORK },
    ],
    ['origin if that is this repository', 'remote.origin.url=URL branch.fix/a.b.remote=.', ORIGIN],
    ['of which the first URL counts', 'remote.origin.url=URL remote.origin.url=FORK', ORIGIN],
    ['with dots in its name', 'remote.my.hub.url=URL', { name: 'my.hub', url: URL }],
  ])('%s', (_, given, remote) => {
    const entries = given
      .split(' ')
      .filter(Boolean)
      .map((each): Entry => {
        const [key = '', value = ''] = each.split('=')
        return [key, { URL, FORK }[value] ?? value]
      })
    expect(read(entries, 'fix/a.b').remote).toEqual(remote)
  })

  test.each<[string, Entry[], string]>([
    ['one rule', [['url.git@github.com:.insteadof', 'gh:']], URL],
    [
      'the longest prefix',
      [
        ['url.https://a.example/.insteadof', 'g'],
        ['url.git@github.com:.insteadof', 'gh:'],
      ],
      URL,
    ],
    ['a rule for other URLs', [['url.git@github.com:.insteadof', 'hub:']], 'gh:acme/shop.git'],
  ])('rewritten by insteadOf: %s', (_, rules, url) => {
    expect(read([...rules, ['remote.origin.url', 'gh:acme/shop.git']]).remote?.url).toBe(url)
  })
})

test('the person is the last user.name, as the repository overrides the user', () => {
  const entries: Entry[] = [
    ['user.name', 'Ada at home'],
    ['user.name', 'Ada\nLovelace'],
  ]
  expect(read(entries).person).toBe('Ada\nLovelace')
})

test('a key without a value, or no output, counts as missing', () => {
  expect(readConfiguration('user.name\0', 'work')).toEqual({ person: undefined, remote: undefined })
  expect(readConfiguration(undefined, 'work')).toEqual({ person: undefined, remote: undefined })
})

test.each<[string, string, Record<string, string | undefined>, string[], string[]?]>([
  ['each directory of PATH', 'linux', { PATH: '/usr/bin:/opt/a b' }, ['/usr/bin/git', '/opt/a b/git']],
  ['no relative directory', 'linux', { PATH: '.::bin:/bin' }, ['/bin/git']],
  ['nowhere without PATH', 'linux', { Path: '/bin' }, []],
  [
    'each ending of PATHEXT on Windows',
    'win32',
    { PATH: 'C:\\Git\\cmd;D:\\Tools', PATHEXT: '.EXE;.CMD' },
    ['C:\\Git\\cmd\\git.exe', 'C:\\Git\\cmd\\git.cmd', 'D:\\Tools\\git.exe', 'D:\\Tools\\git.cmd'],
  ],
  [
    'the usual endings without PATHEXT, and Path in any case',
    'win32',
    { Path: 'C:\\Git' },
    ['C:\\Git\\git.com', 'C:\\Git\\git.exe', 'C:\\Git\\git.bat', 'C:\\Git\\git.cmd'],
  ],
  ['a quoted directory', 'win32', { PATH: '"C:\\My Git"', PATHEXT: '.EXE' }, ['C:\\My Git\\git.exe']],
  ['no relative one', 'win32', { PATH: ';.;bin;C:tools;C:\\Git', PATHEXT: '.EXE' }, ['C:\\Git\\git.exe']],
  ['what runs without a shell', 'win32', { PATH: 'C:\\Git' }, ['C:\\Git\\git.exe'], ['.exe']],
])('a program is looked for in %s', (_, platform, env, files, extensions) => {
  expect(programFiles('git', { env, platform, ...(extensions && { extensions }) })).toEqual(files)
})
