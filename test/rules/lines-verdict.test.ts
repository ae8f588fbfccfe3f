/** The verdict about one file that both sides change: a table for each part of the rule. */
import { describe, expect, test } from 'vitest'
import { EMPTY_BLOB, type FileChange } from '../../src/engine/lines/change.ts'
import { fileVerdict } from '../../src/engine/lines/pair-verdict.ts'
import { change, editOf } from '../support/lines.ts'

/** The verdict, such as `conflict proved` or `near`. Asserts that it is the same with the sides swapped. */
function verdict(yours: FileChange, theirs: FileChange, one_base = false): string {
  const found = fileVerdict(yours, theirs, one_base)
  const other = fileVerdict(theirs, yours, one_base)
  const { yours: mine, theirs: its } = found.is_whole
  const lines = { your_lines: found.their_lines, their_lines: found.your_lines }
  expect(other).toEqual({ ...found, ...lines, is_whole: { yours: its, theirs: mine } })
  return [found.verdict, found.confidence].filter(Boolean).join(' ')
}

const PROVED = 'conflict proved'
/** Lines that the base branch has added. */
const fillerOf = (count: number) =>
  Array.from({ length: count }, (_, at) => `filler of the base branch ${at}`)
const FILE = Array.from({ length: 60 }, (_, at) => `const value${at + 1} = read(${at + 1})`)
const edit = (at: number, removed: number, added: string[], base = FILE) =>
  change({ patch: editOf(base, at, removed, added) })
/** Shows the lines of a base from one to another, and replaces some of them. */
const hunkOf = (base: readonly string[], first: number, last: number, replaced: number[], text = 'a') => {
  const shown = base.slice(first - 1, last)
  const rows = shown.map((line, at) => (replaced.includes(first + at) ? `-${line}\n+${text}` : ` ${line}`))
  const range = `${first},${shown.length}`
  return change({ patch: [`@@ -${range} +${range} @@`, ...rows].join('\n') })
}

type Given = Parameters<typeof change>[0]
const part = ['first telling line', 'second telling line', 'third telling line']
const ADDED = '@@ -0,0 +1 @@\n+first line of all'
const GONE = '@@ -1 +0,0 @@\n-first line of all'
const EDIT = '@@ -1 +1 @@\n-a\n+b'
const edited = { patch: EDIT }
const patched = (patch: string) => change({ patch })
const added = { status: 'added', patch: ADDED } as const
const removed = { status: 'removed', patch: GONE } as const
const submodule = (commit: string) =>
  `@@ -1 +1 @@\n-Subproject commit ${'0'.repeat(40)}\n+Subproject commit ${commit.repeat(40)}`
const binary = (blob_sha: string): Partial<FileChange> => ({ changed_lines: 0, blob_sha })
const renamed = (path: string, previous_path = 'src/a.ts'): Partial<FileChange> => ({
  path,
  previous_path,
  status: 'renamed',
})
const onlyRenamed = { ...renamed('b'), changed_lines: 0 }
const same = { blob_sha: 'a1' }
const empty = { status: 'added', blob_sha: EMPTY_BLOB } as const

test.each<[string, Given, Given, string]>([
  ['the same content', same, same, 'agrees'],
  ['both remove', removed, { status: 'removed' }, 'agrees'],
  ['one removes', removed, edited, PROVED],
  ['one removes what the other renames', { status: 'removed' }, renamed('b'), PROVED],
  ['both add', added, { ...added, patch: `${ADDED}!` }, PROVED],
  ['both add the same blob', { status: 'added', ...same }, { status: 'added', ...same }, 'agrees'],
  ['both add the same text', added, added, 'agrees'],
  ['both add the same text, one without a blob', { ...added, ...same }, added, 'agrees'],
  ['both add, one nothing', added, empty, 'far'],
  ['both add nothing', empty, empty, 'agrees'],
  ['one renames to a name that the other adds, with nothing', renamed('b'), { ...empty, path: 'b' }, 'far'],
  ['both add, one without a patch', added, { status: 'added' }, PROVED],
  ['one adds what the other changes to the same blob', { status: 'added', ...same }, same, PROVED],
  ['the same blob under two names', same, { ...renamed('b'), ...same }, 'unknown'],
  ['two files become one', { ...renamed('b', 'x'), ...same }, { ...renamed('b', 'y'), ...same }, PROVED],
  ['both add, with unknown content', { status: 'added' }, { status: 'added' }, PROVED],
  ['one adds a file that the other already has', added, edited, PROVED],
  ['both rename to two names', renamed('b'), renamed('c'), PROVED],
  ['two files are renamed to one name', renamed('b', 'x'), renamed('b', 'y'), PROVED],
  ['one renames to a name that the other adds', renamed('b'), { path: 'b', status: 'added' }, PROVED],
  ['one renames to a name that the other has', renamed('b'), { path: 'b', patch: EDIT }, PROVED],
  ['one only renames', onlyRenamed, edited, 'far'],
  ['one only renames, the other is unknown', onlyRenamed, {}, 'far'],
  ['both only rename to one name', onlyRenamed, onlyRenamed, 'far'],
  ['submodules to one commit', { patch: submodule('a') }, { patch: submodule('a') }, 'agrees'],
  ['submodules to two commits', { patch: submodule('a') }, { patch: submodule('b') }, PROVED],
  ['a submodule and a file', { patch: submodule('a') }, edited, PROVED],
  ['binary', binary('a1'), binary('b2'), PROVED],
  ['binary, the same', binary('a1'), binary('a1'), 'agrees'],
  ['binary and text', binary('a1'), edited, PROVED],
  ['no patch on one side', { changed_lines: 9000 }, edited, 'unknown'],
  ['no patch on either side', {}, {}, 'unknown'],
  ['renamed without a patch, with an unknown number of changed lines', renamed('b'), edited, 'unknown'],
])('without looking at lines %s', (_, yours, theirs, expected) => {
  expect(verdict(change(yours), change(theirs))).toBe(expected)
})

describe('by lines, if both sides start from the same base', () => {
  test.each<[string, FileChange, FileChange, string]>([
    ['the same line', edit(20, 1, ['a']), edit(20, 1, ['b']), PROVED],
    ['the same line, changed to the same', edit(20, 1, ['a']), edit(20, 1, ['a']), 'agrees'],
    ['the same line, changed to more', edit(20, 1, ['a']), edit(20, 1, ['a', 'b']), PROVED],
    ['lines next to each other', edit(20, 1, ['a']), edit(21, 1, ['b']), PROVED],
    ['… without context', patched('@@ -5 +5 @@\n-a\n+b'), patched('@@ -6 +6 @@\n-c\n+d'), PROVED],
    ['an insertion before a changed line', edit(20, 0, ['a']), edit(20, 1, ['b']), PROVED],
    ['an insertion after a changed line', edit(21, 0, ['a']), edit(20, 1, ['b']), PROVED],
    ['two insertions at one place', edit(20, 0, ['a']), edit(20, 0, ['b']), PROVED],
    ['two equal insertions at one place', edit(20, 0, ['a']), edit(20, 0, ['a']), 'agrees'],
    ['one unchanged line between', edit(20, 1, ['a']), edit(22, 1, ['b']), 'touching'],
    ['three unchanged lines between', edit(20, 1, ['a']), edit(24, 1, ['b']), 'touching'],
    ['four unchanged lines between', edit(20, 1, ['a']), edit(25, 1, ['b']), 'near'],
    ['thirty unchanged lines between', edit(20, 1, ['a']), edit(51, 1, ['b']), 'near'],
    ['31 unchanged lines between', edit(20, 1, ['a']), edit(52, 1, ['b']), 'far'],
    ['a removal within a removal', edit(20, 3, []), edit(21, 1, []), PROVED],
    ['a removal of the same lines', edit(20, 3, []), edit(20, 3, []), 'agrees'],
    ['the only line of a file', change(edited), change({ patch: '@@ -1 +1 @@\n-a\n+c' }), PROVED],
    ['into an empty file', patched('@@ -0,0 +1 @@\n+a'), patched('@@ -0,0 +1 @@\n+b'), PROVED],
    ['a last newline of one', change(edited), patched(`${EDIT}\n\\ No newline at end of file`), PROVED],
  ])('%s', (_, yours, theirs, expected) => {
    expect(verdict(yours, theirs, true)).toBe(expected)
  })

  test('a chain of blocks that agree only in part is a conflict', () => {
    const shown = (mark: (at: number) => string) => Array.from({ length: 7 }, (_, at) => mark(at)).join('\n')
    // Yours changes lines 2 and 4, theirs lines 2 to 4. Only the first change is the same.
    const yours = change({
      patch: `@@ -1,7 +1,7 @@\n${shown((at) => (at === 1 || at === 3 ? `-l${at}\n+m${at}` : ` l${at}`))}`,
    })
    const theirs = change({ patch: `@@ -1,7 +1,7 @@\n l0\n-l1\n-l2\n-l3\n+m1\n+m2\n+m3\n l4\n l5\n l6` })
    const alike = change({ patch: `@@ -1,7 +1,7 @@\n l0\n-l1\n-l2\n-l3\n+m1\n+l2\n+m3\n l4\n l5\n l6` })
    expect(verdict(yours, theirs, true)).toBe(PROVED)
    expect(verdict(yours, alike, true)).toBe('agrees')
    const around = `@@ -1,2 +1,2 @@\n-l0\n-l1\n+l0\n+m1\n@@ -4,2 +4,2 @@\n-l3\n-l4\n+m3\n+l4`
    expect(verdict(alike, change({ patch: around }), true)).toBe('agrees')
  })

  test('is ignored if the lines contradict it', () => {
    const later = [...fillerOf(5), ...FILE]
    expect(verdict(edit(20, 1, ['a']), edit(25, 1, ['b'], later), true)).toBe(PROVED)
  })
})

describe('by lines, if bases may differ', () => {
  /** The file after the base branch has added some lines at the start. */
  const later = (lines: number) => [...fillerOf(lines), ...FILE]
  /** Changes lines 20 and 22, after the base branch has added some lines at the start. */
  const both = (by: number) => hunkOf(later(by), 17 + by, 25 + by, [20 + by, 22 + by])

  test.each<[string, FileChange, FileChange, string]>([
    ['the same line under another number', edit(20, 1, ['a']), edit(90, 1, ['b'], later(70)), PROVED],
    ['another line under the same number', edit(20, 1, ['a']), edit(20, 1, ['b'], later(10)), 'near'],
    ['touching under another number', edit(20, 1, ['a']), edit(22 + 70, 1, ['b'], later(70)), 'touching'],
    ['agreeing under another number', edit(20, 1, ['a']), edit(20 + 70, 1, ['a'], later(70)), 'agrees'],
    ['a line after another change', edit(22, 1, ['b']), both(70), PROVED],
    ['… under a lower number', edit(92, 1, ['b'], later(70)), both(0), PROVED],
    ['agreeing in another form', edit(20, 3, ['a', FILE[20] as string, 'a']), both(70), 'agrees'],
    ['… under a lower number', edit(90, 3, ['a', FILE[20] as string, 'a'], later(70)), both(0), 'agrees'],
    ['a hunk of one line', patched(`@@ -20 +20 @@\n-${FILE[19]}\n+b`), edit(20, 1, ['a']), PROVED],
    ['no line in common', patched('@@ -5 +5 @@\n-a\n+b'), patched('@@ -7 +7 @@\n-c\n+d'), 'near'],
    ['numbers far apart', edit(20, 1, ['a']), edit(59, 1, ['b'], later(3)), 'far'],
  ])('%s', (_, yours, theirs, expected) => {
    expect(verdict(yours, theirs)).toBe(expected)
  })

  /** A file with lines of these kinds: `t` is a telling line, each different; `.` is a short line. */
  const fileOf = (kinds: string) =>
    [...kinds].map((kind, at) => (kind === 't' ? `telling line ${at}` : `${at}`))
  /** Both change the middle line of a file, which the base branch has moved down by `by` lines. */
  const moved = (kinds: string, by: number) => {
    const base = fileOf(kinds)
    const middle = Math.ceil(kinds.length / 2)
    return verdict(edit(middle, 1, ['a'], base), edit(middle + by, 1, ['b'], [...fillerOf(by), ...base]))
  }

  test.each([
    ['two telling and four lines prove a shift', 't..t', 500, PROVED],
    ['two telling and three lines are too few far away', 't.t', 500, 'far'],
    ['one telling and three lines prove a shift of 50', 't..', 50, PROVED],
    ['one telling and four lines are too few beyond', 't...', 51, 'far'],
    ['one telling and two lines prove no other shift', 't.', 1, 'near'],
    ['two lines prove the expected shift', '..', 0, PROVED],
    ['a single line is the whole file', '.', 0, PROVED],
    ['two short lines prove no other shift', '..', 1, 'near'],
  ])('%s', (_, kinds, by, expected) => {
    expect(moved(kinds, by)).toBe(expected)
  })

  test('what was proved last is expected next', () => {
    const base = [...fileOf('tttttttttt'), ...Array.from({ length: 40 }, (_, at) => `${at}`)]
    const drifted = [...fillerOf(200), ...base]
    const both = (lines: string[], by: number, text: string) =>
      change({ patch: `${editOf(lines, 5 + by, 1, ['same'])}\n${editOf(lines, 30 + by, 1, [text])}` })
    expect(verdict(both(base, 0, 'a'), both(drifted, 200, 'b'))).toBe(PROVED)
    const alone = (lines: string[], by: number, text: string) => edit(30 + by, 1, [text], lines)
    expect(verdict(alone(base, 0, 'a'), alone(drifted, 200, 'b'))).toBe('far')
  })

  /** Both change a line. The base branch has changed some of the six lines around it, and moved them all by `by`. */
  const changed = (lines: number[], by: number, at: number) => {
    const drifted = FILE.map((line, index) => (lines.includes(index + 1) ? `other ${line}` : line))
    return verdict(edit(at, 1, ['a']), edit(at + by, 1, ['b'], [...fillerOf(by), ...drifted]))
  }

  test.each<[string, number[], number, string, number?]>([
    ['one line of seven differs', [17], 10, 'conflict likely'],
    ['two lines of six differ', [1, 6], 10, 'conflict likely', 3],
    ['two lines of seven differ', [17, 23], 50, 'conflict likely'],
    ['three lines of seven differ', [17, 18, 23], 10, 'near'],
    ['one line differs, too far away', [17], 51, 'far'],
  ])('%s', (_, lines, by, expected, at = 20) => {
    expect(changed(lines, by, at)).toBe(expected)
  })

  test('of several shifts, the one with the most telling lines wins', () => {
    const base = [...part, 'the line between', ...part]
    const drifted = [...fillerOf(4), ...base]
    // Without a shift, the second part of yours would align with the first part of theirs, and the changes would be three lines apart.
    expect(verdict(edit(4, 1, ['a'], base), edit(8, 1, ['b'], drifted))).toBe(PROVED)
    expect(verdict(edit(4, 1, ['b'], base), edit(8, 1, ['a'], drifted))).toBe(PROVED)
  })

  test.each([
    ['the expected one', [22, 26, 30], 28],
    ['the later one', [21, 28], 30],
    ['the earlier one', [24, 31], 26],
  ])('of several equal shifts, the one nearest to the expected shift wins: %s', (_, places, at) => {
    const holding = (lines: number[]) =>
      lines.reduce((file, line) => file.toSpliced(line - 1, 4, ...part, 'last telling line'), FILE)
    const theirs = hunkOf(holding(places), 20, 36, [at], 'b')
    const found = fileVerdict(hunkOf(holding([26]), 26, 29, [28]), theirs, false)
    expect(found).toMatchObject({ verdict: 'conflict', their_lines: [at, at] })
  })
})

describe('by lines, if a text occurs in several places', () => {
  const BODY = ['  const text = input', '  check(text)', '  parse(text)', '  log(text)', '  return text']
  /** Three similar functions of seven lines, with 40 other lines after each. */
  const base = [0, 1, 2].flatMap((copy) => [
    ...['function read(input) {', ...BODY, '}'],
    ...Array.from({ length: 40 }, (_, at) => `const value${copy * 40 + at} = read(${at})`),
  ])
  /** Changes the middle line of some of the functions, in a base with additional lines at its start. */
  const edits = (texts: Record<number, string>, by = 0) => {
    const lines = [...fillerOf(by), ...base]
    const hunks = Object.entries(texts).map(([copy, text]) =>
      editOf(lines, by + 47 * (Number(copy) - 1) + 4, 1, [text]),
    )
    return change({ patch: hunks.join('\n') })
  }
  const ALL = edits({ 1: 'a', 2: 'a', 3: 'a' })

  test.each<[string, FileChange, FileChange, string]>([
    ['all changed in the same way', ALL, ALL, 'agrees'],
    ['one side changes the first only', edits({ 1: 'a' }), ALL, 'agrees'],
    ['one side changes the second only', edits({ 2: 'a' }), ALL, 'agrees'],
    ['one side changes the last only', edits({ 3: 'a' }), ALL, 'agrees'],
    ['the first changed differently', edits({ 1: 'a', 2: 'a' }), edits({ 1: 'b', 2: 'a' }), PROVED],
    ['others changed differently', edits({ 2: 'a' }), edits({ 1: 'b', 2: 'a', 3: 'b' }), 'agrees'],
    ['the first two and the last two', edits({ 1: 'a', 2: 'a' }), edits({ 2: 'a', 3: 'a' }), 'agrees'],
    ['one shown at length', edits({ 1: 'a', 2: 'b', 3: 'a' }), hunkOf(base, 40, 66, [51], 'b'), 'agrees'],
    ['one changed differently', edits({ 1: 'a', 2: 'a' }), edits({ 1: 'a', 2: 'b' }), PROVED],
    ['all changed in the same way under other numbers', ALL, edits({ 1: 'a', 2: 'a', 3: 'a' }, 10), 'agrees'],
    ['the last one under other numbers', edits({ 1: 'a', 3: 'a' }), edits({ 1: 'a', 3: 'b' }, 10), PROVED],
  ])('%s', (_, yours, theirs, expected) => {
    expect(verdict(yours, theirs)).toBe(expected)
  })

  test('more telling lines elsewhere win over fewer at the expected shift', () => {
    const whole = [...part, 'the line between', ...part]
    const drifted = [...fillerOf(4), ...part, ...FILE, ...whole]
    const theirs = `@@ -5,3 +5,4 @@\n ${part.join('\n ')}\n+c\n${editOf(drifted, 71, 1, ['b'])}`
    expect(verdict(edit(4, 1, ['a'], whole), change({ patch: theirs }))).toBe(PROVED)
  })

  test('a hunk may fit at two shifts with different lines', () => {
    const drifted = [...FILE.slice(0, 7), 'new one', 'new two', 'new three', ...FILE.slice(7)]
    const yours = hunkOf(FILE, 1, 14, [4, 11])
    const theirs = change({ patch: `${editOf(drifted, 4, 1, ['a'])}\n${editOf(drifted, 14, 1, ['b'])}` })
    expect(verdict(yours, theirs)).toBe(PROVED)
    const alike = change({ patch: `${editOf(drifted, 4, 1, [])}\n${editOf(drifted, 14, 1, [])}` })
    expect(verdict(edit(4, 8, []), alike)).toBe(PROVED)
  })
})

/** Replaces line 20, and inserts one before line 23. */
const AROUND = `@@ -20,3 +20,4 @@\n-${FILE[19]}\n+a\n ${FILE[20]}\n ${FILE[21]}\n+c`
const FAR = `${editOf(FILE, 30, 2, ['b'])}\n${editOf(FILE, 50, 1, ['c'])}`
test.each<[string, FileChange, FileChange, [number, number] | null, [number, number] | null]>([
  ['are those that conflict', edit(20, 3, ['a']), edit(22, 2, ['b']), [20, 22], [22, 23]],
  ['name an insertion by the next line', edit(20, 0, ['a']), edit(20, 1, ['b']), [20, 20], [20, 20]],
  ['reach to an insertion', change({ patch: AROUND }), edit(20, 4, ['b']), [20, 23], [20, 23]],
  ['are the nearest if none conflict', edit(36, 1, ['a']), patched(FAR), [36, 36], [30, 31]],
  ['are all that a side changes if the other has no patch', edit(20, 3, ['a']), change(), [20, 22], null],
  [
    'reach from the first change to the last one',
    change(),
    change({ patch: `${editOf(FILE, 5, 1, ['a'])}\n${editOf(FILE, 40, 0, ['b'])}` }),
    null,
    [5, 40],
  ],
  ['are not known without a patch', change(), change(), null, null],
])('lines of both sides %s', (_, yours, theirs, mine, its) => {
  expect(fileVerdict(yours, theirs, true)).toMatchObject({ your_lines: mine, their_lines: its })
})

const hunks = (text: (at: number) => string, shift = 0) =>
  Array.from(
    { length: 20_000 },
    (_, at) => `@@ -${2 * at + 1 + shift} +${2 * at + 1 + shift} @@\n-${text(at)}\n+y`,
  ).join('\n')
const whole = (text: (at: number) => string) =>
  `@@ -1,20000 +1,40000 @@\n${Array.from({ length: 20_000 }, (_, at) => ` ${text(at)}\n+y`).join('\n')}`
const repeated = () => 'the same telling line'
const different = (at: number) => `telling line ${at}`

test.each([
  ['20,000 hunks of one line', hunks(repeated), hunks(repeated, 1)],
  ['20,000 hunks in another order', hunks(different), hunks((at) => different((at * 7919) % 20_000))],
  ['a line that is repeated 20,000 times', whole(repeated), whole(repeated)],
  ['a hunk of 20,000 lines and 20,000 hunks', whole(repeated), hunks(repeated)],
])('work is bounded: %s', (_, one, other) => {
  const [yours, theirs] = [change({ patch: one }), change({ patch: other })]
  for (const one_base of [false, true]) {
    const found = fileVerdict(yours, theirs, one_base)
    expect(found.verdict).toBeOneOf(['unknown', 'conflict'])
    expect(found.confidence).toBe(found.verdict === 'conflict' ? 'likely' : null)
  }
})
