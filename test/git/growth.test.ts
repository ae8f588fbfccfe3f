/** Every function that reads text of others takes time in proportion to its length: 66 tokens in three shapes each. */
import { expect, test } from 'vitest'
import { pathsInText, wordsOf } from '../../src/cli/hook/payload.ts'
import { newLinesOf, numbersReverted } from '../../src/engine/lines/added-lines.ts'
import { changeOf } from '../../src/engine/lines/change.ts'
import { lineHasher } from '../../src/engine/lines/line-hash.ts'
import { closingIssues, firstProse } from '../../src/engine/lines/markdown-prose.ts'
import { readMigration } from '../../src/engine/lines/migration.ts'
import { DEFAULT_NOISE, readGitAttributes } from '../../src/engine/lines/noise.ts'
import { takenPlaces } from '../../src/engine/lines/taken.ts'
import { areasOfLabeler, readSettingsFile } from '../../src/engine/settings/settings-file.ts'
import { parseDiff, quoted } from '../../src/git/diff-output.ts'
import { linkable, quote } from '../../src/server/tell/report-words.ts'
import { numberOf, renumbered } from '../../src/vocabulary/file-number.ts'
import { issueOfBranch, issueOfText } from '../../src/vocabulary/issue.ts'
import { parseFullName } from '../../src/vocabulary/names.ts'
import { parseGlob } from '../../src/vocabulary/scope/glob.ts'
import { escapedJson, inQuotes, sanitize, storableText, withoutInvisible } from '../../src/vocabulary/text.ts'

const hash = lineHasher(new Uint8Array(16))
const repository = { owner: 'acme', repo: 'shop', host: 'github.com' }
const noise = { ...DEFAULT_NOISE, classes: {} as never, attributes: () => null }

/** A patch that adds the text, line by line. */
function patchOf(text: string): string {
  const lines = text.split('\n')
  return `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`
}

const READERS: Record<string, (text: string) => unknown> = {
  'a patch': (text) => changeOf({ filename: 'a.ts', status: 'added', patch: patchOf(text) }, hash),
  'a raw patch': (text) => changeOf({ filename: 'a.ts', patch: text }, hash),
  'the lines that it adds': (text) => {
    const change = changeOf({ filename: 'a.ts', status: 'added', patch: patchOf(text) }, hash)
    return change && [...newLinesOf([change], noise)]
  },
  'a migration of Django': (text) => readMigration('shop/migrations/0001_a.py', patchOf(text)),
  'a migration of Alembic': (text) => readMigration('alembic/versions/a.py', patchOf(text)),
  'a file name': (text) => changeOf({ filename: text }, hash),
  'a number in a name': (text) => [numberOf(text), renumbered(text, '2')],
  'the numbers of names': (text) =>
    takenPlaces(text.split('/').map((path) => ({ path, status: 'added' }) as never)),
  'closing keywords': (text) => closingIssues([text], ['https://github.com/acme/shop']),
  'a description': firstProse,
  'a commit message': numbersReverted,
  'a branch': issueOfBranch,
  'a prompt': (text) => [issueOfText(text, repository), pathsInText(text), wordsOf(text)],
  'git attributes': readGitAttributes,
  settings: readSettingsFile,
  'a list of areas': (text) => readSettingsFile(`areas:\n  a: [${JSON.stringify(text)}]\n`),
  'a labeler file': areasOfLabeler,
  'a glob': (text) => attempted(() => parseGlob(text)),
  'a repository name': parseFullName,
  'the output of git': (text) => [parseDiff(text), quoted(text)],
  'text that is shown': (text) => [quote(text), linkable(text), sanitize(text), inQuotes(text)],
  'text in JSON': (text) => [escapedJson(text), withoutInvisible({ [text]: text }), storableText(text)],
}

function attempted(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return error
  }
}

const TOKENS = [
  ...[' ', '\t', '\n', '\r\n', '\0', '\ud800', '\u202e'],
  ...['a', 'A', '0', '9', '_', '-', '.', '/', '\\', '@', '#'],
  ...['+', '+ ', '-\n', '@@ ', '@@ -1 +1 @@\n', '@@ -1,9 +1,9 @@\n+', '\n+', '\n-', '\n ', '\n\\ No newline'],
  ...['*', '**', '**/', '?', '[', '[a-', ']', '{', '{a,', '}', ',', '!', '!(', '(', ')', '|', '$', '^'],
  ...['"', "'", '`', '```', '~~~\n', '<!--', '-->', '<', '>', '&', '[x](', '![', '# ', '> ', '- ', '1. '],
  ...['fixes #1 ', 'closes ', 'acme/shop#1', 'revision = "', 'dependencies = ['],
  ...['a: ', 'a: &b ', '*b ', '- [', ': |\n', '\x1b['],
]
const SHAPES: Record<string, (token: string, length: number) => string> = {
  repeated: (token, length) => token.repeat(Math.ceil(length / token.length)).slice(0, length),
  'before an end': (token, length) =>
    `${token.repeat(Math.ceil(length / token.length)).slice(0, length - 2)}\nx`,
  'on each line': (token, length) =>
    `${token}x\n`.repeat(Math.ceil(length / (token.length + 2))).slice(0, length),
}
const [SHORT, LONG] = [32_768, 131_072]
/** Four times the text may take this many times as long: sixteen would be quadratic. */
const GROWTH_MAX = 9
/** What takes less says nothing about growth. */
const NOTICEABLE_MS = 25
/** What takes more is not asked again: no machine adds so much. */
const SLOW_MS = 1000

function cpuMs(read: () => unknown): number {
  const before = process.cpuUsage()
  attempted(read)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** How many times as long the long text takes. What a machine adds is left out by asking again. */
function growthOf(read: (text: string) => unknown, short: string, long: string): number {
  let [least, most, growth] = [Infinity, Infinity, Infinity]
  for (let round = 0; round < 12 && growth > GROWTH_MAX && (round === 0 || most < SLOW_MS); round += 1) {
    const [first, second] = [cpuMs(() => read(short)), cpuMs(() => read(long))]
    least = Math.min(least, first)
    most = Math.min(most, second)
    growth = most < NOTICEABLE_MS ? 0 : most / least
  }
  return growth
}

test('tells quadratic from linear', () => {
  const quadratic = (text: string) => {
    let found = 0
    for (let at = 0; at < text.length; at += 64) if (text.indexOf('z', at) < 0) found += 1
    return found
  }
  const [short, long] = ['a'.repeat(8 * SHORT), 'a'.repeat(8 * LONG)]
  const growths = [1, 2, 3, 4].map(() => growthOf(quadratic, short, long))
  expect(Math.max(...growths)).toBeGreaterThan(GROWTH_MAX)
})

test.each(Object.entries(READERS))('%s is read in linear time', (_, read) => {
  expect(TOKENS.length).toBeGreaterThanOrEqual(66)
  const grown: string[] = []
  for (const token of TOKENS)
    for (const [shape, textOf] of Object.entries(SHAPES)) {
      const long = textOf(token, LONG)
      if (cpuMs(() => read(long)) < NOTICEABLE_MS) continue
      const first = growthOf(read, textOf(token, SHORT), long)
      // What memory adds is added at one length; a quadratic reader grows at each.
      const growth = first > GROWTH_MAX ? growthOf(read, long, textOf(token, 4 * LONG)) : first
      if (growth > GROWTH_MAX) grown.push(`${JSON.stringify(token)} ${shape}: ${growth.toFixed(0)} times`)
    }
  expect(grown).toEqual([])
})
