/** The pure parts of the command: addresses of remotes, paths of files, and text made harmless. */
import { describe, expect, test } from 'vitest'
import { parseGlob } from '../../src/scope/glob.ts'
import { clip, table, widthOf } from '../../src/surfaces/cli/columns.ts'
import { pathsOf } from '../../src/surfaces/cli/paths.ts'
import { parseRemote } from '../../src/surfaces/cli/remote.ts'
import { painter, plain, printable, relative } from '../../src/surfaces/cli/terminal.ts'

describe('the address of a remote', () => {
  test.each([
    ['https://github.com/acme/shop.git', 'github.com'],
    ['https://github.com/acme/shop', 'github.com'],
    ['https://github.com/acme/shop/', 'github.com'],
    ['https://ada:secret@github.com/acme/shop.git', 'github.com'],
    ['https://GHE.example.com:8443/acme/shop.git', 'ghe.example.com'],
    ['http://127.0.0.1:3000/acme/shop', '127.0.0.1'],
    ['git@github.com:acme/shop.git', 'github.com'],
    ['git@github.com:/acme/shop.git', 'github.com'],
    ['org-7@ghe.example.com:acme/shop', 'ghe.example.com'],
    ['github-at-work:acme/shop.git', 'github-at-work'],
    ['ssh://git@github.com/acme/shop.git', 'github.com'],
    ['ssh://git@ssh.github.com:443/acme/shop.git', 'ssh.github.com'],
    ['git+ssh://git@github.com/acme/shop', 'github.com'],
    ['git://github.com/acme/shop.git', 'github.com'],
  ])('%s is acme/shop on %s', (address, host) => {
    expect(parseRemote(address)).toMatchObject({ host, owner: 'acme', repo: 'shop' })
  })

  test.each([
    ['github-at-work:acme/shop.git', true],
    ['git@github.com:acme/shop.git', true],
    ['ssh://git@github.com/acme/shop.git', true],
    ['git+ssh://git@github.com/acme/shop', true],
    ['https://github.com/acme/shop.git', false],
    ['git://github.com/acme/shop.git', false],
  ])('%s over SSH: %s', (address, is_ssh) => {
    expect(parseRemote(address)).toMatchObject({ is_ssh })
  })

  test.each([
    ['/srv/git/acme/shop.git'],
    ['../acme/shop'],
    ['file:///srv/acme/shop.git'],
    ['C:\\code\\shop'],
    ['C:/acme/shop'],
    ['https://github.com/acme'],
    ['https://github.com/acme/shop/wiki'],
    ['https://github.com/acme/..'],
    ['https://github.com/acme/100%shop'],
    ['https://'],
    ['-oProxyCommand:acme/shop'],
    [''],
  ])('%s is no repository', (address) => {
    expect(parseRemote(address)).toBeUndefined()
  })

  test('a name with dots keeps them', () => {
    expect(parseRemote('git@github.com:acme/shop.github.io.git')).toMatchObject({ repo: 'shop.github.io' })
  })
})

describe('the name of a file as a path', () => {
  test.each([
    'src/a*b.ts',
    'a?.md',
    'x{1,2}.txt',
    'a\\b',
    '!important',
    'a[b',
    'a]b',
    'app/[id]/page.tsx',
    'ü 1.ts',
  ])('%s means itself', (name) => {
    const [path] = pathsOf([name])
    const glob = parseGlob(path as string)
    expect(glob).toBeDefined()
    // What holds no wildcard once it is parsed covers the file of that name.
    if (!name.includes('[id]')) expect(glob.is_plain).toBe(true)
    else expect(path).toBe(name)
  })

  test('of very many files the directories are taken, and they fit into one request', () => {
    const files = Array.from({ length: 4000 }, (_, index) => `src/${index % 7}/deep/${index}.ts`)
    const paths = pathsOf(files)
    expect(paths.sort()).toEqual([0, 1, 2, 3, 4, 5, 6].map((index) => `src/${index}/deep`))
  })
})

describe('text of others', () => {
  test.each([
    ['colour', '\u001b[31mred\u001b[0m alert', 'red alert'],
    ['a new title of the window', '\u001b]0;pwned\u0007Retry', 'Retry'],
    ['a link', '\u001b]8;;https://evil.test\u001b\\Retry\u001b]8;;\u001b\\', 'Retry'],
    ['a one-byte sequence', '\u009b2JRetry', 'Retry'],
    ['a cleared screen and a moved cursor', 'a\u001b[2J\u001b[Hb', 'ab'],
    ['lines of its own', 'Retry\r\nClear: no overlap', 'Retry Clear: no overlap'],
    ['a backspace', 'ab\u0008\u0008c', 'ab c'],
    ['another direction of writing', 'a\u202etxt.exe', 'a txt.exe'],
    ['an escape that never ends', 'a\u001b]0;b', 'a'],
    ['a lone escape', 'a\u001bcb', 'a cb'],
  ])('loses %s', (_, hostile, expected) => {
    expect(plain(hostile)).toBe(expected)
  })

  test('keeps what people write', () => {
    for (const text of ['naïve café', '日本語', '👩‍💻 tidy', 'a – b “c”']) expect(plain(text)).toBe(text)
  })

  test('is the same value as JSON, without a character that a terminal acts on', () => {
    const value = { title: '\u001b[31m\u009b2J\u202e\u0007é' }
    const json = printable(value)
    expect(JSON.parse(json)).toEqual(value)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is left is what is tested
    expect(json.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  })
})

test.each([
  ['2026-01-31T09:29:59.500Z', 'now'],
  ['2026-01-31T09:29:20.000Z', '40 s ago'],
  ['2026-01-31T09:00:00.000Z', '30 min ago'],
  ['2026-01-31T12:20:00.000Z', 'in 2 h'],
  ['2026-02-07T09:30:00.000Z', 'in 7 d'],
  ['2026-02-07T09:29:50.000Z', 'in 7 d'],
  ['2026-02-01T08:30:00.000Z', 'in 23 h'],
  ['2026-02-01T09:29:00.000Z', 'in 1 d'],
])('at half past nine %s is %s', (instant, expected) => {
  expect(relative(instant, new Date('2026-01-31T09:30:00.000Z'))).toBe(expected)
})

describe('colour', () => {
  const terminal = { isTTY: true, write: () => {} }
  test.each([
    ['on a terminal', terminal, {}, true],
    ['into a pipe', { write: () => {} }, {}, false],
    ['where NO_COLOR is set', terminal, { NO_COLOR: '1' }, false],
    ['on a dumb terminal', terminal, { TERM: 'dumb' }, false],
  ])('%s', (_, output, env, expected) => {
    expect(painter(output, env)('red', 'x').includes('\u001b')).toBe(expected)
  })

  test('does not move the columns of a table', () => {
    const paint = painter(terminal, {})
    const rows = table(
      [
        [{ text: 'a', style: 'red' }, { text: 'x' }],
        [{ text: 'bbb' }, { text: 'y' }],
      ],
      { paint, width: 80 },
    )
    expect(rows.map((row) => plain(row))).toEqual(['a x', 'bbb y'])
    expect(rows[0]?.endsWith('    x')).toBe(true)
  })
})

describe('the width of a text', () => {
  test.each([
    ['plain', 5],
    ['naïve', 5],
    ['e\u0301', 1],
    ['日本語', 6],
    ['ｱ', 1],
    ['Ａ', 2],
    ['👩‍💻', 2],
    ['⚠️', 2],
    ['⚠', 1],
    ['🇩🇪', 2],
    ['1️⃣', 2],
    ['“x”…–', 5],
    ['a\u200bb', 2],
  ])('of %j is %i columns', (text, columns) => {
    expect(widthOf(text)).toBe(columns)
  })

  test.each([
    ['Retry', 5, 'Retry'],
    ['Retry it', 5, 'Retr…'],
    ['日本語日本語', 6, '日本…'],
    ['👩‍💻👩‍💻👩‍💻', 5, '👩‍💻👩‍💻…'],
    ['👩‍💻👩‍💻', 2, '…'],
    ['Retry', 0, ''],
  ])('%j is cut to %i columns between characters', (text, max, expected) => {
    expect(clip(text, max)).toBe(expected)
  })
})

describe('a table', () => {
  const { write } = { write: () => {} }
  const paint = painter({ write }, {})
  const row = (...texts: string[]) => texts.map((text) => ({ text }))

  test('keeps its columns below one another, whatever the characters', () => {
    const lines = table([row('日本', 'x'), row('abcdef', 'y'), row('👩‍💻', 'z')], { paint, width: 80 })
    expect(lines).toEqual(['日本    x', 'abcdef  y', '👩‍💻      z'])
  })

  test('cuts its widest columns until it fits, and no column that is short', () => {
    const lines = table([row('a'.repeat(90), 'active', '語'.repeat(40), '3 min ago')], { paint, width: 60 })
    expect(lines.map(widthOf)).toEqual([60])
    expect(lines[0]).toMatch(/^a+… {2}active {2}語+… {1,3}3 min ago$/)
  })

  test('leaves out a column that is empty throughout', () => {
    expect(table([row('a', '', 'b'), row('c', '', 'd')], { paint, width: 80 })).toEqual(['a  b', 'c  d'])
  })
})
