/** Where programs are looked for, by the rules of POSIX and of Windows. */
import { expect, test } from 'vitest'
import { programFiles } from '../../src/git/program-output.ts'

test.each<[string, string, Record<string, string | undefined>, string[]]>([
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
])('a program is looked for in %s', (_, platform, env, files) => {
  expect(programFiles('git', { env, platform })).toEqual(files)
})

test('only programs that run without a shell are run on Windows', () => {
  const env = { PATH: 'C:\\Git', PATHEXT: '.CMD;.EXE' }
  const extensions = ['.exe', '.com']
  expect(programFiles('git', { env, platform: 'win32', extensions })).toEqual([
    'C:\\Git\\git.exe',
    'C:\\Git\\git.com',
  ])
})
