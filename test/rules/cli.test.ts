/** The pure parts of the command: remote URLs, file names as paths, and text layout. */
import displayWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { painter, relativeTime, table, truncate, wrap } from '../../src/cli/terminal.ts'
import { parseRemote } from '../../src/cli/workspace.ts'
import { scopePaths } from '../../src/git/request-size.ts'
import { parseGlob } from '../../src/vocabulary/scope/glob.ts'
import { sanitize } from '../../src/vocabulary/text.ts'

describe('the URL of a remote', () => {
  test.each([
    ['https://github.com/acme/shop.git', 'github.com', false],
    ['https://github.com/acme/shop/', 'github.com', false],
    ['https://ada:secret@github.com/acme/shop.git', 'github.com', false],
    ['https://GHE.example.com:8443/acme/shop.git', 'ghe.example.com', false],
    ['http://127.0.0.1:3000/acme/shop', '127.0.0.1', false],
    ['git@github.com:acme/shop.git', 'github.com', true],
    ['git@github.com:/acme/shop.git', 'github.com', true],
    ['org-7@ghe.example.com:acme/shop', 'ghe.example.com', true],
    ['github-at-work:acme/shop.git', 'github-at-work', true],
    ['ssh://git@ssh.github.com:443/acme/shop.git', 'ssh.github.com', true],
    ['git+ssh://git@github.com/acme/shop', 'github.com', true],
    ['git://github.com/acme/shop.git', 'github.com', false],
  ])('%s names acme/shop on %s (SSH: %s)', (address, host, is_ssh) => {
    expect(parseRemote(address)).toMatchObject({ host, owner: 'acme', repo: 'shop', is_ssh })
  })

  test.each([
    ...`/srv/git/acme/shop.git ../acme/shop file:///srv/acme/shop.git C:\\code\\shop C:/acme/shop https://
    https://github.com/acme https://github.com/acme/shop/wiki https://github.com/acme/..
    https://github.com/acme/100%shop -oProxyCommand:acme/shop`.split(/\s+/),
    '',
  ])('%s names no repository', (address) => {
    expect(parseRemote(address)).toBeUndefined()
  })

  test('can contain dots in the name of the repository', () => {
    expect(parseRemote('git@github.com:acme/shop.github.io.git')).toMatchObject({ repo: 'shop.github.io' })
  })
})

test.each([...'src/a*b.ts a?.md x{1,2}.txt a\\b !important a[b a]b app/[id]/page.tsx'.split(' '), 'ü 1.ts'])(
  'the file name %s, as a path, matches only itself',
  (name) => {
    const [path] = scopePaths([name])
    const glob = parseGlob(path as string)
    expect(glob).toBeDefined()
    if (!name.includes('[id]')) expect(glob.is_plain).toBe(true)
    else expect(path).toBe(name)
  },
)

test.each([
  ['2026-01-31T09:29:59.500Z', 'now'],
  ['2026-01-31T09:29:20.000Z', '40 s ago'],
  ['2026-01-31T09:00:00.000Z', '30 min ago'],
  ['2026-01-31T12:20:00.000Z', 'in 2 h'],
  ['2026-02-07T09:29:50.000Z', 'in 7 d'],
  ['2026-02-01T08:30:00.000Z', 'in 23 h'],
  ['2026-02-01T09:29:00.000Z', 'in 1 d'],
])('at 9:30 %s is %s', (instant, expected) => {
  expect(relativeTime(instant, new Date('2026-01-31T09:30:00.000Z'))).toBe(expected)
})

describe('color', () => {
  const terminal = { isTTY: true, write: () => {} }
  test.each([
    ['is used on a terminal', terminal, {}, true],
    ['is not used in a pipe', { write: () => {} }, {}, false],
    ['is not used with NO_COLOR', terminal, { NO_COLOR: '1' }, false],
    ['is not used on a dumb terminal', terminal, { TERM: 'dumb' }, false],
  ])('%s', (_, output, env, expected) => {
    expect(painter(output, env)('red', 'x').includes('\u001b')).toBe(expected)
  })

  test('does not change the width of table columns', () => {
    const paint = painter(terminal, {})
    const rows = table(
      [
        [{ text: 'a', style: 'red' }, { text: 'x' }],
        [{ text: 'bbb' }, { text: 'y' }],
      ],
      { paint, width: 80 },
    )
    expect(rows.map((row) => sanitize(row))).toEqual(['a x', 'bbb y'])
    expect(rows[0]?.endsWith('    x')).toBe(true)
  })
})

test.each([
  ['Retry', 5, 'Retry'],
  ['Retry it', 5, 'Retr…'],
  ['日本語日本語', 6, '日本…'],
  ['👩‍💻👩‍💻👩‍💻', 5, '👩‍💻👩‍💻…'],
  ['👩‍💻👩‍💻', 2, '…'],
  ['Retry', 0, ''],
])('%j is truncated to %i columns between characters', (text, max, expected) => {
  expect(truncate(text, max)).toBe(expected)
})

test.each([
  ['  collision, high  one two', 20, ['  collision, high', '  one two']],
  ['one two three', 0, ['one two three']],
  ['one two three fourteen', 1, ['one two three', '  fourteen']],
  ['src/checkout/retries.ts', 20, ['src/checkout/retries', '  .ts']],
  ['in src/checkout/retries.ts', 20, ['in', '  src/checkout/retri', '  es.ts']],
  ['日本語日本語日本語日本語', 19, ['日本語日本語日本語', '  日本語']],
  ['ÄÖÜ und noch ein längeres Wort', 20, ['ÄÖÜ und noch ein', '  längeres Wort']],
  // One character for Unicode, wider than the line.
  ['ᄀ'.repeat(30), 20, ['ᄀ'.repeat(20), `  ${'ᄀ'.repeat(10)}`]],
  ['', 20, ['']],
])('%j is wrapped in %i columns', (text, width, expected) => {
  expect(wrap(text, { width, indent: '  ' })).toEqual(expected)
})

describe('a table', () => {
  const paint = painter({ write: () => {} }, {})
  const row = (...texts: string[]) => texts.map((text) => ({ text }))

  test('aligns columns of wide characters', () => {
    const lines = table([row('日本', 'x'), row('abcdef', 'y'), row('👩‍💻', 'z')], { paint, width: 80 })
    expect(lines).toEqual(['日本    x', 'abcdef  y', '👩‍💻      z'])
  })

  test('truncates its widest columns until it fits', () => {
    const lines = table([row('a'.repeat(90), 'active', '語'.repeat(40), '3 min ago')], { paint, width: 60 })
    expect(lines.map((line) => displayWidth(line))).toEqual([60])
    expect(lines[0]).toMatch(/^a+… {2}active {2}語+… {1,3}3 min ago$/)
  })

  test('keeps a whole column, however narrow', () => {
    const [, ...others] = row('', 'Retry declined payments', '3 min ago')
    const lines = table([[{ text: 'possible overlap, medium', is_whole: true }, ...others]], {
      paint,
      width: 20,
    })
    expect(lines).toEqual(['possible overlap, medium  Retry d…  3 min a…'])
  })

  test('omits a column without content', () => {
    expect(table([row('a', '', 'b'), row('c', '', 'd')], { paint, width: 80 })).toEqual(['a  b', 'c  d'])
  })
})
