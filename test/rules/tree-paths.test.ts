/** Paths as people type them, on POSIX and on Windows, as paths of the repository. */
import { posix, win32 } from 'node:path'
import { describe, expect, test } from 'vitest'
import { globInTree } from '../../src/cli/tree-paths.ts'

/** A disk without symbolic links. */
const real = (absolute: string) => absolute

describe.each([
  { os: 'POSIX', path: posix, root: '/work/shop', other: '/work/other/a.ts' },
  { os: 'Windows', path: win32, root: 'C:\\work\\shop', other: 'D:\\a.ts' },
])('on $os', ({ path, root, other }) => {
  const at = (typed: string, folder = '') =>
    globInTree(typed, { root, cwd: path.join(root, folder), path, real })

  test.each<[typed: string, folder: string, glob: string]>([
    ['src/a.ts', '', 'src/a.ts'],
    ['./src/a.ts', '', 'src/a.ts'],
    ['src//a.ts', '', 'src/a.ts'],
    ['src/', '', 'src/'],
    ['.', '', '**'],
    ['./', '', '**'],
    ['a.ts', 'src', 'src/a.ts'],
    ['./a.ts', 'src', 'src/a.ts'],
    ['../README.md', 'src', 'README.md'],
    ['.', 'src', 'src'],
    ['..', 'src', '**'],
    ['../lib/**/*.ts', 'src', 'lib/**/*.ts'],
    ['**/*.ts', 'src', 'src/**/*.ts'],
    ['{a,b}.ts', 'src', 'src/{a,b}.ts'],
    ['*/./a.ts', 'src', 'src/*/a.ts'],
    ['a.ts', 'routes/[id]', 'routes/[id]/a.ts'],
    ['a.ts', 'odd{name}', 'odd\\{name\\}/a.ts'],
  ])('%s in the folder "%s" is %s', (typed, folder, glob) => {
    expect(at(typed, folder)).toBe(glob)
  })

  test('an absolute path is relative to the root', () => {
    expect(at(path.join(root, 'src', 'a.ts'), 'lib')).toBe('src/a.ts')
    expect(at(path.join(root, 'src', '**'), 'lib')).toBe('src/**')
    expect(at(root, 'lib')).toBe('**')
  })

  const outside = 'lies outside of the repository'
  test.each([
    ...[other, '../../x.ts', '../../../../x/**'].map((each) => [each, `${each} ${outside}`]),
    ['*/../a.ts', "*/../a.ts: '..' must not follow a wildcard"],
    ['', 'an empty path names no file'],
  ])('"%s" is refused: %s', (typed, why) => {
    expect(() => at(typed as string, 'src')).toThrow(why)
  })
})

describe('on Windows', () => {
  const view = { root: 'C:/work/shop', cwd: 'C:\\work\\shop\\src', path: win32, real }

  test.each<[typed: string, glob: string]>([
    ['api\\a.ts', 'src/api/a.ts'],
    ['..\\lib\\**', 'lib/**'],
    ['c:\\Work\\Shop\\src\\a.ts', 'src/a.ts'],
    ['C:/work/shop/src/a.ts', 'src/a.ts'],
  ])('%s is %s', (typed, glob) => expect(globInTree(typed, view)).toBe(glob))

  test('a share is refused', () => {
    expect(() => globInTree('\\\\host\\share\\a.ts', view)).toThrow('lies outside of the repository')
  })
})

describe('on POSIX', () => {
  const view = { root: '/work/shop', cwd: '/work/shop/src', path: posix, real }

  test('a backslash escapes a character', () => expect(globInTree('a\\*.ts', view)).toBe('src/a\\*.ts'))

  test('a path of Windows is refused', () => {
    expect(() => globInTree('C:\\work\\shop\\src\\a.ts', view)).toThrow('lies outside of the repository')
  })

  test('a root with characters of globs', () => {
    const odd = { ...view, root: '/work/[shop]', cwd: '/work/[shop]/src' }
    expect(globInTree('/work/[shop]/lib/*.ts', odd)).toBe('lib/*.ts')
    expect(globInTree('a.ts', odd)).toBe('src/a.ts')
  })

  test('links and the spelling of the disk', () => {
    const names: Record<string, string> = {
      '/tmp/shop': '/private/tmp/shop',
      '/tmp/shop/SRC/A.ts': '/private/tmp/shop/src/a.ts',
      '/tmp/shop/linked/a.ts': '/private/tmp/shop/src/a.ts',
      '/tmp/shop/away/a.ts': '/elsewhere/a.ts',
    }
    const linked = {
      root: '/tmp/shop',
      cwd: '/tmp/shop',
      path: posix,
      real: (name: string) => names[name] ?? name,
    }
    expect(globInTree('SRC/A.ts', linked)).toBe('src/a.ts')
    expect(globInTree('linked/a.ts', linked)).toBe('src/a.ts')
    expect(() => globInTree('away/a.ts', linked)).toThrow('away/a.ts lies outside')
  })
})
